import { expect, test } from 'vitest'
import { AuditPage } from '../../contracts/staff/audit.ts'
import { systemClock } from '../core/clock.ts'
import { localDateTimeAt, parseDateTime } from '../core/zone.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { isEarly } from './planned-prices.ts'

const central = useCentral()
const HOUR = 3_600_000
const DAY = 24 * HOUR

async function openLane() {
  let offset = 0
  const lane = await openTerminalHarness(central, {
    staffId: 'sam',
    catalog: 'A1,,Milk,Lait,5.00,zero-rated,dairy,\nB2,,Soap,Savon,2.00,standard,care,',
    clock: { ...systemClock, now: () => systemClock.now() + offset },
  })
  const from = localDateTimeAt(Date.now() + HOUR, 'America/Toronto')
    .toString()
    .slice(0, 16)
  expect((await lane.call('POST', '/api/catalog/planned-prices', { sku: 'A1', priceCents: 700, from })).status).toBe(
    204,
  )
  return {
    from,
    set: (ms: number): void => {
      offset = ms
    },
    ring: async (sku: string) => (await lane.ring(sku)).lines.at(-1)?.unitPriceCents,
    early: async () =>
      AuditPage.parse((await lane.call('GET', '/api/audit?group=sales')).body).entries.filter(
        ({ kind }) => kind === 'planned-price-early',
      ),
  }
}

test('a planned price that applies early because the clock was set ahead is recorded in the audit trail', async () => {
  const lane = await openLane()
  expect(await lane.ring('A1')).toBe(500)
  lane.set(DAY)
  expect(await lane.ring('B2')).toBe(200)
  expect(await lane.ring('A1')).toBe(700)
  const entries = await lane.early()
  expect(entries).toMatchObject([
    {
      actor: 'sam',
      subject: 'A1',
      detail: { amountCents: 700, from: new Date(parseDateTime(lane.from, 'America/Toronto')).toISOString() },
    },
  ])
  const { laneClock, expectedClock } = entries[0]?.detail ?? {}
  expect(Date.parse(String(laneClock)) - Date.parse(String(expectedClock))).toBeGreaterThan(DAY - HOUR)
})

test('a planned price that has begun is not recorded as early, even if the clock is fast', () => {
  const at = (from: number, expected: number) => isEarly({ from, expected, now: DAY, toleranceMs: HOUR / 12 })
  expect(at(2 * HOUR, HOUR)).toBe(true)
  expect(at(2 * HOUR, 2 * HOUR), 'its time has come').toBe(false)
  expect(at(DAY, DAY - 1_000), 'within the tolerance').toBe(false)
})
