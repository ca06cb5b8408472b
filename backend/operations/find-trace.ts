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
import { readMigrations, readSchema, tooNew } from '../core/db/migrate.ts'
import { createTraceReader, type TraceReader } from './traces.ts'
import { translate } from '../core/i18n.ts'
import { readInstallerCommand } from '../core/program/options.ts'

/*
 * `npm run milepost -- lane trace`: the traces of a receipt with the steps of its calls, or the receipt of a trace. It
 * reads the data folder of a lane, whether its terminal runs or not, and writes nothing. Ends with 0 when something was
 * found, 1 when nothing was.
 */
type Say = ReturnType<typeof wordsOf>
const NAMELESS = { folder: '', text: '', receipts: '' }

function wordsOf(locale: Locale) {
  const t = translate(locale)
  return (key: keyof typeof english.findTrace, values: Partial<typeof NAMELESS> = {}): string =>
    t(`installer.findTrace.${key}`, { ...NAMELESS, ...values })
}

interface Order {
  readonly data: string
  readonly text: string
  readonly json: boolean
  readonly locale: Locale
}

/** Null after the help. Throws StartRefusedError with the usage for anything that cannot be understood. */
function readOrder(argv: readonly string[]): Order | null {
  const usageIn = (locale: Locale): string => wordsOf(locale)('usage')
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
    throw new StartRefusedError(`${wordsOf(locale)('needed')}\n\n${usageIn(locale)}`, EXIT.badArguments)
  return { data: resolve(data), text: text.trim(), json, locale }
}

const RECEIPT = /^[A-Z0-9]{4,40}$/

/** The one receipt that is meant. Throws StartRefusedError where there are several, or what was typed is neither. */
function receiptOf(reader: TraceReader, text: string, say: Say): string | null {
  const trace = typedTraceId(text)
  if (trace !== null) return reader.receiptOf(trace)
  const typed = text.toUpperCase()
  if (!RECEIPT.test(typed)) throw new StartRefusedError(say('neither', { text }), EXIT.badArguments)
  const found = reader.receiptsEndingIn(typed)
  if (found.length > 1)
    throw new StartRefusedError(say('several', { text, receipts: found.join('\n') }), EXIT.badArguments)
  return found[0] ?? null
}

function linesOf({ purpose, trace, trackingNumber, path, steps }: TracedCall, locale: Locale): string[] {
  const t = translate(locale)
  const say = wordsOf(locale)
  return [
    '',
    `${t(`screens.queue.kind.${purpose}`)}  ${path}`,
    `  ${say('trace')}  ${trace}`,
    `  ${say('number')}  ${trackingNumber}`,
    ...steps.map(
      ({ at, state, sent }) => `  ${at}  ${t(`screens.queue.states.${state}`)}${sent ? `  → ${say('sent')}` : ''}`,
    ),
  ]
}

function find({ data, text, json, locale }: Order): number {
  const say = wordsOf(locale)
  const file = join(data, 'terminal.db')
  if (!existsSync(file)) throw new StartRefusedError(say('noDatabase', { folder: data }), EXIT.badArguments)
  const db = new Sqlite(file, { readonly: true, fileMustExist: true })
  try {
    const found = readSchema(db)
    if (found.schema < readMigrations().length || tooNew(found, readMigrations().length) !== null)
      throw new StartRefusedError(say('otherVersion'), EXIT.badArguments)
    const reader = createTraceReader(db)
    const receipt = receiptOf(reader, text, say)
    if (receipt === null) {
      process.stderr.write(`${say('nothing', { text })}\n`)
      return 1
    }
    const traces = reader.ofReceipt(receipt)
    const lines = [
      `${say('receipt')} ${receipt}`,
      ...(traces.calls.length === 0 ? [say('noCalls')] : traces.calls.flatMap((call) => linesOf(call, locale))),
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
  const order = readOrder(process.argv.slice(2))
  process.exitCode = order === null ? 0 : find(order)
} catch (error) {
  const refused = error instanceof StartRefusedError
  // Another error may name what it met: its kind is enough.
  process.stderr.write(`${refused ? error.message : wordsOf(FIRST_LOCALE)('failed')}\n`)
  process.exitCode = refused ? error.exitCode : 1
}
