import type { Db } from './open.ts'

/** Runs synchronous work that writes, and resolves once it is durable. Work that throws is undone alone. */
export type Commit = <T>(work: () => T) => Promise<T>

interface Job {
  readonly run: () => void
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

/**
 * Groups the work of one turn of the event loop into one durable transaction, each piece inside its own savepoint:
 * one sync to disk pays for all of them, and a piece that fails takes none of the others with it.
 */
export function createCommitter(db: Db): Commit {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const mark = db.prepare('SAVEPOINT piece')
  const keep = db.prepare('RELEASE piece')
  const undo = db.prepare('ROLLBACK TO piece')
  let waiting: Job[] = []

  const flush = (): void => {
    const jobs = waiting
    waiting = []
    try {
      begin.run()
      for (const job of jobs) job.run()
      commit.run()
    } catch (error) {
      if (db.inTransaction) rollback.run()
      for (const job of jobs) job.fail(error)
      return
    }
    for (const job of jobs) job.settle()
  }

  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      let settle: () => void = () => undefined
      const run = (): void => {
        mark.run()
        try {
          const value = work()
          settle = () => resolve(value)
        } catch (error) {
          undo.run()
          settle = () => reject(error)
        }
        keep.run()
      }
      waiting.push({ run, settle: () => settle(), fail: reject })
      if (waiting.length === 1) setImmediate(flush)
    })
}
