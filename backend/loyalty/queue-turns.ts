import type { Clock, Rng } from '../clock.ts'
import { fullJitter } from '../central/waits.ts'

const BACKOFF = { baseMs: 1_000, capMs: 60_000 } as const
/** Collectors that are served at once. After an outage the queue leaves in good order, not all at the same moment. */
const COLLECTORS_AT_ONCE = 8

/** What became of a collector’s turn. */
export type Turn = 'nothing-left' | 'go-on' | 'paused' | { readonly restMs: number }

export interface QueueTurnsOptions {
  readonly clock: Clock
  readonly rng: Pick<Rng, 'fraction'>
  /** Serves one call of a collector; `ended` is called once when that is over. */
  readonly serve: (collector: string, ended: (turn: Turn) => void) => void
}

export type QueueTurns = ReturnType<typeof createQueueTurns>

/**
 * Whose turn it is in the queue to the issuance service, and when. Waiting goes by the monotonic clock: a clock that
 * is set neither holds the queue nor hurries it.
 */
export function createQueueTurns({ clock, rng, serve }: QueueTurnsOptions) {
  /** Collectors whose next call may go, the longest waiting first. */
  const ready = new Set<string>()
  /** Collectors whose next call rests after an answer of 500, and what calls the rest off. */
  const resting = new Map<string, () => void>()
  const working = new Set<string>()
  /** Consecutive sends that found no loyalty service: the pause between tries grows with it, for the whole queue. */
  let unreachable = 0
  let pauseMs = 0
  let endPause: (() => void) | null = null
  let stopped = false

  function add(collector: string): void {
    if (!resting.has(collector)) ready.add(collector)
  }

  function pump(): void {
    // While nobody knows whether the loyalty service is there, one call at a time asks.
    const places = unreachable > 0 ? 1 : COLLECTORS_AT_ONCE
    for (const collector of ready) {
      if (stopped || endPause || working.size >= places) return
      // What came while its collector was being served waits for the end of that turn.
      if (working.has(collector)) continue
      ready.delete(collector)
      working.add(collector)
      serve(collector, (turn) => {
        end(collector, turn)
      })
    }
  }

  function end(collector: string, turn: Turn): void {
    working.delete(collector)
    if (turn === 'go-on') ready.add(collector)
    else if (turn === 'paused') {
      ready.add(collector)
      pause()
    } else if (turn !== 'nothing-left') rest(collector, turn.restMs)
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

  function pause(): void {
    // The loyalty service may have answered something else while this call's end was written.
    if (stopped || endPause || unreachable === 0) return
    // mutant: queue-by-wall-clock
    endPause = clock.after(pauseMs, () => {
      endPause = null
      pump()
    })
  }

  return {
    add,
    pump,

    /** A send was answered by the service. */
    taken(): void {
      unreachable = 0
    },

    /** A send found no service: answers how long the whole queue waits, in ms. */
    notTaken(): number {
      unreachable += 1
      pauseMs = fullJitter(BACKOFF, unreachable, rng.fraction())
      return pauseMs
    },

    /** How long a collector rests whose call was answered by an error this many times, in ms. */
    restAfter: (tries: number): number => fullJitter(BACKOFF, tries, rng.fraction()),

    /** The loyalty service answered something: what waits for it need not wait longer. */
    centralIsBack(): void {
      if (unreachable === 0) return
      unreachable = 0
      endPause?.()
      endPause = null
      pump()
    },

    stop(): void {
      stopped = true
      endPause?.()
      for (const callOff of resting.values()) callOff()
    },
    isStopped: (): boolean => stopped,
  }
}
