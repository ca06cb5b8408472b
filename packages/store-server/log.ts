import type { FastifyBaseLogger } from 'fastify'
import { DatabaseError } from 'pg'
import { pino } from 'pino'
import { type LogCounts, maskInLog } from '../../contracts/core/log-fields.ts'
import { createTranslator } from 'use-intl/core'
import type { CommandLineError } from '../../contracts/core/command-line.ts'
import { CATALOGS, type Messages } from '../../contracts/i18n/catalogs.ts'
import { perLocale } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import { LocalizedError, formatRefusal } from '../../contracts/core/refusal.ts'
import { UNSTORABLE } from '../../contracts/store/bounds.ts'
import { storageTrouble } from '../../contracts/core/program.ts'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>

export interface WatchedLog {
  readonly counts: Pick<LogCounts, 'line'>
  readonly lost: () => void
}

/** Buffer size in bytes: lines that standard error rejects are buffered and written with the next accepted line. */
const MAX_BUFFERED_BYTES = 64 * 1024

/**
 * Writes JSON lines to standard error: level, time, msg, and the fields of `contracts/core/log-fields.ts`; `trace` when
 * a lane sent one. A full disk does not stop the server.
 */
export function createLog(level: string, watched?: WatchedLog): FastifyBaseLogger {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MAX_BUFFERED_BYTES })
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

/** Omits the message of a database error, which may quote values and other rows; its code is logged. */
function errorInLog(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name: type, message, stack = '' } = error
  const frames = stack.slice(stack.indexOf('\n    at ') + 1)
  if (!(error instanceof DatabaseError)) return { type, message, stack: frames }
  const { code, table, constraint } = error
  return { type: 'DatabaseError', code, table, constraint, stack: frames }
}

export const translatorOf = (locale: Locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'storeServer' })

export type RefusedKey = keyof Messages['storeServer']['refused']
const TRANSLATORS = perLocale(translatorOf)

export const refusalTexts = (keys: readonly RefusedKey[], values: Readonly<Record<string, string>> = {}) =>
  perLocale((locale) => {
    const translate: (key: `refused.${RefusedKey}`, values: Readonly<Record<string, string>>) => string =
      TRANSLATORS[locale]
    return keys.map((key) => translate(`refused.${key}`, values)).join(' ')
  })

export const refused = (
  keys: RefusedKey | readonly RefusedKey[],
  values: Readonly<Record<string, string>> = {},
  options?: ErrorOptions,
): LocalizedError => new LocalizedError(refusalTexts(typeof keys === 'string' ? [keys] : keys, values), options)

const MISTYPED = perLocale((locale) =>
  createTranslator({ locale, messages: CATALOGS[locale], namespace: 'files.command' }),
)

export const mistypedError = (cause: CommandLineError): LocalizedError =>
  new LocalizedError(
    perLocale((locale) => MISTYPED[locale](cause.key, cause.values)),
    { cause },
  )

/** Makes text from a lane printable on one line: replaces control characters, which could affect the console. */
export const printable = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\p{Cc}\p{Cf}]/gu, UNSTORABLE)

export const minuteOf = (at: Date): string =>
  `${at.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`

interface AddressedResource {
  readonly data: string
  readonly host?: string
  readonly port?: number
}

const OF_ADDRESS: ReadonlySet<string> = new Set(['listen', 'getaddrinfo'])

export function ofSystem(error: unknown, { data, host = '', port = 0 }: AddressedResource): unknown {
  // An address that cannot be used, for example a port without permission, is not an error of the folder.
  if (error instanceof Error && 'syscall' in error && 'code' in error && OF_ADDRESS.has(String(error.syscall)))
    return refused('cannotListen', { address: `${host}:${port}`, code: String(error.code) }, { cause: error })
  const trouble = storageTrouble(data, error)
  if (trouble === null) return error
  const messages = perLocale((locale) => formatRefusal(trouble.refusal, CATALOGS[locale].starting))
  return new LocalizedError(messages, { cause: error })
}

const Package = z.object({ version: z.string().min(1) })

export const programVersion = (): string =>
  Package.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, '../..', 'package.json'), 'utf8'))).version
