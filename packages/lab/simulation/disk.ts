import Database from 'better-sqlite3'
import type { Mark } from '../../../backend/core/outbox/high-water.ts'

/**
 * A disk that outlives the program: it holds what was committed. Each start gets a connection of its own to a copy of
 * it, so that a program that has crashed can neither write any more nor be read.
 */
export interface Disk {
  /** The bytes of the database as the last commit left them. */
  image: Buffer
  mark: Mark | null
}

/** Before and after a commit: what it answers is thrown in the commit's place. */
export interface CommitSteps {
  /** The work is done and not committed. Throw to lose it. */
  before(): void
  /** It is committed. Throw to make the program believe that it is not. */
  after(): void
  /** It was taken back. */
  lost(): void
}

/**
 * The database of one run of the program. Its `transaction` goes through the steps; everything else is the real thing.
 */
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
          // Called as it is, it is a savepoint of the transaction around it, and no step of its own.
          const savepoint = target.transaction(work)
          return Object.assign((...args: unknown[]) => savepoint(...args), {
            immediate: (...args: unknown[]) => {
              let done: unknown
              try {
                done = real.immediate(...args)
              } catch (error) {
                steps.lost()
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

/** What a disk says that could not write, or could not make sure. */
export const ioError = (): Error => new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
