import { expect, test } from 'vitest'
import { CatalogState, ItemList } from '../../../contracts/catalog/catalog.ts'
import { SettingList } from '../../../contracts/staff/settings.ts'
import { LOST_KINDS } from '../../../contracts/operations/kinds.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { openTestDatabase } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { CATALOG_HEAD } from '../../catalog/catalog.fixture.ts'
import { backUp, countOf, restoreRequestOf, preview } from './backups.fixture.ts'
import { LEFT_OUT, NAMED, WITHIN } from '../restore/restore-tables.ts'

const central = useCentral()

test('every table is in the restore preview, on its own or with another table, or is named as left out', async () => {
  const db = await openTestDatabase()
  const tables = db
    .prepare<[], string>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .pluck()
    .all()
  const grouped = [...Object.keys(NAMED), ...Object.keys(WITHIN), ...LEFT_OUT]
  expect(grouped.toSorted()).toEqual(tables)
  for (const [table, within] of Object.entries(WITHIN)) expect(NAMED, table).toHaveProperty(within)
  expect(new Set(Object.values(NAMED).flatMap(({ lost }) => lost))).toEqual(new Set(LOST_KINDS))
})

const CATALOG = ['A1,,Milk,Lait,5.00,zero-rated,dairy,', 'B2,,Soap,Savon,2.00,standard,care,'].join('\n')
const COUPON_NAME = { 'en-CA': 'Fall', 'fr-CA': 'Automne' }
const PROMOTION = {
  id: 'fall',
  names: COUPON_NAME,
  items: { kind: 'all' },
  reward: { kind: 'percent', ppm: 50_000 },
}
const COUPON = { code: 'FALL', name: COUPON_NAME, percent: 10 }

async function catalogState(lane: TerminalHarness): Promise<CatalogState> {
  return CatalogState.parse((await lane.call('GET', '/api/catalog/state')).body)
}

async function importPrices(lane: TerminalHarness): Promise<void> {
  const lines = [CATALOG_HEAD, 'A1,,Milk,Lait,6.00,zero-rated,dairy,'].join('\n')
  expect((await lane.upload('/api/catalog/import?name=prices.csv', lines)).status).toBe(202)
  for (;;) {
    const { import: shown } = await catalogState(lane)
    if (shown?.phase === 'ready') {
      await lane.call('POST', '/api/catalog/import/apply', { id: shown.id })
      return
    }
    await lane.next()
  }
}

async function changeItem(lane: TerminalHarness): Promise<void> {
  const [milk] = ItemList.parse((await lane.call('POST', '/api/catalog/items/search', { q: 'A1' })).body).items
  await lane.call('POST', '/api/catalog/items', { how: 'change', item: { ...milk, priceCents: 550 } })
}

async function changeHeader(lane: TerminalHarness): Promise<void> {
  const { settings } = SettingList.parse((await lane.call('GET', '/api/settings')).body)
  const seen = settings.find(({ name }) => name === 'receipt.header')?.newest
  const to = { kind: 'value', value: ['Open late'] }
  await lane.call('PUT', '/api/settings/receipt.header', { seen, to, from: null })
}

async function giveBadge(lane: TerminalHarness): Promise<void> {
  const { stream } = lane
  await lane.call('POST', '/api/input/claims', { what: 'badges', claimed: true, stream })
  await lane.call('POST', '/api/devices/keys', { text: 'STAFF-00A1B2C3' })
  const { readId } = await lane.event(
    (event): event is Extract<TerminalEvent, { type: 'badge-claimed' }> => event.type === 'badge-claimed',
  )
  await lane.call('POST', '/api/input/claims', { what: 'badges', claimed: false, stream })
  await lane.call('PUT', '/api/people/alex/badge', { readId })
}

const CHANGES: readonly (readonly [string, (lane: TerminalHarness) => Promise<unknown>])[] = [
  ['settings', changeHeader],
  ['badges', giveBadge],
  ['imports', importPrices],
  ['items', changeItem],
  [
    'planned-prices',
    (lane) =>
      lane.call('POST', '/api/catalog/planned-prices', { sku: 'A1', priceCents: 700, from: '2099-01-01T00:00' }),
  ],
  ['promotions', (lane) => lane.call('POST', '/api/catalog/promotions', { how: 'add', promotion: PROMOTION })],
  ['coupons', (lane) => lane.call('POST', '/api/catalog/coupons', { how: 'add', coupon: COUPON })],
  ['quick-keys', (lane) => lane.call('POST', '/api/catalog/quick-key-lists', { departmentId: 'dairy', skus: ['A1'] })],
  ['unfinished', (lane) => lane.ring('A1')],
]

test('a restore is refused after a change since its preview; the next preview counts that change by kind', async () => {
  const restart = (): void => undefined
  const lane = await openTerminalHarness(central, {
    staffId: 'sam',
    catalog: CATALOG,
    signIn: { badges: true },
    restart,
  })
  const name = await backUp(lane)
  let shown = await preview(lane, name)
  expect(countOf(shown)).toEqual({})
  const expected: Record<string, number> = {}
  for (const [kind, change] of CHANGES) {
    await change(lane)
    expect(await lane.refused('POST', '/api/backups/restore', restoreRequestOf(shown)), kind).toBe('restore-changed')
    shown = await preview(lane, name)
    expected[kind] = 1
    expect(countOf(shown)).toEqual(expected)
  }
  const named = Object.fromEntries(shown.lost.flatMap(({ kind, newest }) => newest.map((one) => [kind, one])))
  expect(named).toMatchObject({
    settings: { id: 'receipt.header' },
    badges: { detail: 'assigned' },
    imports: { id: 'prices.csv' },
    items: { id: 'A1', detail: 'changed' },
    'planned-prices': { id: 'A1', at: '2099-01-01T05:00:00.000Z', detail: '700' },
    coupons: { id: 'FALL', detail: 'changed' },
    promotions: { id: 'fall', detail: 'changed' },
    'quick-keys': { id: 'dairy' },
  })
  expect((await lane.call('POST', '/api/backups/restore', restoreRequestOf(shown))).status).toBe(200)
})

test('a restore preview names an import undone and quick keys reset since the backup', async () => {
  const lane = await openTerminalHarness(central, { staffId: 'sam', catalog: CATALOG })
  await importPrices(lane)
  await lane.call('POST', '/api/catalog/quick-key-lists', { departmentId: 'dairy', skus: ['A1'] })
  const name = await backUp(lane)
  await lane.call('POST', '/api/catalog/undo-import')
  await lane.call('POST', '/api/catalog/quick-key-lists', { departmentId: 'dairy', skus: null })
  const shown = await preview(lane, name)
  expect(countOf(shown)).toEqual({ imports: 1, 'quick-keys': 1 })
  expect(shown.lost.find(({ kind }) => kind === 'imports')?.newest).toMatchObject([
    { id: 'prices.csv', detail: 'undone' },
  ])
})
