import { expect, test } from 'vitest'
import { CatalogState, ItemList, QuickKeys } from '../../contracts/catalog/catalog.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'
const CATALOG = ['A1,0628451101512,Milk,Lait,5.00,zero-rated,dairy,', 'B2,,Soap,Savon,2.00,standard,care,'].join('\n')

const openLane = (given: { folder?: string; staffId?: 'alex' } = {}): Promise<TerminalHarness> =>
  openTerminalHarness(central, { staffId: 'sam', catalog: CATALOG, ...given })

async function upload(lane: TerminalHarness, ...lines: string[]): Promise<CatalogState> {
  const answer = await lane.upload('/api/catalog/import?name=prices.csv', [HEAD, ...lines].join('\n'))
  expect(answer.status).toBe(202)
  for (;;) {
    const { body } = await lane.call('GET', '/api/catalog/state')
    const state = CatalogState.parse(body)
    if (state.import?.phase !== 'working') return state
    await lane.next()
  }
}

test('an import changes the price of lines rung after it, and no line that was rung before', async () => {
  const lane = await openLane()
  await lane.ring('A1')
  const { import: shown } = await upload(lane, 'A1,0628451101512,Milk,Lait,6.00,zero-rated,dairy,')
  expect(shown).toMatchObject({ phase: 'ready', counts: { price: 1, gone: 1 } })
  const differences = await lane.call('GET', '/api/catalog/import/differences?kind=gone')
  expect(differences.body).toMatchObject({ differences: [{ before: { sku: 'B2' } }] })
  expect((await lane.call('POST', '/api/catalog/import/apply', { id: shown?.id })).status).toBe(204)
  const sale = await lane.ring('A1')
  expect(sale.lines.map(({ unitPriceCents }) => unitPriceCents)).toEqual([500, 600])
  expect(await lane.refused('POST', '/api/sales/current/lines', { sku: 'B2', quantity: 1 })).toBe('item-unknown')
  const undone = await lane.call('POST', '/api/catalog/undo-import')
  expect(undone.body).toMatchObject({ current: { origin: 'profile' }, previous: null })
  expect((await lane.ring('B2')).lines.at(-1)).toMatchObject({ unitPriceCents: 200 })
  expect(await lane.refused('POST', '/api/catalog/undo-import')).toBe('nothing-to-undo')
})

test('a pending import that the manager drops does not change the catalog', async () => {
  const lane = await openLane()
  const { import: shown } = await upload(lane, 'A1,0628451101512,Milk,Lait,6.00,zero-rated,dairy,')
  expect((await lane.call('POST', '/api/catalog/import/drop', { id: shown?.id })).status).toBe(204)
  expect((await lane.call('GET', '/api/catalog/state')).body).toMatchObject({ import: null })
  expect((await lane.ring('A1')).lines.map(({ unitPriceCents }) => unitPriceCents)).toEqual([500])
})

test('a cashier can neither import a catalog, read its lists, nor remove an item', async () => {
  const lane = await openLane({ staffId: 'alex' })
  for (const path of ['/api/catalog/state', '/api/catalog/planned-prices', '/api/catalog/coupons'])
    expect(await lane.refused('GET', path)).toBe('manager-required')
  expect((await lane.upload('/api/catalog/import?name=x.csv', HEAD)).status).toBe(403)
  expect(await lane.refused('POST', '/api/catalog/items/remove', { sku: 'A1' })).toBe('manager-required')
})

test('a manager’s change of an item applies from the next scan on, and is in the audit trail', async () => {
  const lane = await openLane()
  const pie = {
    sku: 'PIE',
    barcode: '96385074',
    name: { 'en-CA': 'Apple pie', 'fr-CA': 'Tarte aux pommes' },
    priceCents: 899,
    openPrice: null,
    taxCategory: 'zero-rated',
    departmentId: 'bakery',
    categoryId: null,
  }
  const save = (how: string, item: object) => lane.call('POST', '/api/catalog/items', { how, item })
  expect((await save('add', pie)).body).toEqual({ item: pie })
  expect((await save('add', pie)).body.code).toBe('item-sku-used')
  expect((await save('change', { ...pie, sku: 'NONE' })).body.code).toBe('item-unknown')
  const stale = { how: 'change', item: { ...pie, priceCents: 1 }, seen: { ...pie, priceCents: 1099 } }
  expect(await lane.refused('POST', '/api/catalog/items', stale)).toBe('changed-meanwhile')
  expect((await save('add', { ...pie, sku: 'P2' })).body.code).toBe('item-barcode-used')
  for (const barcode of ['96385075', '1234567', '123456789', '12345678901', '36000.0'])
    expect((await save('change', { ...pie, barcode })).body.code, barcode).toBe('item-barcode-wrong')
  for (const taken of ['80000000011', 'STAFF-A10001', '4111111111111111'])
    expect((await save('change', { ...pie, barcode: taken })).status).toBe(400)
  expect((await save('change', { ...pie, barcode: 'STAFF-A10001' })).body.code).toBe('code-not-scannable')
  for (const bad of [
    { priceCents: -1 },
    { name: { 'en-CA': '', 'fr-CA': 'x' } },
    { departmentId: ' ' },
    { openPrice: { leastCents: 2, mostCents: 1 } },
    { minimumAge: 0 },
    { sku: 'milepost:gift-card' },
  ])
    expect((await save('change', { ...pie, ...bad })).body.code).toBe('body-invalid')
  expect((await save('change', { ...pie, minimumAge: 18 })).body).toEqual({ item: { ...pie, minimumAge: 18 } })
  expect((await save('change', pie)).body).toEqual({ item: pie })
  const name = { 'en-CA': 'Cherry pie', 'fr-CA': 'Tarte aux cerises' }
  const cherry = await save('change', { ...pie, name, priceCents: 999, barcode: '36000291469' })
  expect(cherry.body).toMatchObject({ item: { barcode: '036000291469' } })
  expect((await lane.call('POST', '/api/catalog/items/search', { q: 'apple' })).body).toEqual({ items: [] })
  expect((await lane.call('POST', '/api/catalog/items/search', { q: 'cerises' })).body).toMatchObject({
    items: [{ priceCents: 999 }],
  })
  expect((await lane.ring('PIE')).lines[0]).toMatchObject({ unitPriceCents: 999 })
  await lane.call('POST', '/api/catalog/items/remove', { sku: 'PIE' })
  expect(await lane.refused('POST', '/api/catalog/items/remove', { sku: 'PIE' })).toBe('item-unknown')
  expect((await lane.call('GET', '/api/catalog/state')).body).toMatchObject({ current: { changes: 5 } })
  const trail = lane.read<{ kind: string; before: string | null; after: string | null }>(
    `SELECT kind, detail ->> '$.before' AS before, detail ->> '$.after' AS after FROM audit_entry
      WHERE subject = 'PIE' ORDER BY id`,
  )
  expect(trail.map(({ kind, before, after }) => [kind, before !== null, after !== null])).toEqual([
    ['catalog-item-added', false, true],
    ...Array.from({ length: 3 }, () => ['catalog-item-changed', true, true]),
    ['catalog-item-removed', true, false],
  ])
  const { folder } = lane
  await lane.close()
  const again = await openLane({ folder })
  expect(await again.refused('POST', '/api/catalog/items/remove', { sku: 'PIE' })).toBe('item-unknown')
})

test('changing the price of an item keeps its later planned price, which can be cancelled', async () => {
  const lane = await openLane()
  const milk = ItemList.parse((await lane.call('POST', '/api/catalog/items/search', { q: 'A1' })).body).items[0]
  const plan = { sku: 'A1', priceCents: 700, from: '2099-01-01T00:00' }
  expect((await lane.call('POST', '/api/catalog/planned-prices', plan)).status).toBe(204)
  expect((await lane.call('GET', '/api/catalog/planned-prices')).body).toMatchObject({
    prices: [{ sku: 'A1', priceCents: 500, plannedCents: 700, fromAt: '2099-01-01T05:00:00.000Z' }],
  })
  await lane.call('POST', '/api/catalog/items', { how: 'change', item: { ...milk, priceCents: 550 } })
  expect((await lane.call('GET', '/api/catalog/planned-prices')).body).toMatchObject({ prices: [{ priceCents: 550 }] })
  const cancelled = { sku: 'A1', fromAt: '2099-01-01T05:00:00.000Z' }
  await lane.call('POST', '/api/catalog/planned-prices/cancel', cancelled)
  expect((await lane.call('GET', '/api/catalog/planned-prices')).body).toMatchObject({ prices: [] })
})

test('quick keys that a manager arranges are stored, and can be reset to those of the profile', async () => {
  const lane = await openLane()
  const keys = async (): Promise<string[]> =>
    QuickKeys.parse((await lane.call('GET', '/api/catalog/quick-keys')).body).departments.flatMap(({ items }) =>
      items.map(({ sku }) => sku),
    )
  expect((await keys()).toSorted()).toEqual(['A1', 'B2'])
  const save = (skus: string[] | null) =>
    lane.call('POST', '/api/catalog/quick-key-lists', { departmentId: 'care', skus })
  expect((await save(['A1', 'B2'])).body.departments).toContainEqual(
    expect.objectContaining({
      id: 'care',
      from: 'lane',
      items: [expect.objectContaining({ sku: 'A1' }), expect.anything()],
    }),
  )
  expect(await keys()).toEqual(expect.arrayContaining(['A1', 'B2', 'A1']))
  expect((await save(['NONE'])).body.code).toBe('item-unknown')
  const stale = { departmentId: 'care', skus: ['B2'], seen: ['B2', 'A1'] }
  expect(await lane.refused('POST', '/api/catalog/quick-key-lists', stale)).toBe('changed-meanwhile')
  expect((await save(null)).status).toBe(200)
  expect((await keys()).toSorted()).toEqual(['A1', 'B2'])
})

test('a manager’s added, changed or removed coupon counts at once, also a coupon of the profile', async () => {
  const fall = { code: 'FALL', name: { 'en-CA': 'Fall', 'fr-CA': 'Automne' }, percent: 10 }
  const lane = await openTerminalHarness(central, { staffId: 'sam', catalog: CATALOG, coupons: [fall] })
  await lane.ring('B2')
  const save = (how: string, coupon: object) => lane.call('POST', '/api/catalog/coupons', { how, coupon })
  const take = async (code: string) => (await lane.call('POST', '/api/sales/current/coupons', { code })).body
  expect((await lane.call('GET', '/api/catalog/coupons')).body).toEqual({
    coupons: [{ coupon: fall, from: 'profile' }],
  })
  expect((await save('add', { ...fall, code: 'fall' })).body.code).toBe('coupon-code-used')
  expect((await save('add', { ...fall, code: 'BOTH', dollars: 1 })).body.code).toBe('body-invalid')
  expect((await save('add', { ...fall, code: 'GONE', sku: 'NONE' })).body.code).toBe('item-unknown')
  const stale = { how: 'change', coupon: { ...fall, percent: 50 }, seen: { ...fall, percent: 20 } }
  expect(await lane.refused('POST', '/api/catalog/coupons', stale)).toBe('changed-meanwhile')
  expect((await lane.call('POST', '/api/catalog/coupons', { ...stale, seen: fall })).status).toBe(200)
  await save('add', { code: 'SOAP-1', name: fall.name, dollars: 0.5, sku: 'B2' })
  expect((await take('fall')).sale.totals).toMatchObject({ subtotalCents: 100 })
  expect((await take('SOAP-1')).sale.discounts).toHaveLength(2)
  await lane.call('POST', '/api/catalog/coupons/remove', { code: 'FALL' })
  expect((await lane.call('GET', '/api/catalog/coupons')).body.coupons).toHaveLength(1)
  expect((await take('FALL')).code).toBe('coupon-unknown')
})
