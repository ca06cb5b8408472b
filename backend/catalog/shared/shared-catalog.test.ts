import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { cents } from '../../../contracts/core/money.ts'
import { createMemoryFiles, itemOf, syncAll } from '../../../packages/lab/testing/catalog-lane.ts'
import { createImportOrder } from './import-order.ts'
import { APPLE, BREAD, deliverFacts, openLane, openLanes, openTwo, price, priceAt } from './lanes.fixture.ts'
import { SHARED_QUERIES } from './rows.ts'
import { CHANGED_ELSEWHERE } from '../catalog-views.ts'

const HOUR = 3_600_000
const NEW_PROFILE = [APPLE, BREAD, 'C,,Cheese,Fromage,3.00,standard,x,']

test('changes that exchange the barcodes of two items are applied together, in any order of arrival', async () => {
  const [one, two] = await openTwo()
  for (const [sku, barcode] of [
    ['A', null],
    ['B', 'PLU-1'],
    ['A', 'PLU-2'],
  ] as const)
    one.items.save({ how: 'change', item: itemOf(sku, { barcode }) }, 'sam')
  await deliverFacts(one, two)
  expect([two.catalog.findByBarcode('PLU-1')?.sku, two.catalog.findByBarcode('PLU-2')?.sku]).toEqual(['B', 'A'])
  expect(two.digest()).toBe(one.digest())
  expect(two.lost()).toEqual([])
})

test('if two items get the same barcode, the later one keeps it; the first gets it back when it is free', async () => {
  const [one, two] = await openTwo()
  one.items.save({ how: 'add', item: itemOf('P1', { barcode: 'PLU-9' }) }, 'sam')
  two.setAhead(1_000)
  two.items.save({ how: 'add', item: itemOf('P2', { barcode: 'PLU-9' }) }, 'sam')
  await deliverFacts(one, two)
  for (const lane of [one, two]) {
    expect(lane.catalog.findByBarcode('PLU-9')?.sku).toBe('P2')
    expect(lane.catalog.findBySku('P1')).toMatchObject({ barcode: null })
    expect(lane.views.list().barcodes).toMatchObject([{ sku: 'P1', barcode: 'PLU-9', toSku: 'P2' }])
    expect(lane.trail('catalog-barcode-lost')).toEqual([{ subject: 'P1', detail: { barcode: 'PLU-9', to: 'P2' } }])
  }
  two.items.remove('P2', 'sam')
  await deliverFacts(one, two)
  for (const lane of [one, two]) {
    expect(lane.catalog.findByBarcode('PLU-9')?.sku).toBe('P1')
    expect(lane.views.list().barcodes).toEqual([])
  }
})

test('if two items get the same codes, the later one keeps them; the first gets them back when free', async () => {
  const [one, two] = await openTwo()
  const packs = [{ barcode: 'CASE-9', quantity: 6 }]
  one.items.save({ how: 'add', item: itemOf('P1', { barcode: 'OWN-1', codes: ['PLU-8', 'PLU-9'], packs }) }, 'sam')
  two.setAhead(1_000)
  two.items.save({ how: 'add', item: itemOf('P2', { barcode: 'CASE-9', codes: ['PLU-9'] }) }, 'sam')
  await deliverFacts(one, two)
  for (const lane of [one, two]) {
    expect(['OWN-1', 'PLU-8', 'PLU-9', 'CASE-9'].map((code) => lane.catalog.findByBarcode(code)?.sku)).toEqual([
      'P1',
      'P1',
      'P2',
      'P2',
    ])
    expect(lane.catalog.findBySku('P1')).toMatchObject({ barcode: 'OWN-1', codes: ['PLU-8'] })
    expect(lane.views.list().barcodes).toMatchObject([
      { sku: 'P1', barcode: 'CASE-9', toSku: 'P2' },
      { sku: 'P1', barcode: 'PLU-9', toSku: 'P2' },
    ])
  }
  two.items.remove('P2', 'sam')
  await deliverFacts(one, two)
  for (const lane of [one, two]) {
    expect(lane.catalog.findBySku('P1')).toMatchObject({ codes: ['PLU-8', 'PLU-9'], packs })
    expect(lane.views.list().barcodes).toEqual([])
  }
})

test('planned prices begin at disconnected lanes, and do not return when a removed item is added again', async () => {
  const [one, two] = await openTwo()
  one.planned.plan({ sku: 'A', priceCents: cents(500), from: '2026-11-21T00:00' }, 'sam')
  one.planned.plan({ sku: 'B', priceCents: cents(500), from: '2026-11-21T00:00' }, 'sam')
  await deliverFacts(one, two)
  two.items.remove('B', 'sam')
  one.setAhead(1_000)
  await deliverFacts(one, two)
  one.items.save({ how: 'add', item: itemOf('B') }, 'sam')
  await deliverFacts(one, two)
  for (const lane of [one, two]) {
    lane.setAhead(20 * HOUR)
    expect([priceAt(lane, 'A'), priceAt(lane, 'B')]).toEqual([500, 100])
  }
})

test('an import replaces earlier changes of a disconnected lane, whose audit trail names their items', async () => {
  const [one, two] = await openTwo()
  price(two, 'A', 150)
  one.setAhead(1_000)
  await one.import([APPLE, BREAD, 'T,,Tea,Thé,4.00,standard,x,'])
  two.setAhead(2_000)
  price(two, 'B', 250)
  await deliverFacts(one, two)
  for (const lane of [one, two])
    expect([priceAt(lane, 'A'), priceAt(lane, 'B'), priceAt(lane, 'T')]).toEqual([100, 250, 400])
  expect(two.digest()).toBe(one.digest())
  expect(two.trail('catalog-imported').at(-1)).toEqual({
    subject: 'prices.csv',
    detail: { items: 3, lane: '01', overruled: true, skus: 'A' },
  })
  expect(two.views.importedAt(two.catalog.place().edition)).toMatchObject({ elsewhere: { lane: '01' }, lost: 1 })
})

test('undoing an import undoes it at every lane, and keeps earlier edits of the restored catalog', async () => {
  const [one, two] = await openTwo()
  price(one, 'A', 150)
  await deliverFacts(one, two)
  await one.import(['T,,Tea,Thé,4.00,standard,x,'])
  await deliverFacts(one, two)
  expect(priceAt(two, 'A')).toBeUndefined()
  price(two, 'T', 450)
  one.setAhead(1_000)
  await one.imports.undo('sam', () => undefined)
  await deliverFacts(one, two)
  for (const lane of [one, two]) {
    expect([priceAt(lane, 'A'), priceAt(lane, 'B'), priceAt(lane, 'T')]).toEqual([150, 200, undefined])
    expect(lane.imports.state().previous).toBeNull()
  }
  expect(two.digest()).toBe(one.digest())
})

test('restoring a catalog without items is refused, and the manager sees why', async () => {
  const [one] = await openTwo()
  for (const sku of ['A', 'B']) one.items.remove(sku, 'sam')
  await one.import(NEW_PROFILE)
  await expect(one.imports.undo('sam', () => undefined)).rejects.toMatchObject({ code: 'catalog-before-empty' })
  expect(priceAt(one, 'C')).toBe(300)
})

test('a failed import reports its real cause', async () => {
  const [one] = await openTwo()
  one.db.exec("CREATE TRIGGER full BEFORE INSERT ON catalog_edition BEGIN SELECT RAISE (ABORT, 'no room'); END")
  await expect(one.import(NEW_PROFILE)).rejects.toThrow('no room')
})

test('a lane that applies a profile later than other lanes undoes no change made in between', async () => {
  const [one, two, late] = await openLanes(3)
  if (!one || !two || !late) throw new Error('there are three')
  one.setAhead(HOUR)
  expect(await one.begin(NEW_PROFILE)).toEqual({ imported: 3 })
  two.setAhead(2 * HOUR)
  await deliverFacts(one, two)
  price(two, 'C', 350)
  late.setAhead(5 * HOUR)
  expect(await late.begin(NEW_PROFILE)).toEqual({ imported: 3 })
  await deliverFacts(one, two, late)
  for (const lane of [one, two, late]) expect(priceAt(lane, 'C')).toBe(350)
  // Lane 02 already knows the profile's file, and now its own bundle contains it.
  expect(await two.begin(NEW_PROFILE)).toEqual({ unchanged: true })
  expect(priceAt(two, 'C')).toBe(350)
  // Lane 01 goes back to its previous bundle.
  one.setAhead(6 * HOUR)
  expect(await one.begin([APPLE, BREAD])).toEqual({ imported: 2 })
  await deliverFacts(one, two, late)
  for (const lane of [one, two, late]) expect(priceAt(lane, 'C')).toBeUndefined()
})

test('a change that cannot be read is skipped and recorded, and later ones are applied', async () => {
  const [one, two] = await openTwo()
  price(one, 'A', 150)
  price(one, 'B', 250)
  const [first, second] = one.sentFacts()
  if (!first || !second) throw new Error('two were told')
  two.applyPulled({ ...first, body: { ...first.body, value: { item: { sku: 'A' } } } })
  two.applyPulled(second)
  await syncAll([two])
  expect([priceAt(two, 'A'), priceAt(two, 'B')]).toEqual([100, 250])
  expect(two.db.prepare('SELECT kind FROM store_aside').all()).toEqual([{ kind: 'catalog-item' }])
})

test('changes of an item are found by an index, and other lanes’ latest changes without sorting', async () => {
  const [{ db }] = await openTwo()
  const plan = (sql: string): string =>
    db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array.from({ length: sql.split('?').length - 1 }, () => 'A'))
      .map(({ detail }) => detail)
      .join('; ')
  for (const sql of Object.values(SHARED_QUERIES))
    expect(plan(sql)).toMatch(/^SEARCH \w+ USING (INDEX|PRIMARY KEY|COVERING)/)
  expect(plan(CHANGED_ELSEWHERE)).toMatch(/^SCAN store_register USING INDEX store_register_clock$/)
})

test('a lane continues to sell from its catalog while it waits for a file that no lane can send', async () => {
  const files = createMemoryFiles()
  let server: 'offline' | 'full' | 'online' = 'offline'
  const missing: typeof files.missing = async (file) =>
    server === 'online' ? files.missing(file) : server === 'full' ? 'full' : null
  const cut = { ...files, missing }
  const [one, two] = [
    await openLane(1, { files: cut, profileRows: [APPLE] }),
    await openLane(2, { files, profileRows: [APPLE] }),
  ]
  await one.import([APPLE, BREAD])
  two.takeMany(one.sentFacts())
  expect([await one.idle(), await two.idle()]).toEqual([false, false])
  expect(one.sync.state()).toEqual({ kind: 'unsent', fileName: 'prices.csv', lane: '01' })
  expect(two.sync.state()).toEqual({ kind: 'waiting', percent: 0, fileName: 'prices.csv', lane: '01' })
  expect(priceAt(two, 'B')).toBeUndefined()
  server = 'full'
  expect(await one.idle()).toBe(false)
  expect(one.sync.state()).toEqual({ kind: 'full', fileName: 'prices.csv', lane: '01' })
  server = 'online'
  await syncAll([one, two])
  expect([one.sync.state(), two.sync.state()]).toEqual([null, null])
  expect(priceAt(two, 'B')).toBe(200)
})

test('an import that replaces many changes updates the screens once', async () => {
  const [one, two] = await openTwo()
  for (let number = 1; number <= 45; number += 1) one.items.save({ how: 'add', item: itemOf(`I${number}`) }, 'sam')
  await deliverFacts(one, two)
  one.setAhead(HOUR)
  await one.import(NEW_PROFILE)
  let announced = 0
  two.catalog.onChange(() => (announced += 1))
  await deliverFacts(one, two)
  expect([priceAt(two, 'I1'), two.digest()]).toEqual([undefined, one.digest()])
  expect(announced).toBe(1)
})

test('the edits of an edition are read once, however many changes arrive', async () => {
  const [one, two] = await openTwo()
  await one.import([APPLE, BREAD])
  await deliverFacts(one, two)
  price(one, 'A', 150)
  await deliverFacts(one, two)
  // Lane 02 uses lane 01's file in an edition of its own, as after a profile that both applied.
  const asked: string[] = []
  const db = new Sqlite(two.db.name, { readonly: true, verbose: (sql) => asked.push(String(sql)) })
  onTestFinished(() => void db.close())
  const order = createImportOrder(db)
  const edition = { ...two.catalog.editions.byId(two.catalog.place().edition), id: 'own' }
  for (let fact = 0; fact < 20; fact += 1) order.sinceOf(edition)
  expect(asked.filter((sql) => sql.includes('store_catalog_base'))).toHaveLength(1)
})
