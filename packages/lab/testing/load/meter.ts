import type { Exchange } from '../../../../backend/core/central/transport.ts'
import type { HighWaterMark } from '../../../../backend/core/outbox/high-water.ts'
import type { StepObserver } from '../../../../backend/core/outbox/operation.ts'

/** What passed between two readings. */
export interface Reading {
  readonly commits: number
  /** In COMMIT, which waits for the disk; milliseconds. */
  readonly syncMs: number
  /** In the far end's own work, while the near end can do nothing; milliseconds. */
  readonly answerMs: number
}

/** Takes the time of every commit's wait for the disk and of every answer, so that the rest can be told from them. */
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
    // The first thing after a commit that moved something is the mark: its own writing is the journal's work, not the
    // disk's sync.
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
