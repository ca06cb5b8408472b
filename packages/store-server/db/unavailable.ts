import { DatabaseError } from 'pg'
import { LocalizedError } from '../../../contracts/core/refusal.ts'
import type { Localized } from '../../../contracts/core/locales.ts'
import { refusalTexts, type RefusedKey } from '../log.ts'

/** Error: the database is unavailable. The message is readable and contains no user name or password. */
export class DatabaseUnavailable extends LocalizedError {
  override name = 'DatabaseUnavailable'
  /** Whether the failed statement may have been executed: the connection was lost after the statement was sent. */
  readonly mayBeDone: boolean
  /** Whether the login is rejected or the database does not exist, so that waiting does not help. */
  readonly isRefused: boolean

  constructor(messages: Localized, cause: unknown, how: { readonly mayBeDone: boolean; readonly isRefused: boolean }) {
    super(messages, { cause })
    this.mayBeDone = how.mayBeDone
    this.isRefused = how.isRefused
  }
}

/** PostgreSQL error codes that end or refuse a connection (appendix A of its documentation). */
const CONNECTION_CODES = /^(08...|57P0[1-5]|53300|25P03)$/
const LOGIN_CODES = /^28...$/
const NO_DATABASE = '3D000'
/** Error code of a standby or a database in read-only mode; the primary may have changed. */
const READ_ONLY = '25006'
const DISK_FULL = '53100'
const SYSTEM_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|EACCES|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const CLIENT_ERRORS = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed',
  'The server does not support SSL',
]

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const startsKnown = (error: unknown): boolean =>
  error instanceof Error && CLIENT_ERRORS.some((words) => error.message.startsWith(words))

const isWithoutPassword = (error: unknown): boolean =>
  error instanceof Error && /^SASL: .* password must be/.test(error.message)

export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (error instanceof DatabaseError) return CONNECTION_CODES.test(code)
  return error instanceof AggregateError || SYSTEM_CODES.test(code) || startsKnown(error)
}

/** Returns whether a statement conflicted with concurrent transactions, which a retry resolves. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

/**
 * Returns whether the statement can never succeed: it has invalid values, or this program has an error. False for
 * temporary errors and those that an administrator can fix: a lock, a full disk, a standby, a missing right.
 */
export const isStatementError = (error: unknown): boolean =>
  error instanceof DatabaseError ? STATEMENT_CODES.test(codeOf(error)) : !isConnectionLost(error)
/** PostgreSQL error codes (appendix A) for cardinality, data, constraints, program limits and RAISE. */
const STATEMENT_CODES = /^(21|22|23|54|P0)/

export function toReadableError(error: unknown, place: string, mayBeDone: boolean): unknown {
  const code = codeOf(error)
  const unavailable = (keys: readonly RefusedKey[], { isRefused = false, why = '' } = {}) =>
    new DatabaseUnavailable(refusalTexts(keys, { place, why }), error, { mayBeDone, isRefused })
  if (LOGIN_CODES.test(code) || isWithoutPassword(error))
    return unavailable(['databaseLogin', 'databaseLoginDo'], { isRefused: true })
  if (code === NO_DATABASE) return unavailable(['databaseUnknown'], { isRefused: true })
  if (code === '53300') return unavailable(['databaseBusy'])
  if (code === READ_ONLY) return unavailable(['databaseReadOnly', 'databaseReadOnlyDo'])
  if (code === DISK_FULL) return unavailable(['databaseFull'])
  if (!isConnectionLost(error)) return error
  return unavailable(['databaseAway', 'databaseAwayDo'], { why: code === '' ? '' : ` (${code})` })
}
