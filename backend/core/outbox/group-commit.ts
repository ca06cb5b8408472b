import type { Clock } from '../clock.ts'
import { isStorageFailure, type Transact, type Tx } from '../db/transact.ts'

interface Waiting {
  readonly work: (tx: Tx) => () => void
  readonly refused: (error: unknown) => void
}

export interface GroupCommit {
  /**
   * Queues work, and resolves with its result when it is on disk. An error of one piece of work rolls back only that
   * piece.
   */
  soon<Result>(work: (tx: Tx) => Result): Promise<Result>
  now(): void
}

/**
 * Pieces of work that are queued in one tick share one commit and one disk sync, because each sync takes milliseconds.
 * Each piece runs in its own savepoint.
 */
export function createGroupCommit({
  transact,
  clock,
}: {
  transact: Transact
  clock: Pick<Clock, 'after'>
}): GroupCommit {
  let waiting: Waiting[] = []

  function commit(): void {
    const these = waiting
    waiting = []
    if (these.length === 0) return
    try {
      for (const notify of transact(() => these.map(alone))) notify()
    } catch (error) {
      for (const { refused } of these) refused(error)
    }
  }

  function alone({ work, refused }: Waiting): () => void {
    try {
      return transact(work)
    } catch (error) {
      if (isStorageFailure(error)) throw error
      return () => {
        refused(error)
      }
    }
  }

  return {
    soon: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) clock.after(0, commit)
        waiting.push({
          work(tx) {
            const result = work(tx)
            return () => {
              resolve(result)
            }
          },
          refused: reject,
        })
      }),
    now: commit,
  }
}
