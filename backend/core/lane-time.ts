import type { ClockHealth } from '../../contracts/operations/diagnostics.ts'
import { CASH_PATHS, CashResponse } from '../../contracts/central/cash.ts'
import { jsonOf } from './central/wire.ts'
import type { Answer, CentralCall, Exchange } from './central/transport.ts'
import { momentOf, timeSince, type Moment } from './clock.ts'
import { type Ctx, perLane } from './context.ts'
import { parseDateTime } from './zone.ts'

export type LaneTime = ReturnType<typeof createLaneTime>

/** Time synchronisation sets the clock back by less than this; it does not count as a wrong clock. */
const STEP_MS = 1_000
/**
 * Time in ms for which a slightly earlier time from the store server is ignored, because only its answer took longer
 * than the answer with the time in use.
 */
const STORE_TIME_WINDOW_MS = 600_000
/** No answer takes this long (ms): a time that is further behind means that the store server's clock was set back. */
const STORE_SET_BACK_MS = 5_000

/**
 * Detects a wrong clock of the lane, for example after a dead battery. Deadlines use the wall clock and waits the
 * monotonic clock, so a wrong clock only causes a warning.
 */
function createLaneTime({ clock, profile, outbox, log }: Ctx) {
  const { timeZone } = profile
  /** Difference from a server's clock, in ms, above which the lane warns. */
  const toleranceMs = profile.limits.clockToleranceMs
  const listeners = new Set<(health: ClockHealth) => void>()
  let health: ClockHealth = { state: 'right', aheadSeconds: null }
  /**
   * Latest time of any journal entry. Entries written after the clock was set back have earlier times and must not hide
   * that the clock is behind.
   */
  let latestEntryAt = Number.NEGATIVE_INFINITY
  let central = momentOf(clock)
  let store: Moment | null = null
  /** For each place where the loyalty service states its time: how many ms this clock was ahead at the last answer. */
  const ahead = new Map<'header' | 'body', number>()
  let aheadOfStore = 0

  function judge(): ClockHealth {
    latestEntryAt = Math.max(latestEntryAt, outbox.chain.newestEntryAt() ?? Number.NEGATIVE_INFINITY)
    const off = [...ahead.values()].find((ms) => Math.abs(ms) > toleranceMs)
    if (off !== undefined) return { state: 'off-central', aheadSeconds: Math.round(off / 1_000) }
    if (Math.abs(aheadOfStore) > toleranceMs)
      return { state: 'off-store', aheadSeconds: Math.round(aheadOfStore / 1_000) }
    const behindJournal = latestEntryAt - clock.now()
    return behindJournal > STEP_MS
      ? { state: 'before-journal', aheadSeconds: Math.round(0 - behindJournal / 1_000) }
      : { state: 'right', aheadSeconds: null }
  }

  function updateHealth(): void {
    const found = judge()
    if (found.state === health.state && Math.abs((found.aheadSeconds ?? 0) - (health.aheadSeconds ?? 0)) < 60) return
    health = found
    log[found.state === 'right' ? 'info' : 'warn'](found, 'compared the clock')
    for (const listener of listeners) listener(found)
  }

  const storeNow = (): number => (store === null ? clock.now() : Math.round(timeSince(clock, store)))

  return {
    get health() {
      return health
    },
    /**
     * Compares the clock with its references now. Call it at the start and periodically; answers of the loyalty service
     * are compared when they arrive.
     */
    updateHealth,
    /**
     * Milliseconds that the lane's clock is ahead of the loyalty service; 0 when it is behind or the difference is
     * tolerated, null when unknown.
     */
    aheadMs(): number | null {
      const [first] = ahead.values()
      if (first === undefined) return null
      return Math.max(0, ...[...ahead.values()].filter((ms) => ms > toleranceMs))
    },
    expectedNow: (): number => timeSince(clock, central),
    /**
     * Time of the store server, or of this lane before the server's first answer; epoch ms. The store orders changes by
     * it. It advances while the server is unreachable, and setting the lane's clock does not change it.
     */
    storeNow,
    onChange: (listener: (health: ClockHealth) => void): void => {
      listeners.add(listener)
    },
    onStoreTime(at: number): void {
      const isRecent = store !== null && clock.monotonic() - store.monotonicMs < STORE_TIME_WINDOW_MS
      const behind = storeNow() - at
      if (!(isRecent && behind > 0 && behind < STORE_SET_BACK_MS)) store = momentOf(clock, at)
      aheadOfStore = clock.now() - at
      updateHealth()
    },
    around:
      (exchange: Exchange): Exchange =>
      async (call, token) => {
        const answer = await exchange(call, token)
        if (answer.kind === 'answer') {
          for (const [way, at] of timesOf(call, answer, timeZone))
            if (Number.isFinite(at)) {
              ahead.set(way, clock.now() - at)
              central = momentOf(clock, at)
            }
          updateHealth()
        }
        return answer
      },
  }
}

export const laneTimeOf = perLane(createLaneTime)

/**
 * Yields the current times in an answer. Skips offers, which may be cached, and the bodies of all calls except ECHO and
 * INQUIRE: a call with an idempotency key may be answered with an earlier body.
 */
function* timesOf(
  call: CentralCall,
  answer: Extract<Answer, { kind: 'answer' }>,
  timeZone: string,
): Generator<['header' | 'body', number]> {
  if (call.service === 'offers') return
  const date = answer.headers.get('date')
  if (date !== null) yield ['header', Date.parse(date)]
  if (call.path !== CASH_PATHS.echo && call.path !== CASH_PATHS.inquire) return
  const transDateTime = CashResponse.safeParse(jsonOf(answer.bytes)).data?.transDateTime
  if (transDateTime !== undefined) yield ['body', parseDateTime(transDateTime, timeZone)]
}
