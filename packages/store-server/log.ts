import type { FastifyBaseLogger } from 'fastify'
import { DatabaseError } from 'pg'
import { pino } from 'pino'
import { type LogCounts, maskInLog } from '../../contracts/core/log-fields.ts'
import { createTranslator } from 'use-intl/core'
import type { CommandLineError } from '../../contracts/core/command-line.ts'
import { CATALOGS, type Messages } from '../../contracts/i18n/catalogs.ts'
import { perLocale } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import { LocalizedError, sayRefusal } from '../../contracts/core/refusal.ts'
import { UNSTORABLE } from '../../contracts/store/bounds.ts'
import { storageTrouble } from '../../contracts/core/program.ts'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>

/** Told of the lines of a log; `lost`: of one that could not be written. */
export interface WatchedLog {
  readonly counts: Pick<LogCounts, 'line'>
  readonly lost: () => void
}

/** What standard error does not take is kept up to so many bytes, and written with the next line that it takes. */
const MOST_KEPT = 64 * 1024

/**
 * Lines of JSON on standard error: level, time, msg, and fields by the names that `contracts/core/log-fields.ts` lists;
 * `trace` where a lane gave one. A disk that is full keeps nobody from being served.
 */
export function createLog(level: string, watched?: WatchedLog): FastifyBaseLogger {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MOST_KEPT })
  destination.on('error', () => undefined)
  destination.on('drop', () => watched?.lost())
  const masked = {
    write(line: string) {
      const written = maskInLog(line)
      watched?.counts.line(line, written !== line)
      destination.write(written)
    },
  }
  const serializers = { err: errorInLog }
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime, serializers }, masked)
}

/** The database quotes in its words what it was given, and whose row was in the way: of them its code is enough. */
function errorInLog(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name: type, message, stack = '' } = error
  const frames = stack.slice(stack.indexOf('\n    at ') + 1)
  if (!(error instanceof DatabaseError)) return { type, message, stack: frames }
  const { code, table, constraint } = error
  return { type: 'DatabaseError', code, table, constraint, stack: frames }
}

/** What the commands of the server say, in one language. */
export const translatorOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'storeServer' })

export type RefusedKey = keyof Messages['storeServer']['refused']
const TRANSLATORS = perLocale(translatorOf)

/** Sentences of `storeServer.refused` in every language, one after the other. */
export const wordsOf = (keys: readonly RefusedKey[], values: Readonly<Record<string, string>> = {}) =>
  perLocale((locale) => {
    const say: (key: `refused.${RefusedKey}`, values: Readonly<Record<string, string>>) => string = TRANSLATORS[locale]
    return keys.map((key) => say(`refused.${key}`, values)).join(' ')
  })

/** What cannot be done, and what to do. */
export const refused = (
  keys: RefusedKey | readonly RefusedKey[],
  values: Readonly<Record<string, string>> = {},
  options?: ErrorOptions,
): LocalizedError => new LocalizedError(wordsOf(typeof keys === 'string' ? [keys] : keys, values), options)

const MISTYPED = perLocale((locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'files.command' }),
)

/** A mistake in a command line, in every language. */
export const mistypedError = (cause: CommandLineError): LocalizedError =>
  new LocalizedError(
    perLocale((locale) => MISTYPED[locale](cause.key, cause.values)),
    { cause },
  )

/** What a lane told is shown as one line of text: no sign of it begins another, or orders the terminal about. */
export const printable = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\p{Cc}\p{Cf}]/gu, UNSTORABLE)

/** To the minute, in UTC, as it is written in every language. */
export const minuteOf = (at: Date): string =>
  `${at.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`

interface Asked {
  readonly data: string
  readonly host?: string
  readonly port?: number
}

const OF_ADDRESS: ReadonlySet<string> = new Set(['listen', 'getaddrinfo'])

/** What the system has refused this command, in words; any other error as it is. */
export function ofSystem(error: unknown, { data, host = '', port = 0 }: Asked): unknown {
  // A port that this user may not have is no trouble of the folder.
  if (error instanceof Error && 'syscall' in error && 'code' in error && OF_ADDRESS.has(String(error.syscall)))
    return refused('cannotListen', { address: `${host}:${port}`, code: String(error.code) }, { cause: error })
  const trouble = storageTrouble(data, error)
  if (trouble === null) return error
  const messages = perLocale((locale) => sayRefusal(trouble.refusal, CATALOGS[locale].starting))
  return new LocalizedError(messages, { cause: error })
}

const Package = z.object({ version: z.string().min(1) })

/** The version of the program that this server is of. */
export const programVersion = (): string =>
  Package.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, '../..', 'package.json'), 'utf8'))).version
