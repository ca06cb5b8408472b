import pg, { type ClientConfig, type CustomTypesConfig } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import pgpass from 'pgpass'
import { refused } from '../log.ts'

/** How long a new connection may take. */
const CONNECT_MS = 5_000
/** No statement of the store server takes as long; one that does holds up others. */
const STATEMENT_MS = 15_000
/** Less than a statement’s: who waits for a lock is told so. */
const LOCK_MS = 10_000
/** A transaction that was begun and does nothing holds its locks: its server is gone or hangs. */
const IDLE_IN_TRANSACTION_MS = 10_000
/** What was sent and never answered: the connection is gone, and nobody said so. */
const ANSWER_MS = STATEMENT_MS + 5_000
const KEEP_ALIVE_MS = 10_000

/** Which database, without user or password: what words and logs may show. */
export interface Connection {
  readonly config: ClientConfig
  readonly place: string
}

/**
 * What `postgres://user@host:port/database` means, with PGPASSWORD or PGPASSFILE where it holds no password. A folder
 * as host is a Unix socket: `postgres:///database?host=/run/postgresql`. Names without a schema are looked for in
 * `schema`. Throws an Error in plain words, which holds nothing of the URL.
 */
export function connectionOf(url: string, schema: string | null): Connection {
  if (!/^postgres(ql)?:\/\//.test(url)) throw refused(['addressForm', 'addressFormElse'])
  if (schema !== null && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new Error(`${schema} is no name of a schema: lower-case letters, digits and _.`)
  const { password, ...given } = configOf(url)
  const target = targetOf(given)
  const settings = [
    given.options,
    // Of an answered call nothing is lost, whatever the database was told to do by itself.
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
    // Its own words may quote the URL, and the password with it.
    throw refused(['addressUnread', 'addressUnreadDo'])
  }
}

interface Target {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** What is left out of the URL comes from where every program of PostgreSQL has it. */
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

/** From PGPASSFILE or ~/.pgpass, which has to be its owner’s alone. Empty: it is not there. */
const passwordOfFile = (target: Target): Promise<string> =>
  new Promise((resolve) => pgpass(target, (password = '') => resolve(password)))

const placeOf = ({ host, port, database }: Target): string =>
  `${host.startsWith('/') ? host : `${host}:${port}`}/${database}`

/** Throws for what a number cannot hold exactly: a wrong number of cents is worse than none. */
function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond 2^53`)
  return value
}

const { builtins } = pg.types
const BIGINT_ARRAY = 1016

/** BIGINT as a number; DATE as the text that it is, as no day begins at the same time everywhere. */
const getTypeParser: CustomTypesConfig['getTypeParser'] = (type: number, format?: 'text' | 'binary') => {
  if (type === builtins.INT8) return wholeNumber
  if (type === builtins.DATE) return (text: string) => text
  const usual = pg.types.getTypeParser(type, format)
  return type === BIGINT_ARRAY ? (text: string) => numbersOf(usual(text)) : usual
}
const numbersOf = (values: readonly (string | null)[]) =>
  values.map((value) => (value === null ? null : wholeNumber(value)))
const TYPES: CustomTypesConfig = { getTypeParser }

/** Of no time to come, beside what happens at this moment: a clock of the database that was set back makes those. */
export const isPast = (at: string): string => `${at} <= now() + interval '1 minute'`

/** SQL that says whether it was so short a time ago; null where `at` is. Milliseconds. */
export const within = (at: string, ms: number): string =>
  `(${at} >= now() - interval '${ms} milliseconds' AND ${isPast(at)})`
