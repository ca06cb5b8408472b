import Database from 'better-sqlite3'
import type { Mark } from '../../../backend/core/outbox/high-water.ts'

/**
 * A disk that outlives the program: it has all committed data. Each start opens its own copy, so a crashed program can
 * neither write nor be read.
 */
export interface Disk {
  /** The bytes of the database after the last commit. */
  image: Buffer
  mark: Mark | null
}

/** Hooks around a commit; an error that they throw replaces the result of the commit. */
export interface CommitSteps {
  /** Before the commit. Throw to lose it. */
  before(): void
  /** After the commit. Throw to make the program believe that it failed. */
  after(): void
  /** After a rollback. */
  rolledBack(): void
}

/** The database of one run of the program. Its `transaction` calls the hooks; all else is SQLite. */
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
          // Called directly, it is a savepoint inside a transaction, without hooks.
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

/** The error of a failed write or sync. */
export const ioError = (): Error => new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
