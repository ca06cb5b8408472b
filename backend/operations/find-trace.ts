import '../core/program/engine-settings.ts'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { TracedCall } from '../../contracts/operations/call-traces.ts'
import type english from '../../contracts/i18n/en-CA/installer.ts'
import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/core/locales.ts'
import { typedTraceId } from '../../contracts/core/trace.ts'
import { EXIT, folderRefusal, StartRefusedError } from '../core/program/data-folder.ts'
import { readMigrations, readSchema, whyTooNew } from '../core/db/migrate.ts'
import { createTraceReader, type TraceReader } from './traces.ts'
import { translate } from '../core/i18n.ts'
import { readInstallerCommand } from '../core/program/options.ts'

/*
 * `npm run milepost -- lane trace`: prints the calls of a receipt with their traces and steps. Finds the receipt by the
 * end of its number or by the trace of one call. Reads the data folder of a running or stopped lane and writes nothing.
 * Ends with 0 when it found the receipt, with 1 when it did not, and with another code for invalid arguments.
 */
type Texts = ReturnType<typeof textsOf>
const NAMELESS = { folder: '', text: '', receipts: '' }

function textsOf(locale: Locale) {
  const t = translate(locale)
  return (key: keyof typeof english.findTrace, values: Partial<typeof NAMELESS> = {}): string =>
    t(`installer.findTrace.${key}`, { ...NAMELESS, ...values })
}

interface Options {
  readonly data: string
  readonly text: string
  readonly json: boolean
  readonly locale: Locale
}

/**
 * Parses the options; returns null after printing the help. Throws StartRefusedError with the usage for invalid
 * options.
 */
function readOptions(argv: readonly string[]): Options | null {
  const usageIn = (locale: Locale): string => textsOf(locale)('usage')
  const { values, words, help, locale } = readInstallerCommand(
    argv,
    { texts: 'data language', flags: 'json', words: true },
    usageIn,
  )
  if (help) {
    process.stdout.write(`${usageIn(locale)}\n`)
    return null
  }
  const { data, json } = values
  const [text, ...more] = words
  if (data === undefined || text === undefined || more.length > 0)
    throw new StartRefusedError(`${textsOf(locale)('needed')}\n\n${usageIn(locale)}`, EXIT.badArguments)
  return { data: resolve(data), text: text.trim(), json, locale }
}

const RECEIPT = /^[A-Z0-9]{4,40}$/

/**
 * Finds the receipt. Throws StartRefusedError when several match, or when the input is neither a receipt nor a trace.
 */
function receiptOf(reader: TraceReader, text: string, t: Texts): string | null {
  const trace = typedTraceId(text)
  if (trace !== null) return reader.receiptOf(trace)
  const typed = text.toUpperCase()
  if (!RECEIPT.test(typed)) throw new StartRefusedError(t('neither', { text }), EXIT.badArguments)
  const found = reader.receiptsEndingIn(typed)
  if (found.length > 1)
    throw new StartRefusedError(t('several', { text, receipts: found.join('\n') }), EXIT.badArguments)
  return found[0] ?? null
}

function linesOf({ purpose, trace, trackingNumber, path, steps }: TracedCall, locale: Locale): string[] {
  const [t, text] = [translate(locale), textsOf(locale)]
  return [
    '',
    `${t(`screens.queue.kind.${purpose}`)}  ${path}`,
    `  ${text('trace')}  ${trace}`,
    `  ${text('number')}  ${trackingNumber}`,
    ...steps.map(
      ({ at, state, sent }) => `  ${at}  ${t(`screens.queue.states.${state}`)}${sent ? `  → ${text('sent')}` : ''}`,
    ),
  ]
}

function find({ data, text, json, locale }: Options): number {
  const t = textsOf(locale)
  const file = join(data, 'terminal.db')
  if (!existsSync(file)) throw new StartRefusedError(t('noDatabase', { folder: data }), EXIT.badArguments)
  const db = new Sqlite(file, { readonly: true, fileMustExist: true })
  try {
    const found = readSchema(db)
    if (found.schema < readMigrations().length || whyTooNew(found, readMigrations().length) !== null)
      throw new StartRefusedError(t('otherVersion'), EXIT.badArguments)
    const reader = createTraceReader(db)
    const receipt = receiptOf(reader, text, t)
    if (receipt === null) {
      process.stderr.write(`${t('nothing', { text })}\n`)
      return 1
    }
    const traces = reader.ofReceipt(receipt)
    const lines = [
      `${t('receipt')} ${receipt}`,
      ...(traces.calls.length === 0 ? [t('noCalls')] : traces.calls.flatMap((call) => linesOf(call, locale))),
    ]
    process.stdout.write(`${json ? JSON.stringify(traces) : lines.join('\n')}\n`)
    return 0
  } catch (error) {
    throw folderRefusal(data, error)
  } finally {
    db.close()
  }
}

try {
  const options = readOptions(process.argv.slice(2))
  process.exitCode = options === null ? 0 : find(options)
} catch (error) {
  const refused = error instanceof StartRefusedError
  // Another error's message may contain data of the lane, so a general one is printed.
  process.stderr.write(`${refused ? error.message : textsOf(FIRST_LOCALE)('failed')}\n`)
  process.exitCode = refused ? error.exitCode : 1
}
