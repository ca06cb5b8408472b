import type { ClockHealth } from '../../contracts/operations/diagnostics.ts'
import { CASH_PATHS, CashResponse } from '../../contracts/central/cash.ts'
import { jsonOf } from './central/wire.ts'
import type { Answer, CentralCall, Exchange } from './central/transport.ts'
import type { Clock } from './clock.ts'
import { parseDateTime } from './zone.ts'
import type { Logger } from './log.ts'

export interface ClockWatchOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** How far the clock may be from the loyalty service's before somebody is told, in ms. */
  readonly toleranceMs: number
  readonly timeZone: string
  /** When the newest journal entry was made, in epoch ms; null in an empty journal. */
  readonly newestEntryAt: () => number | null
  readonly log: Logger
}

/**
 * Whether the terminal's clock can be right. Deadlines go by the wall clock, which a dead battery or a hand may set to
 * anything; nothing else does, so a wrong clock warns and holds up nothing (DESIGN: a clock jump changes deadline
 * decisions only).
 */
export interface ClockWatch {
  readonly health: ClockHealth
  /** How far the clock is ahead of the loyalty service's, in ms; 0 where that is tolerated, null: unknown. */
  aheadMs(): number | null
  /**
   * The time that the clock should show (epoch ms): that of the loyalty service's last answer, or the clock's own at
   * the start, and what has passed since by the monotonic clock.
   */
  expectedNow(): number
  /** Compares again. Call at start and at intervals; answers of the loyalty service are compared as they come. */
  look(): void
  onChange(listener: (health: ClockHealth) => void): void
  /** The store's server said what time it is, epoch ms. */
  hearStore(at: number): void
  /** The same exchange, with an eye on the time that each answer tells. */
  around(exchange: Exchange): Exchange
}

/** A clock that is kept in step is set back by less than this now and then; that is no jump. */
const STEP_MS = 1_000

export function createClockWatch({ clock, toleranceMs, timeZone, newestEntryAt, log }: ClockWatchOptions): ClockWatch {
  const listeners = new Set<(health: ClockHealth) => void>()
  let health: ClockHealth = { state: 'right', aheadSeconds: null }
  /**
   * The latest moment that a journal entry of any time was made at: a later entry of a clock set back does not hide it.
   */
  let latestEntryAt = Number.NEGATIVE_INFINITY
  let known = { at: clock.now(), monotonicMs: clock.monotonic() }
  /**
   * By each way in which the loyalty service tells its time, how far this clock was ahead at its last answer, in ms.
   */
  const ahead = new Map<'header' | 'body', number>()
  /** The same of the store's server; 0 before it was heard. */
  let aheadOfStore = 0

  function judge(): ClockHealth {
    latestEntryAt = Math.max(latestEntryAt, newestEntryAt() ?? Number.NEGATIVE_INFINITY)
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

  return {
    get health() {
      return health
    },
    look,
    aheadMs() {
      const [first] = ahead.values()
      if (first === undefined) return null
      return Math.max(0, ...[...ahead.values()].filter((ms) => ms > toleranceMs))
    },
    expectedNow: () => known.at + clock.monotonic() - known.monotonicMs,
    onChange: (listener) => {
      listeners.add(listener)
    },
    hearStore(at) {
      aheadOfStore = clock.now() - at
      look()
    },
    around: (exchange) => async (call, token) => {
      const answer = await exchange(call, token)
      if (answer.kind === 'answer') {
        for (const [way, at] of timesOf(call, answer, timeZone))
          if (Number.isFinite(at)) {
            ahead.set(way, clock.now() - at)
            known = { at, monotonicMs: clock.monotonic() }
          }
        look()
      }
      return answer
    },
  }
}

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
