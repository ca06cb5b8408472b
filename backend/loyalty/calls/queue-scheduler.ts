import type { Clock, Rng } from '../../core/clock.ts'
import { fullJitter } from '../../core/central/waits.ts'
import { FIRST_PACE, PACE, type SendResult, type Moment, type PaceRules } from './queue-pace.ts'

const PAUSE = { baseMs: 1_000, capMs: 60_000 } as const

export type ServeResult = 'nothing-left' | 'go-on' | { readonly pauseMs: number }

export type QueueScheduler = ReturnType<typeof createQueueScheduler>

/**
 * Schedules the collectors of the issuance queue by the monotonic clock. `serve` sends one call of a collector and then
 * calls `ended` once. `isBlocked` is true while a redemption is in flight or waits, because its customer is at the
 * checkout.
 */
export function createQueueScheduler(
  { clock, rng }: { readonly clock: Clock; readonly rng: Pick<Rng, 'fraction'> },
  serve: (collector: string, ended: (turn: ServeResult) => void) => void,
  isBlocked: () => boolean = () => false,
  rules: PaceRules = PACE,
) {
  const ready = new Set<string>()
  const resting = new Map<string, () => void>()
  const working = new Set<string>()
  let pace = FIRST_PACE
  let cancelPump: (() => void) | null = null
  let stopped = false

  function add(collector: string): void {
    if (!resting.has(collector)) ready.add(collector)
  }

  const size = (): number => ready.size + resting.size + working.size

  const moment = (): Moment => ({
    now: clock.monotonic(),
    fraction: rng.fraction(),
    waiting: size(),
  })

  function pump(): void {
    for (const collector of ready) {
      if (stopped || isBlocked() || working.size >= rules.places(pace)) return
      if (working.has(collector)) continue
      const waitMs = pace.notBefore - clock.monotonic()
      if (waitMs > 0) return schedulePump(waitMs)
      ready.delete(collector)
      working.add(collector)
      pace = rules.sent(pace, moment())
      serve(collector, (result) => {
        end(collector, result)
      })
    }
  }

  function schedulePump(waitMs: number): void {
    cancelPump?.()
    cancelPump = clock.after(waitMs, () => {
      cancelPump = null
      pump()
    })
  }

  function end(collector: string, turn: ServeResult): void {
    working.delete(collector)
    if (turn === 'go-on') ready.add(collector)
    else if (turn !== 'nothing-left') pauseCollector(collector, turn.pauseMs)
    pump()
  }

  function pauseCollector(collector: string, ms: number): void {
    if (stopped) return
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

    /** Records the result of a send and returns how long the queue now waits, in ms. Must be called before `ended`. */
    recordResult(result: SendResult): number {
      pace = rules.recordResult(pace, result, moment())
      return Math.max(0, Math.ceil(pace.notBefore - clock.monotonic()))
    },

    restAfter: (tries: number): number => fullJitter(PAUSE, tries, rng.fraction()),

    stop(): void {
      stopped = true
      cancelPump?.()
      for (const callOff of resting.values()) callOff()
    },
    isStopped: (): boolean => stopped,
    size,
  }
}
