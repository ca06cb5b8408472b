import Database from 'better-sqlite3'
import type { Mark } from '../../../backend/core/outbox/high-water.ts'

/**
 * A simulated disk that outlives the program: it has all committed data. Each start of the program opens its own copy,
 * so nothing that a crashed program still writes reaches the disk or a later start.
 */
export interface Disk {
  image: Buffer
  mark: Mark | null
}

/** Hooks around a commit. An error that a hook throws replaces the result of the commit. */
export interface CommitSteps {
  /** Called before the commit; an error thrown here loses the commit. */
  before(): void
  /** Called after the commit; an error thrown here makes the program believe that the commit failed. */
  after(): void
  rolledBack(): void
}

/** Opens the database of one run of the program. Its `transaction` calls the hooks; all other calls go to SQLite. */
export function openOn(disk: Disk, steps: CommitSteps): { db: Database.Database; raw: Database.Database } {
  const raw = new Database(disk.image)
  raw.pragma('foreign_keys = ON')
  const db = new Proxy(raw, {
    get(target, property) {
      if (property === 'transaction') {
        return (work: (...args: unknown[]) => unknown) => {
          const real = target.transaction((...args: unknown[]) => {
            const done = work(...args)
            steps.before()
            return done
          })
          // A transaction function that is called directly runs inside another transaction: it is a savepoint without
          // hooks.
          const savepoint = target.transaction(work)
          return Object.assign((...args: unknown[]) => savepoint(...args), {
            immediate: (...args: unknown[]) => {
              let done: unknown
              try {
                done = real.immediate(...args)
              } catch (error) {
                steps.rolledBack()
                throw error
              }
              steps.after()
              return done
            },
          })
        }
      }
      const value: unknown = Reflect.get(target, property, target)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  return { db, raw }
}

export const ioError = (): Error => new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
