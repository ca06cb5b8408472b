import Database from 'better-sqlite3'

/**
 * Runs the work in one IMMEDIATE transaction, or as part of the one that is open already. When it returns, the commit
 * is on disk. A throw from the work rolls back and is passed on.
 */
export type Transact = <Result>(work: () => Result) => Result

export interface FailStop {
  /** Why the terminal has stopped taking money, or null. */
  readonly reason: 'storage-failed' | null
}

/**
 * A commit that fails means that nobody knows what is on disk: it may even be there after reopening. So the first
 * failure stops every later write until the program is started again and recovery has looked (fail-stop).
 * Constraint errors are not failures of storage: they are the database refusing a mistake, and pass through.
 */
export function createTransact(db: Database.Database, onStop: (error: Error) => void, refusal: () => Error): { transact: Transact; failStop: FailStop } {
  let reason: FailStop['reason'] = null
  let inside = false
  const stop = (error: Error): Error => {
    if (reason === null) {
      reason = 'storage-failed'
      onStop(error)
    }
    return refusal()
  }
  const transact: Transact = (work) => {
    if (reason !== null) throw refusal()
    if (db.inTransaction) return work()
    if (inside) throw stop(new Error('the database took the transaction back in the middle of the work'))
    inside = true
    try {
      return db.transaction(work).immediate()
    } catch (error) {
      throw isStorageFailure(error) ? stop(error) : error
    } finally {
      inside = false
    }
  }
  return { transact, failStop: { get reason() { return reason } } }
}

const STORAGE_CODES = ['SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN', 'SQLITE_BUSY', 'SQLITE_NOMEM']

/** A full disk takes a transaction back by itself: when the work looked away, its commit finds none to commit. */
const TAKEN_BACK = /no transaction is active/

const isStorageFailure = (error: unknown): error is Error => error instanceof Database.SqliteError && (STORAGE_CODES.some((code) => error.code.startsWith(code)) || TAKEN_BACK.test(error.message))
