import type { Exchange } from '../../../../backend/core/central/transport.ts'
import type { HighWaterMark } from '../../../../backend/core/outbox/high-water.ts'
import type { StepObserver } from '../../../../backend/core/outbox/operation.ts'

/** Counts and times since the meter was created; `since` returns the difference of two readings. */
export interface Reading {
  readonly commits: number
  /** Milliseconds in COMMIT, which waits for the disk. */
  readonly syncMs: number
  /** Total response time of the simulated loyalty service in milliseconds. */
  readonly answerMs: number
}

/** Measures the disk wait of every commit and the time of every response, to subtract them from the total. */
export interface Meter {
  readonly observer: StepObserver
  around(mark: HighWaterMark): HighWaterMark
  answering(exchange: Exchange): Exchange
  read(): Reading
}

export function createMeter(): Meter {
  let [commits, syncMs, answerMs] = [0, 0, 0]
  let committing: number | null = null
  const committed = (): void => {
    if (committing === null) return
    syncMs += performance.now() - committing
    commits += 1
    committing = null
  }
  return {
    observer: {
      committing() {
        committing = performance.now()
      },
      committed,
    },
    // The write of the high-water mark is the first step after a commit, so the time of the commit ends here. The write
    // itself is the journal’s work and not a wait for the disk.
    around: (mark) => ({
      ...mark,
      note(newest) {
        committed()
        mark.note(newest)
      },
    }),
    answering: (exchange) => async (call, token) => {
      const from = performance.now()
      try {
        return await exchange(call, token)
      } finally {
        answerMs += performance.now() - from
      }
    },
    read: () => ({ commits, syncMs, answerMs }),
  }
}

export const since = (before: Reading, now: Reading): Reading => ({
  commits: now.commits - before.commits,
  syncMs: now.syncMs - before.syncMs,
  answerMs: now.answerMs - before.answerMs,
})
