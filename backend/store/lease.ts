import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/log.ts'
import { ProblemError } from '../core/problem.ts'
import { perLane } from '../core/context.ts'

/**
 * How far wall clock and monotonic clock may drift apart under one lease. More is a sleep of the machine, during which
 * the monotonic clock stands still, or a clock that was set. The server waits longer than this (`lanes/leases.ts`).
 */
const JUMP_MS = 30_000

export interface LeaseOptions {
  /** How long value that lies at this lane may be paid with after the last confirmed heartbeat. */
  readonly leaseMs: number
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Pick<Logger, 'warn'>
}

/** A moment by both clocks. */
interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/**
 * The lease of the value that lies at this lane (decision 0117). It is in memory only, so that a restart ends it, and
 * counts from when a heartbeat was sent, never from when its answer came.
 */
export function createLease({ leaseMs, clock, log }: LeaseOptions) {
  let since: Moment | null = null
  const moment = (): Moment => ({ wall: clock.now(), monotonic: clock.monotonic() })

  const isOver = (from: Moment): boolean => {
    const now = moment()
    const passed = now.monotonic - from.monotonic
    return passed >= leaseMs || Math.abs(now.wall - from.wall - passed) > JUMP_MS
  }

  function end(): void {
    if (since !== null) log.warn({}, 'value at this lane is frozen until the store confirms a heartbeat')
    since = null
  }

  return {
    leaseMs,
    /** To be read before a heartbeat is sent. */
    moment,
    /** The server has confirmed a heartbeat that was sent then. */
    confirm(sent: Moment): void {
      if (!isOver(sent)) since = sent
    },
    end,
    isHeld(): boolean {
      if (since !== null && isOver(since)) end()
      return since !== null
    },
  }
}

const KEPT_MS = 600_000
/** No answer that counts travels this long: a time that is further behind means that the clock was set back. */
const SET_BACK_MS = 5_000

export type StoreTime = ReturnType<typeof createStoreTime>

/**
 * The time of the store's server, as far as it was heard in this run: changes of lanes that were apart are ordered by
 * it and not by clocks that someone set. It goes on while the server is away, whatever the clock says then.
 *
 * An answer that travelled for long makes the server's time look earlier. So of the answers of ten minutes the latest
 * time counts, unless the server's clock was set back.
 */
export function createStoreTime(clock: Pick<Clock, 'now' | 'monotonic'>) {
  let heard: { readonly at: number; readonly monotonic: number } | null = null
  const after = (one: { readonly at: number; readonly monotonic: number }): number =>
    Math.round(one.at + clock.monotonic() - one.monotonic)
  return {
    /** `at`: what the server just said, epoch ms. */
    hear(at: number): void {
      const monotonic = clock.monotonic()
      if (heard !== null && monotonic - heard.monotonic < KEPT_MS) {
        const behind = after(heard) - at
        if (behind > 0 && behind < SET_BACK_MS) return
      }
      heard = { at, monotonic }
    },
    /** Epoch ms; by this lane's clock before the server was heard. */
    now: (): number => (heard === null ? clock.now() : after(heard)),
  }
}

type Awaiting = 'held-sale-lanes-awaited' | 'return-lanes-awaited' | 'voucher-lanes-awaited'

/**
 * The store's data was restored, and nothing of this kind is done before these lanes have told what they did since: its
 * words name them. '' is a lane that the store does not know, and a server of the release before names none.
 */
export const lanesAwaited = (code: Awaiting, lanes: readonly string[] = []): ProblemError =>
  new ProblemError(
    code,
    lanes.map((lane) => ({ path: 'awaited', message: lane })),
  )

export const storeTimeOf = perLane(({ clock }) => createStoreTime(clock))
