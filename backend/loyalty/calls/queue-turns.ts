import type { Clock, Rng } from '../../core/clock.ts'
import { fullJitter } from '../../core/central/waits.ts'
import { FIRST_PACE, PACE, type Heard, type Moment, type PaceRules } from './queue-pace.ts'

const REST = { baseMs: 1_000, capMs: 60_000 } as const

/** What became of a collector’s turn. */
export type Turn = 'nothing-left' | 'go-on' | { readonly restMs: number }

export type QueueTurns = ReturnType<typeof createQueueTurns>

/**
 * Whose turn it is in the queue to the issuance service, and when. Waiting goes by the monotonic clock: a clock that
 * is set neither holds the queue nor hurries it.
 *
 * `serve` sends one call of a collector, and calls `ended` once when that is over. `isHeldUp` is true while a
 * redemption is under way or waits: a customer stands there, and the queue can wait.
 */
export function createQueueTurns(
  { clock, rng }: { readonly clock: Clock; readonly rng: Pick<Rng, 'fraction'> },
  serve: (collector: string, ended: (turn: Turn) => void) => void,
  isHeldUp: () => boolean = () => false,
  rules: PaceRules = PACE,
) {
  /** Collectors whose next call may go, the longest waiting first. */
  const ready = new Set<string>()
  /** Collectors whose next call rests after an answer of 500, and what calls the rest off. */
  const resting = new Map<string, () => void>()
  const working = new Set<string>()
  let pace = FIRST_PACE
  /** Calls off the look at the moment from which the next call may leave. */
  let callOffLook: (() => void) | null = null
  let stopped = false

  function add(collector: string): void {
    if (!resting.has(collector)) ready.add(collector)
  }

  /** Collectors whose calls wait or are on their way. */
  const size = (): number => ready.size + resting.size + working.size

  const moment = (): Moment => ({
    now: clock.monotonic(),
    fraction: rng.fraction(),
    waiting: size(),
  })

  function pump(): void {
    for (const collector of ready) {
      if (stopped || isHeldUp() || working.size >= rules.places(pace)) return
      // What came while its collector was being served waits for the end of that turn.
      if (working.has(collector)) continue
      const waitMs = pace.notBefore - clock.monotonic()
      if (waitMs > 0) return lookAfter(waitMs)
      ready.delete(collector)
      working.add(collector)
      pace = rules.sent(pace, moment())
      serve(collector, (turn) => {
        end(collector, turn)
      })
    }
  }

  function lookAfter(waitMs: number): void {
    callOffLook?.()
    callOffLook = clock.after(waitMs, () => {
      callOffLook = null
      pump()
    })
  }

  function end(collector: string, turn: Turn): void {
    working.delete(collector)
    if (turn === 'go-on') ready.add(collector)
    else if (turn !== 'nothing-left') rest(collector, turn.restMs)
    pump()
  }

  function rest(collector: string, ms: number): void {
    if (stopped) return
    // What was queued behind it meanwhile rests with it.
    ready.delete(collector)
    resting.set(
      collector,
      clock.after(ms, () => {
        resting.delete(collector)
        ready.add(collector)
        pump()
      }),
    )
  }

  return {
    add,
    pump,

    /** What a send came to; answers how long the queue waits now, in ms. Told before the end of the turn. */
    heard(heard: Heard): number {
      pace = rules.heard(pace, heard, moment())
      return Math.max(0, Math.ceil(pace.notBefore - clock.monotonic()))
    },

    /** How long a collector rests whose call was answered by an error this many times, in ms. */
    restAfter: (tries: number): number => fullJitter(REST, tries, rng.fraction()),

    stop(): void {
      stopped = true
      callOffLook?.()
      for (const callOff of resting.values()) callOff()
    },
    isStopped: (): boolean => stopped,
    size,
  }
}
