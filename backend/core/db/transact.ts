import Database from 'better-sqlite3'
import type { StopReason } from '../../../contracts/staff/session.ts'

/** A transaction that is open. Whoever writes asks for it, so that nothing is written outside one. */
export interface Tx {
  /** Runs a statement that writes. Throws where the transaction has ended. */
  run<Params extends unknown[]>(statement: Writing<Params>, ...params: Params): Database.RunResult
}
interface Writing<Params extends unknown[]> {
  run(...params: Params): Database.RunResult
}

export interface Transact {
  /**
   * Runs the work in one IMMEDIATE transaction, or as a savepoint of the one that is open already. When the outermost
   * returns, the commit is on disk. A throw from the work rolls back what it did and is passed on.
   */
  <Result>(work: (tx: Tx) => Result): Result
  /**
   * For what tells others of a change or sends what it ordered: runs after the outermost commit, in the order of the
   * calls, whatever another throws; never when that is rolled back, and at once outside a transaction.
   */
  afterCommit(consequence: () => void): void
}

export interface FailStop {
  /** Why the terminal has stopped taking money, or null. */
  readonly reason: StopReason | null
}

/**
 * Told around every commit. Only what follows a commit in the same turn may stand here: a throw of `committed` is a
 * failure of storage.
 */
export interface CommitWatch {
  /** Inside the transaction, when all its work is done. */
  committing?(): void
  /** The commit is on disk. */
  committed?(): void
}

export interface TransactOptions {
  readonly db: Pick<Database.Database, 'transaction' | 'inTransaction'>
  readonly onStop: (error: Error, reason: StopReason) => void
  /** What a caller meets after the stop. */
  readonly refusal: (reason: StopReason) => Error
  /** Told of what a consequence threw: what is on the disk stands, whoever could not be told of it. */
  readonly onMissed: (error: unknown) => void
  readonly watch?: CommitWatch
}

/**
 * A commit that fails means that nobody knows what is on disk: it may even be there after reopening. So the first
 * failure stops every later write until the program is started again and recovery has looked (fail-stop).
 * Constraint errors are not failures of storage: they are the database refusing a mistake, and pass through.
 */
export function createTransact({ db, onStop, refusal, onMissed, watch }: TransactOptions): {
  transact: Transact
  failStop: FailStop
  halt: (error: Error) => void
} {
  let reason: FailStop['reason'] = null
  let inside: OpenTransaction | null = null
  let consequences: (() => void)[] = []
  const stop = (error: Error, why: StopReason = 'storage-failed'): Error => {
    if (reason === null) {
      reason = why
      onStop(error, why)
    }
    return refusal(reason ?? why)
  }
  // Made once: making one takes longer than many a statement.
  const inTransaction = db.transaction((work: (tx: Tx) => unknown, tx: Tx): unknown => {
    const done = work(tx)
    watch?.committing?.()
    return done
  })
  const inSavepoint = db.transaction((work: (tx: Tx) => unknown, tx: Tx): unknown => work(tx))

  function nested<Result>(work: (tx: Tx) => Result, tx: Tx): Result {
    const before = consequences.length
    try {
      return inSavepoint(work, tx) as Result
    } catch (error) {
      consequences.length = before
      throw error
    }
  }

  function outermost<Result>(work: (tx: Tx) => Result): Result {
    const tx = new OpenTransaction()
    inside = tx
    try {
      return inTransaction.immediate(work, tx) as Result
    } catch (error) {
      consequences = []
      throw isStorageFailure(error) ? stop(error) : error
    } finally {
      inside = null
      tx.ended = true
    }
  }

  function follow(): void {
    const following = consequences
    consequences = []
    for (const consequence of following) {
      try {
        consequence()
      } catch (error) {
        onMissed(error)
      }
    }
  }

  function transact<Result>(work: (tx: Tx) => Result): Result {
    if (reason !== null) throw refusal(reason)
    if (inside && db.inTransaction) return nested(work, inside)
    if (inside) throw stop(new Error('the database took the transaction back in the middle of the work'))
    const result = outermost(work)
    try {
      watch?.committed?.()
    } catch (error) {
      consequences = []
      throw stop(error instanceof Error ? error : new Error(String(error)))
    }
    follow()
    return result
  }
  transact.afterCommit = (consequence: () => void): void => {
    if (inside) consequences.push(consequence)
    else consequence()
  }
  // For who finds out otherwise that what is on the disk cannot be trusted.
  return {
    transact,
    failStop: {
      get reason() {
        return reason
      },
    },
    halt: (error) => {
      stop(error, 'database-changed')
    },
  }
}

/**
 * Transactions without the fail-stop, for what is no money: who is signed in, and what stands of it in the trail, also
 * on a terminal that takes none any more. Inside another transaction, a part of it. `committed` is told after each
 * commit of its own; what it throws is nobody's trouble here.
 */
export function createPlainTransact(
  db: Pick<Database.Database, 'transaction' | 'inTransaction'>,
  committed: () => void = () => undefined,
): <Result>(work: (tx: Tx) => Result) => Result {
  const inTransaction = db.transaction((work: (tx: Tx) => unknown, tx: Tx): unknown => work(tx))
  return <Result>(work: (tx: Tx) => Result): Result => {
    const tx = new OpenTransaction()
    try {
      return inTransaction.immediate(work, tx) as Result
    } finally {
      tx.ended = true
      if (!db.inTransaction) quietly(committed)
    }
  }
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // The next commit of the checkout meets the same disk, and stops the terminal.
  }
}

class OpenTransaction implements Tx {
  ended = false

  run<Params extends unknown[]>(statement: Writing<Params>, ...params: Params): Database.RunResult {
    if (this.ended) throw new Error('the transaction has ended')
    return statement.run(...params)
  }
}

const STORAGE_CODES = [
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_READONLY',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_CANTOPEN',
  'SQLITE_BUSY',
  'SQLITE_NOMEM',
]

/** A full disk takes a transaction back by itself: when the work looked away, its commit finds none to commit. */
const TAKEN_BACK = /no transaction is active/

/** True when it was the disk or the file that failed, and not a rule of the database that refused a row. */
export const isStorageFailure = (error: unknown): error is Error =>
  error instanceof Database.SqliteError &&
  (STORAGE_CODES.some((code) => error.code.startsWith(code)) || TAKEN_BACK.test(error.message))
