import { DatabaseError } from 'pg'
import { LocalizedError } from '../../../contracts/core/refusal.ts'
import type { Localized } from '../../../contracts/core/locales.ts'
import { wordsOf, type RefusedKey } from '../log.ts'

/** The database cannot be asked now. Its message says so in plain words, without user or password. */
export class DatabaseUnavailable extends LocalizedError {
  override name = 'DatabaseUnavailable'
  /** Whether what was asked may have been done all the same: the connection was lost after it was sent. */
  readonly mayBeDone: boolean
  /** Whether it answered, and lets nobody in: that passes by no waiting. */
  readonly isRefused: boolean

  constructor(messages: Localized, cause: unknown, how: { readonly mayBeDone: boolean; readonly isRefused: boolean }) {
    super(messages, { cause })
    this.mayBeDone = how.mayBeDone
    this.isRefused = how.isRefused
  }
}

/** Of PostgreSQL’s own codes, those that end a connection or let none begin (appendix A of its documentation). */
const CONNECTION_CODES = /^(08...|57P0[1-5]|53300|25P03)$/
const LOGIN_CODES = /^28...$/
const NO_DATABASE = '3D000'
/** Of a standby, or of a database that was made so: another server may be the one that writes by now. */
const READ_ONLY = '25006'
const DISK_FULL = '53100'
/** What Node says of sockets and names. */
const SYSTEM_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|EACCES|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
/** What node-postgres says without a code. */
const WORDS = [
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
  error instanceof Error && WORDS.some((words) => error.message.startsWith(words))

/** What node-postgres says where the server asks for a password and there is none. */
const isWithoutPassword = (error: unknown): boolean =>
  error instanceof Error && /^SASL: .* password must be/.test(error.message)

/** Whether the connection is of no use any more. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (error instanceof DatabaseError) return CONNECTION_CODES.test(code)
  return error instanceof AggregateError || SYSTEM_CODES.test(code) || startsKnown(error)
}

/** True for what another try of the same transaction mends: a conflict with one beside it. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

/**
 * True where it was what was asked that cannot be done, now or later: values that no row takes, or words of this
 * program. False for whatever passes, or is mended at the database: a lock, a full disk, a standby, a right that is
 * missing.
 */
export const isOfWhatWasAsked = (error: unknown): boolean =>
  error instanceof DatabaseError ? ASKED_CODES.test(codeOf(error)) : !isConnectionLost(error)
/** Cardinality, data, constraints, limits of the program, RAISE (appendix A). */
const ASKED_CODES = /^(21|22|23|54|P0)/

/** The error in words where the database cannot be asked; any other as it is. */
export function inWords(error: unknown, place: string, mayBeDone: boolean): unknown {
  const code = codeOf(error)
  const told = (keys: readonly RefusedKey[], { isRefused = false, why = '' } = {}) =>
    new DatabaseUnavailable(wordsOf(keys, { place, why }), error, { mayBeDone, isRefused })
  if (LOGIN_CODES.test(code) || isWithoutPassword(error))
    return told(['databaseLogin', 'databaseLoginDo'], { isRefused: true })
  if (code === NO_DATABASE) return told(['databaseUnknown'], { isRefused: true })
  if (code === '53300') return told(['databaseBusy'])
  if (code === READ_ONLY) return told(['databaseReadOnly', 'databaseReadOnlyDo'])
  if (code === DISK_FULL) return told(['databaseFull'])
  if (!isConnectionLost(error)) return error
  return told(['databaseAway', 'databaseAwayDo'], { why: code === '' ? '' : ` (${code})` })
}
