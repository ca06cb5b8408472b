import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04')
const APPLES = '1001'

const state = async (harness: TerminalHarness) => (await harness.call('GET', '/api/store')).body
const pushed = (harness: TerminalHarness, kind = 'connected') =>
  vi.waitFor(async () => expect(await state(harness)).toMatchObject({ kind, untold: 0 }), { timeout: 60_000 })
const sell = async (harness: TerminalHarness) => {
  const { id, version } = await harness.ring(APPLES)
  const paid = await harness.call('POST', `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: 700 })
  expect(paid.status).toBe(200)
  return id
}
const Facts = z.array(z.looseObject({ seq: z.int(), kind: z.string(), subject: z.string() }))
const facts = async (lane: string) =>
  Facts.parse(
    await store.query(`SELECT seq, kind, subject, body, sealed FROM fact JOIN stream ON name = stream
    WHERE lane = '${lane}' ORDER BY epoch, seq`),
  )

describe('a lane with a store server', () => {
  test('sends each sale completely, with facts numbered without a gap, and without its collector number', async ({
    skip,
  }) => {
    const harness = await openTerminalHarness(central, { store: store.place(skip, '01'), laneId: '01' })
    const first = await sell(harness)
    await harness.ring(APPLES)
    const { id, version } = await harness.swipe('fine')
    await harness.call('POST', `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: 700 })
    await pushed(harness)
    const stored = await facts('01')
    expect(stored.filter(({ kind }) => kind === 'sale')).toMatchObject([
      { seq: 1, kind: 'sale', subject: first, body: { state: 'completed', tenders: [{ kind: 'cash' }] }, sealed: null },
      { seq: 2, kind: 'sale', subject: id, body: { memberLast4: '0011', lines: [{ sku: APPLES }] } },
    ])
    expect(JSON.stringify(stored)).not.toContain('80000000011')
  })

  test('sells alone while the store server is unavailable, and sends all facts afterwards', async ({ skip }) => {
    const harness = await openTerminalHarness(central, { store: store.place(skip, '02'), laneId: '02' })
    await pushed(harness)
    store.freeze()
    const ids = [await sell(harness), await sell(harness)]
    await vi.waitFor(async () => expect(await state(harness)).toMatchObject({ kind: 'away' }), { timeout: 60_000 })
    expect((await state(harness)).untold).toBeGreaterThanOrEqual(2)
    store.thaw()
    await pushed(harness)
    const stored = await facts('02')
    expect(stored.filter(({ kind }) => kind === 'sale').map(({ subject }) => subject)).toEqual(ids)
  })

  test('sends each sale once although PostgreSQL was killed and the lane was restarted', async ({ skip }) => {
    const place = store.place(skip, '03')
    const harness = await openTerminalHarness(central, { store: place, laneId: '03' })
    const ids = [await sell(harness)]
    await pushed(harness)
    await store.killPostgres()
    ids.push(await sell(harness))
    await harness.close()
    const again = await openTerminalHarness(central, { store: place, laneId: '03', folder: harness.folder })
    ids.push(await sell(again))
    await store.restartPostgres()
    await pushed(again)
    const stored = await facts('03')
    expect(stored.filter(({ kind }) => kind === 'sale').map(({ subject }) => subject)).toEqual(ids)
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1))
  })

  test('sells although the store server refuses it as unknown', async ({ skip }) => {
    const place = { ...store.place(skip, '04'), token: 'x'.repeat(43) }
    const harness = await openTerminalHarness(central, { store: place, laneId: '04' })
    await vi.waitFor(async () => expect(await state(harness)).toMatchObject({ kind: 'refused' }), { timeout: 60_000 })
    await sell(harness)
  })
})

test('a lane without a store server sells, and reports that its store has no server', async () => {
  const harness = await openTerminalHarness(central, {})
  await sell(harness)
  expect(await state(harness)).toMatchObject({ kind: 'none' })
})
