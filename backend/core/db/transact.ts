import Database from 'better-sqlite3'
import type { StopReason } from '../../../contracts/staff/session.ts'

/**
 * An open transaction. Functions that write take it as a parameter, so that nothing is written outside of one. See
 * docs/decisions/0004-sqlite-with-full-sync.md.
 */
export interface Tx {
  /** Runs a statement that writes. Throws after the transaction has ended. */
  run<Params extends unknown[]>(statement: Writing<Params>, ...params: Params): Database.RunResult
}
interface Writing<Params extends unknown[]> {
  run(...params: Params): Database.RunResult
}

export interface Transact {
  /**
   * Runs the work in one IMMEDIATE transaction, or in a savepoint inside an open one. When the outermost call returns,
   * the commit is on disk. An error of the work rolls it back and is rethrown.
   */
  <Result>(work: (tx: Tx) => Result): Result
  /**
   * Runs work after the outermost commit, in the order of the calls, even when other such work throws; never after a
   * rollback; at once outside a transaction. For events, and for sending queued calls.
   */
  afterCommit(consequence: () => void): void
}

export interface FailStop {
  readonly reason: StopReason | null
}

/**
 * Functions called around every commit. They must be synchronous; an error of `committed` counts as a storage failure.
 */
export interface CommitWatch {
  committing?(): void
  committed?(): void
}

export interface TransactOptions {
  readonly db: Pick<Database.Database, 'transaction' | 'inTransaction'>
  readonly onStop: (error: Error, reason: StopReason) => void
  readonly refusal: (reason: StopReason) => Error
  readonly onMissed: (error: unknown) => void
  readonly watch?: CommitWatch
}

/**
 * After a failed commit the state on disk is unknown: it may even be there after reopening. The first failure therefore
 * stops every later write until the program restarts and recovers (fail-stop). Constraint errors are rejected mistakes,
 * not storage failures, and are rethrown.
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
  // The transaction function of the library is created once, because creating it takes longer than many statements do.
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
    if (inside) throw stop(new Error('the database rolled the transaction back during the work'))
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
  // For components that find in another way that the database cannot be trusted: `halt` stops every later write.
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
 * Transactions that also run on a stopped terminal, for data other than money: sign-ins and their audit entries. Inside
 * another transaction they are part of that one. `committed` runs after each transaction of their own, even after a
 * rollback; its errors are ignored.
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
      if (!db.inTransaction) ignoreErrors(committed)
    }
  }
}

function ignoreErrors(work: () => void): void {
  try {
    work()
  } catch {
    // Ignore a disk error: the next commit of the checkout meets the same error and stops the terminal.
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

/**
 * Matches the error of a commit without a transaction: SQLite has rolled back by itself on a full disk, and the work
 * swallowed that error.
 */
const TAKEN_BACK = /no transaction is active/

/** Whether an error comes from the disk or the file rather than from a constraint. */
export const isStorageFailure = (error: unknown): error is Error =>
  error instanceof Database.SqliteError &&
  (STORAGE_CODES.some((code) => error.code.startsWith(code)) || TAKEN_BACK.test(error.message))
