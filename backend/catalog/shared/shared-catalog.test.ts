import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { cents } from '../../../contracts/core/money.ts'
import { createKeptFiles, itemOf, settleAll } from '../../../packages/lab/testing/catalog-lane.ts'
import { createImportOrder } from './import-order.ts'
import { APPLE, BREAD, hear, openLane, openLanes, openTwo, price, priceAt } from './lanes.fixture.ts'
import { SHARED_QUERIES } from './rows.ts'
import { CHANGED_ELSEWHERE } from '../catalog-views.ts'

const HOUR = 3_600_000
const NEW_PROFILE = [APPLE, BREAD, 'C,,Cheese,Fromage,3.00,standard,x,']

test('barcodes that change hands arrive together, whoever gave them up first', async () => {
  const [one, two] = await openTwo()
  for (const [sku, barcode] of [
    ['A', null],
    ['B', 'PLU-1'],
    ['A', 'PLU-2'],
  ] as const)
    one.items.save({ how: 'change', item: itemOf(sku, { barcode }) }, 'sam')
  await hear(one, two)
  expect([two.catalog.findByBarcode('PLU-1')?.sku, two.catalog.findByBarcode('PLU-2')?.sku]).toEqual(['B', 'A'])
  expect(two.digest()).toBe(one.digest())
  expect(two.lost()).toEqual([])
})

test('a barcode of two items is the later one’s; a manager is told; it is back when it is free', async () => {
  const [one, two] = await openTwo()
  one.items.save({ how: 'add', item: itemOf('P1', { barcode: 'PLU-9' }) }, 'sam')
  two.runs(1_000)
  two.items.save({ how: 'add', item: itemOf('P2', { barcode: 'PLU-9' }) }, 'sam')
  await hear(one, two)
  for (const lane of [one, two]) {
    expect(lane.catalog.findByBarcode('PLU-9')?.sku).toBe('P2')
    expect(lane.catalog.findBySku('P1')).toMatchObject({ barcode: null })
    expect(lane.views.list().barcodes).toMatchObject([{ sku: 'P1', barcode: 'PLU-9', toSku: 'P2' }])
    expect(lane.trail('catalog-barcode-lost')).toEqual([{ subject: 'P1', detail: { barcode: 'PLU-9', to: 'P2' } }])
  }
  two.items.remove('P2', 'sam')
  await hear(one, two)
  for (const lane of [one, two]) {
    expect(lane.catalog.findByBarcode('PLU-9')?.sku).toBe('P1')
    expect(lane.views.list().barcodes).toEqual([])
  }
})

test('a planned price begins at a lane that is apart, and is not revived by who adds the item again', async () => {
  const [one, two] = await openTwo()
  one.planned.plan({ sku: 'A', priceCents: cents(500), from: '2026-11-21T00:00' }, 'sam')
  one.planned.plan({ sku: 'B', priceCents: cents(500), from: '2026-11-21T00:00' }, 'sam')
  await hear(one, two)
  two.items.remove('B', 'sam')
  one.runs(1_000)
  await hear(one, two)
  one.items.save({ how: 'add', item: itemOf('B') }, 'sam')
  await hear(one, two)
  for (const lane of [one, two]) {
    lane.runs(20 * HOUR)
    expect([priceAt(lane, 'A'), priceAt(lane, 'B')]).toEqual([500, 100])
  }
})

test('an import ends what was changed apart before it: the lane says so, with the items', async () => {
  const [one, two] = await openTwo()
  price(two, 'A', 150)
  one.runs(1_000)
  await one.import([APPLE, BREAD, 'T,,Tea,Thé,4.00,standard,x,'])
  two.runs(2_000)
  price(two, 'B', 250)
  await hear(one, two)
  for (const lane of [one, two])
    expect([priceAt(lane, 'A'), priceAt(lane, 'B'), priceAt(lane, 'T')]).toEqual([100, 250, 400])
  expect(two.digest()).toBe(one.digest())
  expect(two.trail('catalog-imported').at(-1)).toEqual({
    subject: 'prices.csv',
    detail: { items: 3, lane: '01', overruled: true, skus: 'A' },
  })
  expect(two.views.importedAt(two.catalog.place().edition)).toMatchObject({ elsewhere: { lane: '01' }, lost: 1 })
})

test('an undone import is undone at every lane, with what was edited of the catalog before it', async () => {
  const [one, two] = await openTwo()
  price(one, 'A', 150)
  await hear(one, two)
  await one.import(['T,,Tea,Thé,4.00,standard,x,'])
  await hear(one, two)
  expect(priceAt(two, 'A')).toBeUndefined()
  price(two, 'T', 450)
  one.runs(1_000)
  await one.imports.undo('sam', () => undefined)
  await hear(one, two)
  for (const lane of [one, two]) {
    expect([priceAt(lane, 'A'), priceAt(lane, 'B'), priceAt(lane, 'T')]).toEqual([150, 200, undefined])
    expect(lane.imports.state().previous).toBeNull()
  }
  expect(two.digest()).toBe(one.digest())
})

test('a catalog of which every item was removed is not brought back, and who tries is told', async () => {
  const [one] = await openTwo()
  for (const sku of ['A', 'B']) one.items.remove(sku, 'sam')
  await one.import(NEW_PROFILE)
  await expect(one.imports.undo('sam', () => undefined)).rejects.toMatchObject({ code: 'catalog-before-empty' })
  expect(priceAt(one, 'C')).toBe(300)
})

test('what an import fails of is what is said of it', async () => {
  const [one] = await openTwo()
  one.db.exec("CREATE TRIGGER full BEFORE INSERT ON catalog_edition BEGIN SELECT RAISE (ABORT, 'no room'); END")
  await expect(one.import(NEW_PROFILE)).rejects.toThrow('no room')
})

test('a profile counts from when the first lane takes it over: a late one ends no change since', async () => {
  const [one, two, late] = await openLanes(3)
  if (!one || !two || !late) throw new Error('there are three')
  one.runs(HOUR)
  expect(await one.begin(NEW_PROFILE)).toEqual({ imported: 3 })
  two.runs(2 * HOUR)
  await hear(one, two)
  price(two, 'C', 350)
  late.runs(5 * HOUR)
  expect(await late.begin(NEW_PROFILE)).toEqual({ imported: 3 })
  await hear(one, two, late)
  for (const lane of [one, two, late]) expect(priceAt(lane, 'C')).toBe(350)
  // It has heard of the file before its own bundle brings it.
  expect(await two.begin(NEW_PROFILE)).toEqual({ unchanged: true })
  expect(priceAt(two, 'C')).toBe(350)
  // Back to the one before, as a bundle is undone.
  one.runs(6 * HOUR)
  expect(await one.begin([APPLE, BREAD])).toEqual({ imported: 2 })
  await hear(one, two, late)
  for (const lane of [one, two, late]) expect(priceAt(lane, 'C')).toBeUndefined()
})

test('a change that cannot be read is set aside, and holds nothing up', async () => {
  const [one, two] = await openTwo()
  price(one, 'A', 150)
  price(one, 'B', 250)
  const [first, second] = one.tells()
  if (!first || !second) throw new Error('two were told')
  two.hear({ ...first, body: { ...first.body, value: { item: { sku: 'A' } } } })
  two.hear(second)
  await settleAll([two])
  expect([priceAt(two, 'A'), priceAt(two, 'B')]).toEqual([100, 250])
  expect(two.db.prepare('SELECT kind FROM store_aside').all()).toEqual([{ kind: 'catalog-item' }])
})

test('what was said of an item is found by an index, and what other lanes changed last without sorting', async () => {
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

test('a file that nobody can bring is waited for, and what was sold is sold on', async () => {
  const files = createKeptFiles()
  let server: 'away' | 'full' | 'there' = 'away'
  const missing: typeof files.missing = async (file) =>
    server === 'there' ? files.missing(file) : server === 'full' ? 'full' : null
  const cut = { ...files, missing }
  const [one, two] = [await openLane(1, { files: cut, begins: [APPLE] }), await openLane(2, { files, begins: [APPLE] })]
  await one.import([APPLE, BREAD])
  two.takeMany(one.tells())
  expect([await one.settled(), await two.settled()]).toEqual([false, false])
  expect(one.sync.state()).toEqual({ kind: 'unsent', fileName: 'prices.csv', lane: '01' })
  expect(two.sync.state()).toEqual({ kind: 'waiting', percent: 0, fileName: 'prices.csv', lane: '01' })
  expect(priceAt(two, 'B')).toBeUndefined()
  server = 'full'
  expect(await one.settled()).toBe(false)
  expect(one.sync.state()).toEqual({ kind: 'full', fileName: 'prices.csv', lane: '01' })
  server = 'there'
  await settleAll([one, two])
  expect([one.sync.state(), two.sync.state()]).toEqual([null, null])
  expect(priceAt(two, 'B')).toBe(200)
})

test('an import that ends many changes is announced as what it is, not once more for every few of them', async () => {
  const [one, two] = await openTwo()
  for (let number = 1; number <= 45; number += 1) one.items.save({ how: 'add', item: itemOf(`I${number}`) }, 'sam')
  await hear(one, two)
  one.runs(HOUR)
  await one.import(NEW_PROFILE)
  let announced = 0
  two.catalog.onChange(() => (announced += 1))
  await hear(one, two)
  expect([priceAt(two, 'I1'), two.digest()]).toEqual([undefined, one.digest()])
  expect(announced).toBe(1)
})

test('the edits of an edition are looked through once, however many changes come', async () => {
  const [one, two] = await openTwo()
  await one.import([APPLE, BREAD])
  await hear(one, two)
  price(one, 'A', 150)
  await hear(one, two)
  // Lane 02 sells by the file of lane 01 under an edition of its own, as after a profile that both took over.
  const asked: string[] = []
  const db = new Sqlite(two.db.name, { readonly: true, verbose: (sql) => asked.push(String(sql)) })
  onTestFinished(() => void db.close())
  const order = createImportOrder(db)
  const edition = { ...two.catalog.editions.byId(two.catalog.place().edition), id: 'own' }
  for (let fact = 0; fact < 20; fact += 1) order.sinceOf(edition)
  expect(asked.filter((sql) => sql.includes('store_catalog_base'))).toHaveLength(1)
})
