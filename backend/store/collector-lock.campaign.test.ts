import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import { CASH_PATHS } from '../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../contracts/central/issuance.ts'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import { HelloAnswer, STORE_PATHS, STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import { LOCK_MS, LOCK_PATHS, LOCK_RENEW_MS } from '../../contracts/store/collector-locks.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { createStoreChannel, type StorePlace } from './channel.ts'
import { createStoreSeal } from './store-seal.ts'

const central = useCentral()
const store = useStore('01', '02', '03', '04', '05', '06')
const DETERGENT = '1021'
const COLLECTOR = '80000000011'
const HELD = 'SELECT count(*)::int AS held FROM collector_turn WHERE until > now()'
const MOVING: readonly string[] = [
  CASH_PATHS.redeem,
  CASH_PATHS.reverse,
  ISSUANCE_PATHS.calculate,
  ISSUANCE_PATHS.issue,
]

const state = async (harness: TerminalHarness) => (await harness.call('GET', '/api/store')).body
async function openLane(place: StorePlace, laneId: string): Promise<TerminalHarness> {
  const harness = await openTerminalHarness(central, { store: place, laneId })
  await connected(harness)
  return harness
}
const connected = (harness: TerminalHarness) =>
  vi.waitFor(async () => expect(await state(harness)).toMatchObject({ kind: 'connected' }), { timeout: 60_000 })
interface Ready {
  readonly harness: TerminalHarness
  readonly sale: Sale
}
async function readyAt(lanes: readonly TerminalHarness[]): Promise<Ready[]> {
  const all: Ready[] = []
  for (const harness of lanes) {
    await harness.ring(DETERGENT)
    all.push({ harness, sale: await harness.swipe('fine') })
  }
  return all
}
/**
 * Repeats a round, at most six times, until all lanes stayed connected to the store server: on a busy machine it may
 * answer late, and a lane then correctly works alone. `round` gets the start time of the round.
 */
async function withStore<Result>(
  lanes: readonly TerminalHarness[],
  round: (sales: Ready[], since: number) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; tries <= 6; tries += 1) {
    for (const lane of lanes) await connected(lane)
    const sales = await readyAt(lanes)
    // Reading a card clears the recorded events, so that only those of the round count.
    const isSteady = (): boolean => lanes.every((lane) => !lane.events().some(isSlow))
    const result = await round(sales, Date.now())
    if (isSteady()) return result
    for (const lane of lanes) await finish(lane)
  }
  throw new Error('the store answered too late in every round')
}
const isSlow = (event: TerminalEvent): boolean => event.type === 'store-changed' && event.store.kind !== 'connected'
async function finish(lane: TerminalHarness): Promise<void> {
  const { id, version } = (await lane.call('GET', '/api/sales/current')).body.sale
  await lane.call('POST', `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: 10_000 })
}

async function redeem({ harness, sale: { id, version } }: Ready): Promise<string> {
  const { body } = await harness.call('POST', `/api/sales/${id}/redemption`, { version, units: 1 })
  return body.sale?.redemption?.state ?? body.code
}

async function spans(): Promise<{ path: string; from: number; to: number }[]> {
  return (await central.requests())
    .filter(({ path, body }) => MOVING.includes(path) && body['collectorNumber'] === COLLECTOR)
    .map(({ path, at, processedAt }) => ({ path, from: Date.parse(at), to: Date.parse(processedAt ?? at) }))
    .toSorted((one, other) => one.from - other.from)
}
const overlaps = (all: readonly { from: number; to: number }[]): number =>
  all.filter(({ from }, at) => all.slice(0, at).some(({ to }) => from < to)).length

describe('calls of one collector at two lanes', () => {
  test('never overlap at the services, even when each REDEEM takes 900 ms', async ({ skip }) => {
    const lanes = [await openLane(store.place(skip, '01'), '01'), await openLane(store.place(skip, '02'), '02')]
    await central.faults({ path: CASH_PATHS.redeem, action: { kind: 'delay', ms: 900 } })
    const calls = await withStore(lanes, async (sales, since) => {
      expect(await Promise.all(sales.map(redeem))).toEqual(['approved', 'approved'])
      return (await spans()).filter(({ from }) => from >= since)
    })
    const redeemed = calls.filter(({ path }) => path === CASH_PATHS.redeem)
    expect(redeemed.map(({ from, to }) => to - from >= 800)).toEqual([true, true])
    expect(overlaps(calls)).toBe(0)
    // Proves that the lock was released: it would not have expired yet.
    await vi.waitFor(async () => expect(await store.query(HELD)).toEqual([{ held: 0 }]), { timeout: 3_000 })
  })

  test('are sent at once by each lane while the store server is unavailable', async ({ skip }) => {
    const lanes = [await openLane(store.place(skip, '03'), '03'), await openLane(store.place(skip, '04'), '04')]
    const sales = await readyAt(lanes)
    const free = (ms: number) => vi.waitFor(async () => expect(await store.query(HELD)).toEqual([{ held: 0 }]), ms)
    // Waits until both baskets have their previews, whose calls also take the lock.
    for (const lane of lanes) await connected(lane)
    await free(15_000)
    const before = store.log().length
    store.freeze()
    try {
      expect(await Promise.all(sales.map(redeem))).toEqual(['approved', 'approved'])
      for (const lane of lanes) expect((await state(lane)).kind).not.toBe('connected')
    } finally {
      store.thaw()
    }
    for (const lane of lanes) await connected(lane)
    // While the store server was unavailable, each lane asked for the lock once for all its calls, and released it when
    // no answer came.
    const dropped = store
      .log()
      .slice(before)
      .filter((line) => line['path'] === LOCK_PATHS.release)
    expect(dropped.map((line) => String(line['lane'])).toSorted()).toEqual(['03', '04'])
    await free(3_000)
  })

  test('keep the collector’s lock when one renewal is late', async ({ skip }) => {
    const lane = await openLane(store.place(skip, '06'), '06')
    const renewed = () =>
      store.log().filter((line) => line['path'] === LOCK_PATHS.renew && line['lane'] === '06').length
    await central.faults({ path: CASH_PATHS.redeem, action: { kind: 'delay', ms: LOCK_RENEW_MS * 2.5 } })
    await withStore([lane], async ([sale]) => {
      const redeemed = sale && redeem(sale)
      await vi.waitFor(async () => expect(await store.query(HELD)).toEqual([{ held: 1 }]), 3_000)
      await setTimeout(LOCK_RENEW_MS - 300)
      store.freeze()
      await setTimeout(900)
      store.thaw()
      await vi.waitFor(() => expect(renewed()).toBeGreaterThanOrEqual(2), LOCK_MS)
      expect(await redeemed).toBe('approved')
    })
    expect(lane.logLines()).not.toContain('a call runs longer than its collector lock')
  })

  test('wait for the lock of a lane that was killed no longer than until it expires', async ({ skip }) => {
    const place = store.place(skip, '05')
    const lane = await openLane(store.place(skip, '01'), '01')
    const waited = await withStore([lane], async ([sale]) => {
      await abandonLock(place)
      const since = performance.now()
      expect(sale && (await redeem(sale))).toBe('approved')
      return performance.now() - since
    })
    expect(waited).toBeGreaterThan(2_000)
    expect(waited).toBeLessThan(20_000)
  })
})

/** Takes the lock of a collector and never releases it, as a lane that is killed during a call. */
async function abandonLock(place: StorePlace): Promise<void> {
  const channel = createStoreChannel(place)
  const post = (path: string, body: object) => channel.post(path, { protocol: STORE_PROTOCOL, ...body }, 5_000)
  const hello = await post(STORE_PATHS.hello, { version: '1', streams: [{ epoch: 1, name: 'f'.repeat(32) }] })
  if (hello.kind !== 'answer') throw new Error('the store did not answer')
  const seal = createStoreSeal(Buffer.from(HelloAnswer.parse(hello.body).sealKey, 'base64'))
  const collector = seal.hash('collector', COLLECTOR)
  const id = randomUUID()
  // Waits until the other lane's basket has its preview, whose call also takes the lock.
  await vi.waitFor(
    async () => {
      const taken = await post(LOCK_PATHS.take, { id, collector, purpose: 'now', waitMs: 0 })
      expect(taken).toMatchObject({ kind: 'answer', body: { kind: 'yours' } })
    },
    { timeout: 60_000 },
  )
  channel.close()
}
