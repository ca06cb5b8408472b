import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { isStorageFailure, type Transact } from '../db/transact.ts'

interface Waiting {
  /** Does its work, inside the shared transaction, and answers who is to be told once the commit is on disk. */
  readonly work: () => () => void
  readonly refused: (error: unknown) => void
}

export interface Together {
  /** Resolves with what the work gave when it is on disk. What one work throws takes back that one alone. */
  soon<Result>(work: () => Result): Promise<Result>
  /** Commits at once what waits. */
  now(): void
}

/**
 * Works that come in the same turn of the event loop share one commit, and so one wait for the disk: while one commit
 * waits, answers and sends of other collectors gather, and the next commit takes them all. Each is a savepoint of its
 * own.
 */
export function createTogether({
  db,
  transact,
  clock,
}: {
  db: Pick<Database, 'transaction'>
  transact: Transact
  clock: Pick<Clock, 'after'>
}): Together {
  let waiting: Waiting[] = []
  const savepoint = db.transaction((work: Waiting['work']) => work())

  function commit(): void {
    const these = waiting
    waiting = []
    if (these.length === 0) return
    try {
      // mutant: told-before-commit
      for (const tell of transact(() => these.map(alone))) tell()
    } catch (error) {
      for (const { refused } of these) refused(error)
    }
  }

  function alone({ work, refused }: Waiting): () => void {
    try {
      return savepoint(work)
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
          work() {
            const result = work()
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
