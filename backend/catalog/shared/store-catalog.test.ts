import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { CatalogElsewhere, CatalogState, ItemList, PlannedList } from '../../../contracts/catalog/catalog.ts'
import { EMPTY, writeState } from '../../../packages/delivery/stored-bundles.ts'
import { systemClock, type Clock } from '../../core/clock.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const LANES = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10'] as const
const store = useStore(...LANES)
const HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'
const CATALOG = ['A1,0628451101512,Milk,Lait,5.00,zero-rated,dairy,', 'B2,,Soap,Savon,2.00,standard,care,'].join('\n')
const SOON = { timeout: 2_000, interval: 20 }
const LATER = { timeout: 60_000, interval: 50 }
type Skip = Parameters<typeof store.place>[0]

const openLane = (skip: Skip, laneId: string, folder?: string, catalog = CATALOG, clock: Clock = systemClock) =>
  openTerminalHarness(central, {
    staffId: 'sam',
    catalog,
    store: store.place(skip, laneId),
    laneId,
    clock,
    ...(folder === undefined ? {} : { folder }),
  })
const connected = (...lanes: readonly TerminalHarness[]) =>
  Promise.all(
    lanes.map((lane) =>
      vi.waitFor(
        async () =>
          expect((await lane.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected', untold: 0, aside: 0 }),
        LATER,
      ),
    ),
  )
const find = async (lane: TerminalHarness, sku: string) =>
  ItemList.parse((await lane.call('POST', '/api/catalog/items/search', { q: sku })).body).items.find(
    (item) => item.sku === sku,
  )
const state = async (lane: TerminalHarness) => CatalogState.parse((await lane.call('GET', '/api/catalog/state')).body)
const elsewhere = async (lane: TerminalHarness) =>
  CatalogElsewhere.parse((await lane.call('GET', '/api/catalog/elsewhere')).body)
const pie = (sku: string, given: object = {}) => ({
  sku,
  barcode: null,
  name: { 'en-CA': `Pie ${sku}`, 'fr-CA': `Tarte ${sku}` },
  priceCents: 899,
  openPrice: null,
  taxCategory: 'zero-rated',
  departmentId: 'bakery',
  categoryId: null,
  ...given,
})
async function save(lane: TerminalHarness, how: 'add' | 'change', item: object): Promise<void> {
  expect((await lane.call('POST', '/api/catalog/items', { how, item })).status).toBe(200)
}
async function importFile(lane: TerminalHarness, fileName: string, ...lines: string[]): Promise<void> {
  const bytes = [HEAD, ...lines].join('\n')
  expect((await lane.upload(`/api/catalog/import?name=${fileName}`, bytes)).status).toBe(202)
  const shown = await vi.waitFor(async () => {
    const { import: found } = await state(lane)
    if (found?.phase !== 'ready') throw new Error(`it is ${found?.phase ?? 'gone'}`)
    return found
  }, LATER)
  expect((await lane.call('POST', '/api/catalog/import/apply', { id: shown.id })).status).toBe(204)
}

test('changes of items and planned prices at one lane reach the other lanes within two seconds', async ({ skip }) => {
  const [one, two] = [await openLane(skip, '01'), await openLane(skip, '02')]
  await connected(one, two)
  await save(one, 'add', pie('PIE', { barcode: '96385074' }))
  await vi.waitFor(async () => expect(await find(two, 'PIE')).toMatchObject({ priceCents: 899 }), SOON)
  expect((await two.ring('PIE')).lines[0]).toMatchObject({ unitPriceCents: 899 })
  expect(await elsewhere(two)).toMatchObject({
    isOfStore: true,
    items: [{ sku: 'PIE', elsewhere: { lane: '01', by: 'Sam Okafor', inPlaceOf: null } }],
    barcodes: [],
  })
  expect(await elsewhere(one)).toMatchObject({ isOfStore: true, items: [] })

  const plan = { sku: 'A1', priceCents: 700, from: '2099-01-01T00:00' }
  expect((await two.call('POST', '/api/catalog/planned-prices', plan)).status).toBe(204)
  const planned = async (lane: TerminalHarness) =>
    PlannedList.parse((await lane.call('GET', '/api/catalog/planned-prices')).body).prices
  await vi.waitFor(
    async () => expect(await planned(one)).toMatchObject([{ plannedCents: 700, elsewhere: { lane: '02' } }]),
    SOON,
  )
  const [{ sku, fromAt } = { sku: '', fromAt: '' }] = await planned(one)
  expect((await one.call('POST', '/api/catalog/planned-prices/cancel', { sku, fromAt })).status).toBe(204)
  await vi.waitFor(async () => expect(await planned(two)).toEqual([]), SOON)
  expect((await two.call('POST', '/api/catalog/items/remove', { sku: 'PIE' })).status).toBe(200)
  await vi.waitFor(async () => expect(await find(one, 'PIE')).toBeUndefined(), SOON)
  const trail = one.read<{ kind: string; lane: string }>(
    `SELECT kind, detail ->> '$.lane' AS lane FROM audit_entry WHERE kind GLOB 'catalog-*'
      AND kind <> 'catalog-imported'
      ORDER BY id`,
  )
  expect(trail).toEqual([
    { kind: 'catalog-item-added', lane: null },
    { kind: 'catalog-price-planned', lane: '02' },
    { kind: 'catalog-price-cancelled', lane: null },
    { kind: 'catalog-item-removed', lane: '02' },
  ])
})

test('disconnected lanes add two items with one barcode: the later keeps it, and managers see this', async ({
  skip,
}) => {
  let passed = 0
  const monotonic = () => systemClock.monotonic() + passed
  const later = { ...systemClock, monotonic }
  const [one, two] = [await openLane(skip, '03'), await openLane(skip, '04', undefined, CATALOG, later)]
  await connected(one, two)
  store.freeze()
  await save(one, 'add', pie('P1', { barcode: '96385074' }))
  await save(one, 'change', pie('B2', { priceCents: 210 }))
  // A lane knows the store's time only with an error of some milliseconds (the latency of answers), so the clock of
  // lane two is set ahead to make its changes the later ones.
  passed = 10_000
  await save(two, 'add', pie('P2', { barcode: '96385074' }))
  await save(two, 'change', pie('B2', { priceCents: 220 }))
  store.thaw()
  for (const lane of [one, two]) {
    await vi.waitFor(async () => expect(await find(lane, 'B2')).toMatchObject({ priceCents: 220 }), LATER)
    await vi.waitFor(async () => {
      expect(await find(lane, 'P2')).toMatchObject({ barcode: '96385074' })
      expect(await find(lane, 'P1')).toMatchObject({ barcode: null })
      const { barcodes } = await elsewhere(lane)
      expect(barcodes).toMatchObject([{ sku: 'P1', barcode: '96385074', toSku: 'P2' }])
    }, LATER)
  }
  expect((await elsewhere(one)).items).toContainEqual(
    expect.objectContaining({ sku: 'B2', elsewhere: { lane: '04', by: 'Sam Okafor', inPlaceOf: 'Sam Okafor' } }),
  )
  const overruled = one.read<{ detail: string }>(
    "SELECT detail FROM audit_entry WHERE kind = 'catalog-item-changed' AND subject = 'B2' ORDER BY id DESC LIMIT 1",
  )
  const [both] = overruled.map(({ detail }) => JSON.parse(detail) as Record<string, string>)
  expect(both).toMatchObject({ lane: '04', overruled: true })
  expect([both?.['before'], both?.['after']].map((text) => JSON.parse(text ?? '{}').priceCents)).toEqual([210, 220])

  // When P2 gets another barcode, P1 gets back the free barcode, at both lanes.
  await save(two, 'change', pie('P2', { barcode: '4006381333931' }))
  for (const lane of [one, two])
    await vi.waitFor(async () => {
      expect(await find(lane, 'P1')).toMatchObject({ barcode: '96385074' })
      expect((await elsewhere(lane)).barcodes).toEqual([])
    }, LATER)
})

test('every lane gets an import, and a lane that was off or is new gets it with later edits', async ({ skip }) => {
  const [one, two] = [await openLane(skip, '05'), await openLane(skip, '06')]
  await connected(one, two)
  const { folder } = two
  await importFile(
    one,
    'first.csv',
    'A1,0628451101512,Milk,Lait,6.00,zero-rated,dairy,',
    'C3,,Tea,Thé,3.00,standard,x,',
  )
  await vi.waitFor(
    async () =>
      expect(await state(two)).toMatchObject({
        current: { fileName: 'first.csv', items: 2, elsewhere: { lane: '05', by: 'Sam Okafor' } },
        previous: { origin: 'profile' },
        ofStore: null,
      }),
    LATER,
  )
  expect(await find(two, 'B2')).toBeUndefined()
  expect((await two.ring('C3')).lines[0]).toMatchObject({ unitPriceCents: 300 })
  await two.close()
  await importFile(one, 'second.csv', 'A1,,Milk,Lait,6.50,zero-rated,dairy,', 'D4,,Jam,Confiture,4.00,standard,x,')
  await importFile(one, 'third.csv', 'A1,,Milk,Lait,7.00,zero-rated,dairy,', 'D4,,Jam,Confiture,4.50,standard,x,')
  await save(one, 'change', pie('D4', { priceCents: 475 }))
  const lanes = [await openLane(skip, '06', folder), await openLane(skip, '07')]
  for (const lane of lanes)
    await vi.waitFor(async () => {
      expect(await state(lane)).toMatchObject({ current: { fileName: 'third.csv' }, ofStore: null })
      expect(await find(lane, 'D4')).toMatchObject({ priceCents: 475 })
      expect(await find(lane, 'A1')).toMatchObject({ priceCents: 700 })
    }, LATER)
  const stored = await store.query('SELECT count(*)::int AS files FROM catalog_file WHERE is_whole')
  expect(stored).not.toEqual([{ files: 0 }])

  // The other lanes restore the previous catalog too.
  expect((await one.call('POST', '/api/catalog/undo-import')).status).toBe(200)
  for (const lane of lanes)
    await vi.waitFor(
      async () => expect(await state(lane)).toMatchObject({ current: { fileName: 'second.csv' } }),
      LATER,
    )
})

test('the store’s catalog stays when a lane falls back to the previous bundle by itself', async ({ skip }) => {
  const lane = await openLane(skip, '10')
  await connected(lane)
  const { folder } = lane
  const sentImports = (at: TerminalHarness) => at.read("SELECT id FROM store_change WHERE kind = 'catalog-import'")
  const before = sentImports(lane)
  await lane.close()
  const notice = { kind: 'damaged', id: 'a'.repeat(64), number: 7, at: '2026-11-25T15:00:00Z', words: [] } as const
  mkdirSync(join(folder, 'bundles'), { recursive: true })
  writeState(folder, { ...EMPTY, notice: { ...notice, words: [] } })
  const again = await openLane(skip, '10', folder, 'Z9,,Old,Ancien,1.00,standard,x,')
  expect(await find(again, 'Z9')).toBeUndefined()
  expect(sentImports(again)).toEqual(before)
})

test('an import made while PostgreSQL was down reaches all lanes, and keeps a lane’s later edit', async ({ skip }) => {
  const [one, two] = [await openLane(skip, '08'), await openLane(skip, '09')]
  await connected(one, two)
  // The store still has the catalog of the tests before, so a new base is imported first. It has one more item than the
  // file with which a lane starts, because a lane keeps the name of a file with equal content.
  await importFile(one, 'base.csv', ...CATALOG.split('\n'), 'A9,,Salt,Sel,2.00,zero-rated,dairy,')
  await vi.waitFor(
    async () => expect(await state(two)).toMatchObject({ current: { fileName: 'base.csv' }, ofStore: null }),
    LATER,
  )
  await store.killPostgres()
  await importFile(one, 'apart.csv', 'A1,,Milk,Lait,6.00,zero-rated,dairy,')
  await save(two, 'change', pie('B2', { priceCents: 250 }))
  await vi.waitFor(async () => expect(await state(one)).toMatchObject({ ofStore: { kind: 'unsent' } }), LATER)
  await store.restartPostgres()
  for (const lane of [one, two])
    await vi.waitFor(async () => {
      expect(await state(lane)).toMatchObject({ current: { fileName: 'apart.csv' }, ofStore: null })
      expect(await find(lane, 'A1')).toMatchObject({ priceCents: 600 })
      // The import does not contain item B2, which was changed later and therefore stays.
      expect(await find(lane, 'B2')).toMatchObject({ priceCents: 250 })
    }, LATER)
})
