import { describe, expect, it } from 'vitest'
import type { ClockHealth } from '../../contracts/operations/diagnostics.ts'
import { CASH_PATHS } from '../../contracts/central/cash.ts'
import type { Answer } from './central/transport.ts'
import { laneTimeOf } from './lane-time.ts'
import { systemClock } from './clock.ts'
import type { Outbox } from './outbox/outbox.ts'
import { partContext } from '../../packages/lab/testing/lane-context.ts'
import { testClock } from './http/testing.ts'
import { openTerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'

const MINUTE = 60_000

function watching(newestEntryAt: () => number | null = () => null) {
  const clock = testClock('2026-11-20T15:00:00Z')
  const told: ClockHealth[] = []
  const watch = laneTimeOf(partContext({ clock, outbox: { chain: { newestEntryAt } } as Outbox }))
  watch.onChange((health) => {
    told.push(health)
  })
  const hear = async (
    path: string,
    headers: Record<string, string>,
    body: object = {},
    service: 'cash' | 'offers' | 'issuance' = 'cash',
  ): Promise<ClockHealth> => {
    const answer: Answer = {
      kind: 'answer',
      status: 200,
      headers: new Headers(headers),
      bytes: Buffer.from(JSON.stringify(body)),
      latencyMs: 1,
      requestHeaders: {},
    }
    await watch.around(async () => answer)({ service, method: 'POST', path, timeoutMs: 1, authenticate: true }, 'token')
    return watch.health
  }
  return { clock, told, watch, hear }
}
const RIGHT = { state: 'right', aheadSeconds: null }
const DATE = { date: 'Fri, 20 Nov 2026 15:00:00 GMT' }

describe('the time that the clock should show', () => {
  it('goes on from the start by the time that passes, whatever the clock is set to', () => {
    const { clock, watch } = watching()
    const start = clock.now()
    clock.advance(3 * MINUTE)
    clock.set(24 * 60 * MINUTE)
    expect(watch.expectedNow() - start).toBeGreaterThanOrEqual(3 * MINUTE)
    expect(watch.expectedNow() - start).toBeLessThan(4 * MINUTE)
  })
  it('is that of the loyalty service from its answer on', async () => {
    const { clock, watch, hear } = watching()
    clock.set(24 * 60 * MINUTE)
    await hear(CASH_PATHS.echo, DATE)
    clock.advance(2 * MINUTE)
    expect(watch.expectedNow()).toBeGreaterThanOrEqual(Date.parse(DATE.date) + 2 * MINUTE)
    expect(watch.expectedNow()).toBeLessThan(Date.parse(DATE.date) + 3 * MINUTE)
  })
})

describe('the clock beside the journal', () => {
  it('is wrong before the newest entry, by so much, and right again when it was set', () => {
    const { clock, told, watch } = watching(() => Date.parse('2026-11-20T15:00:00Z'))
    watch.look()
    expect(watch.health).toEqual(RIGHT)
    clock.advance(-2 * 24 * 60 * MINUTE)
    watch.look()
    expect(told).toEqual([{ state: 'before-journal', aheadSeconds: -2 * 24 * 3600 }])
    clock.advance(2 * 24 * 60 * MINUTE)
    watch.look()
    expect(told[1]).toEqual(RIGHT)
  })
  it('stays wrong when entries are written by the wrong clock', () => {
    let newest = Date.parse('2026-11-20T15:00:00Z')
    const { clock, watch } = watching(() => newest)
    watch.look()
    clock.advance(-60 * MINUTE)
    newest = clock.now()
    watch.look()
    expect(watch.health).toEqual({ state: 'before-journal', aheadSeconds: -3600 })
  })
  it('that is kept in step may go back a little', () => {
    const { clock, watch } = watching(() => Date.parse('2026-11-20T15:00:00Z'))
    clock.advance(-900)
    watch.look()
    expect(watch.health).toEqual(RIGHT)
  })
})

describe('the clock beside the store’s server', () => {
  it('two hours off is told, and right again once it is set', () => {
    const { clock, watch, told } = watching()
    watch.hearStore(clock.now() - 120 * MINUTE)
    expect(watch.health).toEqual({ state: 'off-store', aheadSeconds: 7_200 })
    expect(watch.aheadMs(), 'deadlines of miles go by the loyalty service').toBeNull()
    watch.hearStore(clock.now())
    expect(watch.health).toEqual(RIGHT)
    expect(told).toHaveLength(2)
  })
})

describe('the time of the store’s server', () => {
  function openTime() {
    let passed = 0
    const time = laneTimeOf(partContext({ clock: { ...systemClock, now: () => 5, monotonic: () => passed } }))
    return {
      now: time.storeNow,
      hear: time.hearStore,
      pass: (ms: number): void => {
        passed += ms
      },
    }
  }

  it('the time is the lane’s own until the server was heard', () => {
    const time = openTime()
    expect(time.now()).toBe(5)
    time.hear(100_000)
    time.pass(40)
    expect(time.now()).toBe(100_040)
  })

  it('an answer that took long does not move the time back, and one that was quicker moves it on', () => {
    const time = openTime()
    time.hear(100_000)
    time.pass(2_000)
    time.hear(100_500)
    expect(time.now()).toBe(102_000)
    time.hear(102_030)
    expect(time.now()).toBe(102_030)
  })

  it.each([
    ['clock that was set back', 1_000, 90_000],
    ['time that differs a little after ten minutes', 600_000, 699_000],
  ])('the server’s %s is followed', (_, ms, at) => {
    const time = openTime()
    time.hear(100_000)
    time.pass(ms)
    time.hear(at)
    expect(time.now()).toBe(at)
  })
})

describe('the clock beside the loyalty service', () => {
  it('may differ by less than the limit', async () => {
    const { clock, told, hear } = watching()
    clock.advance(5 * MINUTE)
    expect(await hear(CASH_PATHS.echo, DATE)).toEqual(RIGHT)
    clock.advance(-10 * MINUTE)
    expect(await hear(CASH_PATHS.redeem, DATE)).toEqual(RIGHT)
    expect(told).toEqual([])
  })
  it('is wrong beyond it, either way, and right when an answer says so', async () => {
    const { clock, told, hear } = watching()
    clock.advance(6 * MINUTE)
    expect(await hear(CASH_PATHS.echo, DATE)).toEqual({ state: 'off-central', aheadSeconds: 360 })
    clock.advance(-12 * MINUTE)
    expect(await hear(CASH_PATHS.echo, DATE)).toEqual({ state: 'off-central', aheadSeconds: -360 })
    clock.advance(6 * MINUTE)
    expect(await hear(CASH_PATHS.echo, DATE)).toEqual(RIGHT)
    expect(told).toHaveLength(3)
  })
  it('believes the time inside an answer of INQUIRE, without offset as the store’s', async () => {
    const { hear } = watching()
    expect(
      await hear(CASH_PATHS.inquire, {}, { responseCode: '0000', transDateTime: '2026-11-20T10:10:00-05:00' }),
    ).toEqual({ state: 'off-central', aheadSeconds: -600 })
    expect(await hear(CASH_PATHS.inquire, {}, { responseCode: '0000', transDateTime: '2026-11-20T10:00:00' })).toEqual(
      RIGHT,
    )
  })
  it('does not believe what may be of another time: an answer under a key, a cached list, nonsense', async () => {
    const { told, hear } = watching()
    await hear(CASH_PATHS.redeem, {}, { responseCode: '0000', transDateTime: '2026-11-19T10:00:00-05:00' })
    await hear('/offers', { date: 'Thu, 19 Nov 2026 15:00:00 GMT' }, {}, 'offers')
    await hear(CASH_PATHS.echo, { date: 'yesterday' }, { responseCode: '0000', transDateTime: 'soon' })
    await hear(CASH_PATHS.echo, {}, [])
    expect(told).toEqual([])
  })
})

describe('a terminal whose clock is an hour and a half off', () => {
  const central = useCentral()
  it('warns with an event and in diagnostics, and sells and redeems as ever', async () => {
    await central.moveClock(90 * MINUTE)
    const harness = await openTerminalHarness(central)
    await harness.ring('1021', 2)
    const sale = await harness.swipe('fine')
    const maintenance = (await harness.call('GET', '/api/diagnostics/maintenance')).body as unknown as {
      clock: ClockHealth
    }
    expect(maintenance.clock).toEqual({ state: 'off-central', aheadSeconds: expect.closeTo(-5400, -2) as number })
    const redeemed = await harness.call('POST', `/api/sales/${sale.id}/redemption`, { version: sale.version, units: 1 })
    expect(redeemed.body.sale.redemption?.state).toBe('approved')
    const paid = await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'cash',
      version: redeemed.body.sale.version,
      tenderedCents: 50_000,
      confirmed: true,
    })
    expect(paid.body.sale.state).toBe('completed')
  })
})
