import { describe, expect, it } from 'vitest'
import type { ClockHealth } from '../../contracts/operations/diagnostics.ts'
import { CASH_PATHS } from '../../contracts/central/cash.ts'
import type { Answer } from './central/transport.ts'
import { laneTimeOf } from './lane-time.ts'
import { systemClock } from './clock.ts'
import type { Outbox } from './outbox/outbox.ts'
import { testContext } from '../../packages/lab/testing/lane-context.ts'
import { testClock } from './http/testing.ts'
import { openTerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'

const MINUTE = 60_000

function watching(newestEntryAt: () => number | null = () => null) {
  const clock = testClock('2026-11-20T15:00:00Z')
  const reported: ClockHealth[] = []
  const watch = laneTimeOf(testContext({ clock, outbox: { chain: { newestEntryAt } } as Outbox }))
  watch.onChange((health) => {
    reported.push(health)
  })
  const receive = async (
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
  return { clock, reported, watch, receive }
}
const RIGHT = { state: 'right', aheadSeconds: null }
const DATE = { date: 'Fri, 20 Nov 2026 15:00:00 GMT' }

describe('the time that the lane expects', () => {
  it('advances with elapsed time since the start, whether or not the wall clock is set', () => {
    const { clock, watch } = watching()
    const start = clock.now()
    clock.advance(3 * MINUTE)
    clock.set(24 * 60 * MINUTE)
    expect(watch.expectedNow() - start).toBeGreaterThanOrEqual(3 * MINUTE)
    expect(watch.expectedNow() - start).toBeLessThan(4 * MINUTE)
  })
  it('follows the loyalty service from its first answer', async () => {
    const { clock, watch, receive } = watching()
    clock.set(24 * 60 * MINUTE)
    await receive(CASH_PATHS.echo, DATE)
    clock.advance(2 * MINUTE)
    expect(watch.expectedNow()).toBeGreaterThanOrEqual(Date.parse(DATE.date) + 2 * MINUTE)
    expect(watch.expectedNow()).toBeLessThan(Date.parse(DATE.date) + 3 * MINUTE)
  })
})

describe('the wall clock compared with the journal', () => {
  it('is wrong by the difference while it is behind the newest journal entry, and right after it is set', () => {
    const { clock, reported, watch } = watching(() => Date.parse('2026-11-20T15:00:00Z'))
    watch.updateHealth()
    expect(watch.health).toEqual(RIGHT)
    clock.advance(-2 * 24 * 60 * MINUTE)
    watch.updateHealth()
    expect(reported).toEqual([{ state: 'before-journal', aheadSeconds: -2 * 24 * 3600 }])
    clock.advance(2 * 24 * 60 * MINUTE)
    watch.updateHealth()
    expect(reported[1]).toEqual(RIGHT)
  })
  it('stays wrong when new entries are written with the wrong clock', () => {
    let newest = Date.parse('2026-11-20T15:00:00Z')
    const { clock, watch } = watching(() => newest)
    watch.updateHealth()
    clock.advance(-60 * MINUTE)
    newest = clock.now()
    watch.updateHealth()
    expect(watch.health).toEqual({ state: 'before-journal', aheadSeconds: -3600 })
  })
  it('is not wrong when time synchronisation sets it back a little', () => {
    const { clock, watch } = watching(() => Date.parse('2026-11-20T15:00:00Z'))
    clock.advance(-900)
    watch.updateHealth()
    expect(watch.health).toEqual(RIGHT)
  })
})

describe('the wall clock compared with the store server', () => {
  it('is reported as wrong when it is two hours off, and as right when the server’s time agrees', () => {
    const { clock, watch, reported } = watching()
    watch.onStoreTime(clock.now() - 120 * MINUTE)
    expect(watch.health).toEqual({ state: 'off-store', aheadSeconds: 7_200 })
    expect(watch.aheadMs(), 'deadlines of miles go by the loyalty service').toBeNull()
    watch.onStoreTime(clock.now())
    expect(watch.health).toEqual(RIGHT)
    expect(reported).toHaveLength(2)
  })
})

describe('the time of the store server', () => {
  function openTime() {
    let passed = 0
    const time = laneTimeOf(testContext({ clock: { ...systemClock, now: () => 5, monotonic: () => passed } }))
    return {
      now: time.storeNow,
      receive: time.onStoreTime,
      pass: (ms: number): void => {
        passed += ms
      },
    }
  }

  it('is the lane’s own time before the first answer', () => {
    const time = openTime()
    expect(time.now()).toBe(5)
    time.receive(100_000)
    time.pass(40)
    expect(time.now()).toBe(100_040)
  })

  it('ignores an answer that arrived late and would set it back, and follows a fast answer forward', () => {
    const time = openTime()
    time.receive(100_000)
    time.pass(2_000)
    time.receive(100_500)
    expect(time.now()).toBe(102_000)
    time.receive(102_030)
    expect(time.now()).toBe(102_030)
  })

  it.each([
    ['clock that was set back', 1_000, 90_000],
    ['time that differs a little after ten minutes', 600_000, 699_000],
  ])('follows the store server in the case of a %s', (_, ms, at) => {
    const time = openTime()
    time.receive(100_000)
    time.pass(ms)
    time.receive(at)
    expect(time.now()).toBe(at)
  })
})

describe('the wall clock compared with the loyalty service', () => {
  it('is not wrong while it differs by less than the limit', async () => {
    const { clock, reported, receive } = watching()
    clock.advance(5 * MINUTE)
    expect(await receive(CASH_PATHS.echo, DATE)).toEqual(RIGHT)
    clock.advance(-10 * MINUTE)
    expect(await receive(CASH_PATHS.redeem, DATE)).toEqual(RIGHT)
    expect(reported).toEqual([])
  })
  it('is wrong beyond the limit in both directions, and right when an answer agrees', async () => {
    const { clock, reported, receive } = watching()
    clock.advance(6 * MINUTE)
    expect(await receive(CASH_PATHS.echo, DATE)).toEqual({ state: 'off-central', aheadSeconds: 360 })
    clock.advance(-12 * MINUTE)
    expect(await receive(CASH_PATHS.echo, DATE)).toEqual({ state: 'off-central', aheadSeconds: -360 })
    clock.advance(6 * MINUTE)
    expect(await receive(CASH_PATHS.echo, DATE)).toEqual(RIGHT)
    expect(reported).toHaveLength(3)
  })
  it('is compared with the time in an INQUIRE answer, which is store time when it has no offset', async () => {
    const { receive } = watching()
    expect(
      await receive(CASH_PATHS.inquire, {}, { responseCode: '0000', transDateTime: '2026-11-20T10:10:00-05:00' }),
    ).toEqual({ state: 'off-central', aheadSeconds: -600 })
    expect(
      await receive(CASH_PATHS.inquire, {}, { responseCode: '0000', transDateTime: '2026-11-20T10:00:00' }),
    ).toEqual(RIGHT)
  })
  it('is not compared with times that are invalid or may be old (repeated answers, cached lists)', async () => {
    const { reported, receive } = watching()
    await receive(CASH_PATHS.redeem, {}, { responseCode: '0000', transDateTime: '2026-11-19T10:00:00-05:00' })
    await receive('/offers', { date: 'Thu, 19 Nov 2026 15:00:00 GMT' }, {}, 'offers')
    await receive(CASH_PATHS.echo, { date: 'yesterday' }, { responseCode: '0000', transDateTime: 'soon' })
    await receive(CASH_PATHS.echo, {}, [])
    expect(reported).toEqual([])
  })
})

describe('a terminal whose clock is an hour and a half off', () => {
  const central = useCentral()
  it('reports it in diagnostics, and sells and redeems as usual', async () => {
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
