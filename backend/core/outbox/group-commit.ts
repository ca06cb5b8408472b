import type { Clock } from '../clock.ts'
import { isStorageFailure, type Transact, type Tx } from '../db/transact.ts'

interface Waiting {
  /** Does its work, inside the shared transaction, and answers who is to be told once the commit is on disk. */
  readonly work: (tx: Tx) => () => void
  readonly refused: (error: unknown) => void
}

export interface GroupCommit {
  /** Resolves with what the work gave when it is on disk. What one work throws takes back that one alone. */
  soon<Result>(work: (tx: Tx) => Result): Promise<Result>
  /** Commits at once what waits. */
  now(): void
}

/**
 * Works that come in the same turn of the event loop share one commit, and so one wait for the disk: while one commit
 * waits, answers and sends of other collectors gather, and the next commit takes them all. Each is a savepoint of its
 * own.
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
