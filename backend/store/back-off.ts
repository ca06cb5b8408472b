import type { Clock, Rng } from '../clock.ts'

const FIRST_MS = 500
const LONGEST_MS = 10_000

/** Waits between tries, longer each time, anywhere up to that (full jitter): thirty lanes do not come at once. */
export function createBackOff({ clock, rng }: { clock: Pick<Clock, 'after'>; rng: Pick<Rng, 'fraction'> }) {
  let tries = 0
  return {
    reset: (): void => {
      tries = 0
    },
    /** Resolves after the wait, or at once when the signal is aborted. */
    wait(signal: AbortSignal): Promise<void> {
      const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** tries)
      tries += 1
      return pause(clock, Math.max(50, most * rng.fraction()), signal)
    },
  }
}

export function pause(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
