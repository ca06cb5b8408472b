import pg, { type ClientConfig, type CustomTypesConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import pgpass from 'pgpass'
import { refused } from '../log.ts'

const CONNECT_MS = 5_000
/** Statement timeout: regular statements take less, and a longer one would block other transactions. */
const STATEMENT_MS = 15_000
/** Lock timeout, below the statement timeout, so that a lock wait is reported as such. */
const LOCK_MS = 10_000
/** Timeout of an idle transaction, whose server crashed or hangs. Its locks block others until then. */
const IDLE_IN_TRANSACTION_MS = 10_000
/** A connection without an answer for this long is treated as lost. */
const ANSWER_MS = STATEMENT_MS + 5_000
const KEEP_ALIVE_MS = 10_000

/** Settings of a database connection. `place` is the address without user and password, for messages and logs. */
export interface Connection {
  readonly config: ClientConfig
  readonly place: string
}

/**
 * Parses `postgres://user@host:port/database`, with PGPASSWORD or PGPASSFILE for a missing password. A folder as host
 * is a Unix socket: `postgres:///database?host=/run/postgresql`. Unqualified names resolve in `schema`. Throws a
 * readable Error, which contains no user and no password.
 */
export function connectionOf(url: string, schema: string | null): Connection {
  if (!/^postgres(ql)?:\/\//.test(url)) throw refused(['addressForm', 'addressFormElse'])
  if (schema !== null && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new Error(`${schema} is not a schema name: use lower-case letters, digits and _.`)
  const { password, ...given } = configOf(url)
  const target = targetOf(given)
  const settings = [
    given.options,
    // Acknowledged commits must be durable, even if the database defaults to asynchronous commits.
    '-c synchronous_commit=on',
    schema === null ? undefined : `-c search_path=${schema}`,
  ]
  const config: ClientConfig = {
    fallback_application_name: 'milepost-store',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...given,
    password: password || process.env['PGPASSWORD'] || (() => passwordOfFile(target)),
    types: TYPES,
    options: settings.filter((setting) => setting !== undefined).join(' '),
  }
  return { config, place: placeOf(target) }
}

function configOf(url: string): ClientConfig {
  try {
    return parseIntoClientConfig(url)
  } catch (error) {
    if (error instanceof Error && 'path' in error) throw refused('addressFile', { file: String(error.path) })
    // The original error is left out, because it may quote the URL with its password.
    throw refused(['addressUnread', 'addressUnreadDo'])
  }
}

interface Target {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

function targetOf(given: ClientConfig): Target {
  const { PGHOST, PGPORT, PGUSER, PGDATABASE, USER = '' } = process.env
  const user = given.user || PGUSER || USER
  return {
    host: given.host || PGHOST || 'localhost',
    port: given.port ?? Number(PGPORT || 5432),
    user,
    database: given.database || PGDATABASE || user,
  }
}

/** Reads the password from PGPASSFILE or ~/.pgpass, which only its owner may read; empty without one. */
const passwordOfFile = (target: Target): Promise<string> =>
  new Promise((resolve) => pgpass(target, (password = '') => resolve(password)))

const placeOf = ({ host, port, database }: Target): string =>
  `${host.startsWith('/') ? host : `${host}:${port}`}/${database}`

/** Parses a number. Throws when it cannot be exact: a missing amount is better than a wrong one. */
function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond 2^53`)
  return value
}

const { builtins } = pg.types
const BIGINT_ARRAY = 1016

/** Parsers of column types: BIGINT as a number; DATE as text, because a day has no time zone. */
const getTypeParser: CustomTypesConfig['getTypeParser'] = (type: number, format?: 'text' | 'binary') => {
  if (type === builtins.INT8) return wholeNumber
  if (type === builtins.DATE) return (text: string) => text
  const usual = pg.types.getTypeParser(type, format)
  return type === BIGINT_ARRAY ? (text: string) => numbersOf(usual(text)) : usual
}
const numbersOf = (values: readonly (string | null)[]) =>
  values.map((value) => (value === null ? null : wholeNumber(value)))
const TYPES: CustomTypesConfig = { getTypeParser }

/** SQL condition: the time is not in the future. Allows a minute for a database clock that was set back. */
export const isPast = (at: string): string => `${at} <= now() + interval '1 minute'`

/** SQL condition: the time is at most this many milliseconds ago; null when `at` is null. */
export const within = (at: string, ms: number): string =>
  `(${at} >= now() - interval '${ms} milliseconds' AND ${isPast(at)})`
