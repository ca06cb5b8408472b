import type { ClockHealth } from '../../contracts/operations/diagnostics.ts'
import { CASH_PATHS, CashResponse } from '../../contracts/central/cash.ts'
import { jsonOf } from './central/wire.ts'
import type { Answer, CentralCall, Exchange } from './central/transport.ts'
import { momentOf, timeSince, type Moment } from './clock.ts'
import { type Ctx, perLane } from './context.ts'
import { parseDateTime } from './zone.ts'

export type LaneTime = ReturnType<typeof createLaneTime>

/** A clock that is kept in step is set back by less than this now and then; that is no jump. */
const STEP_MS = 1_000
/** Of the store server's times within this time the latest counts: an answer that travelled long looks earlier. */
const STORE_KEPT_MS = 600_000
/** No answer that counts travels this long: a time that is further behind is of a clock that was set back. */
const STORE_SET_BACK_MS = 5_000

/**
 * What time it is, where the lane's own clock may be wrong: a dead battery or a person may set it to anything.
 * Deadlines go by the wall clock and all waiting by the monotonic one, so a wrong clock warns and holds up nothing.
 */
function createLaneTime({ clock, profile, outbox, log }: Ctx) {
  const { timeZone } = profile
  /** How far the clock may differ from a server's before a warning. */
  const toleranceMs = profile.limits.clockToleranceMs
  const listeners = new Set<(health: ClockHealth) => void>()
  let health: ClockHealth = { state: 'right', aheadSeconds: null }
  /** The latest time of any journal entry: a later entry of a clock that was set back does not hide it. */
  let latestEntryAt = Number.NEGATIVE_INFINITY
  let central = momentOf(clock)
  let store: Moment | null = null
  /** By each way in which the loyalty service sends its time: how far this clock was ahead at the last answer, ms. */
  const ahead = new Map<'header' | 'body', number>()
  /** The same of the store's server; 0 before its first answer. */
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

  function look(): void {
    const found = judge()
    // A minute more or less is no news to anybody.
    if (found.state === health.state && Math.abs((found.aheadSeconds ?? 0) - (health.aheadSeconds ?? 0)) < 60) return
    health = found
    log[found.state === 'right' ? 'info' : 'warn'](found, 'the clock was compared')
    for (const listener of listeners) listener(found)
  }

  const storeNow = (): number => (store === null ? clock.now() : Math.round(timeSince(clock, store)))

  return {
    get health() {
      return health
    },
    /** Compares again. Call at start and at intervals; answers of the loyalty service are compared as they come. */
    look,
    /** How far the clock is ahead of the loyalty service's, in ms; 0 where that is tolerated, null: unknown. */
    aheadMs(): number | null {
      const [first] = ahead.values()
      if (first === undefined) return null
      return Math.max(0, ...[...ahead.values()].filter((ms) => ms > toleranceMs))
    },
    /** The time by the loyalty service's last answer, or by this clock at the start; epoch ms. */
    expectedNow: (): number => timeSince(clock, central),
    /**
     * The time of the store's server, by this lane's clock before its first answer; epoch ms. It orders the changes of
     * lanes, and goes on while the server is unreachable, whatever the clock is set to.
     */
    storeNow,
    onChange: (listener: (health: ClockHealth) => void): void => {
      listeners.add(listener)
    },
    /** The store's server sent its time, epoch ms. */
    hearStore(at: number): void {
      const isKept = store !== null && clock.monotonic() - store.monotonicMs < STORE_KEPT_MS
      const behind = storeNow() - at
      if (!(isKept && behind > 0 && behind < STORE_SET_BACK_MS)) store = momentOf(clock, at)
      aheadOfStore = clock.now() - at
      look()
    },
    /** The same exchange; takes the time of each answer. */
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
          look()
        }
        return answer
      },
  }
}

export const laneTimeOf = perLane(createLaneTime)

/**
 * The times that an answer tells. Offers may come from a cache with the date at which they were put there, and what is
 * sent again under its key is answered with the time of the first answer: neither says what time it is now.
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
