import { isDeepStrictEqual } from 'node:util'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import type { ExportedFile, ReadCounts, RefusedFile } from '../../contracts/catalog/files.ts'
import type { RefusedRow } from '../../contracts/catalog/catalog.ts'
import { NAME_COLUMNS } from '../../contracts/catalog/cells.ts'
import { PROMOTION_BUYERS, REWARDS, type WrongField } from '../../contracts/catalog/promotion-fields.ts'
import { ChargeKind } from '../../contracts/catalog/charges.ts'
import type { ProblemCode } from '../../contracts/core/errors.ts'
import { csvFile, withoutApostrophes } from '../../contracts/core/csv.ts'
import type { Localized } from '../../contracts/core/locales.ts'
import { CARD_NUMBER } from '../../contracts/core/text.ts'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import type { Ctx } from '../core/context.ts'
import type { App } from '../core/http/app.ts'
import { fileMessages } from '../core/i18n.ts'
import { ProblemError } from '../core/problem.ts'
import { dayAt } from '../core/zone.ts'
import { CsvError, type CsvRecord, catalogText, encodingOf, parseCsv } from './editions/csv.ts'
import { quoteMessage, separatorOf } from './editions/load.ts'
import type { TableForm } from './book-columns.ts'

const MAX_ROWS = 200
const MAX_SHOWN = 60
const LONGEST_SKU = 14
export const MAX_FILE_BYTES = 8 * 1024 * 1024

/**
 * A value that makes an entry unusable: an item, department or category that the catalog does not have, or a code that
 * no scan finds.
 */
export interface UnusableName {
  readonly field: string
  readonly kind: 'item' | 'department' | 'category' | 'code'
  readonly name: string
}

const PROBLEMS = {
  item: 'item-unknown',
  department: 'department-unknown',
  category: 'category-unknown',
  code: 'code-not-scannable',
} as const satisfies Record<UnusableName['kind'], ProblemCode>

/** Throws the problem of the first unusable name. */
export function refuseUnusable([unusable]: readonly UnusableName[], path: string): void {
  if (unusable !== undefined) throw new ProblemError(PROBLEMS[unusable.kind], [{ path, message: unusable.name }])
}

type Form = WrongField[1] | TableForm
export type ReadCells = { readonly draft: object } | { readonly wrong: readonly (readonly [string, Form])[] }

/** The file of a book: a CSV file with one row for each entry. */
export interface BookFileRules<Entry, Found> {
  readonly name: 'promotions' | 'charges' | 'coupons' | 'manufacturer-coupons'
  /** Columns; the first is the key of an entry. */
  readonly columns: readonly string[]
  readonly required: readonly string[]
  readonly maxEntries: number
  readonly book: { readonly all: () => readonly Entry[]; readonly keyOf: (entry: Entry) => string }
  readonly textsOf: (entry: Entry) => Readonly<Record<string, string | undefined>>
  readonly read: (texts: (column: string) => string, decimalComma: boolean) => ReadCells
  readonly entry: z.ZodType<Entry>
  /** Stricter schema for an added or changed entry; default: `entry`. */
  readonly saved?: z.ZodType<Entry>
  readonly unusableIn: (entry: Entry) => readonly UnusableName[]
  /** Returns the fields of the response that have the added and changed entries. */
  readonly found: (entries: Entry[]) => Found
}

type Report = (line: number, column: string | null, messages: Localized) => void

const rowOf = <Entry, Found>({ columns, textsOf }: BookFileRules<Entry, Found>, entry: Entry): string[] => {
  const texts = textsOf(entry)
  return columns.map((column) => (texts[column] ?? '').trim())
}

/** All entries of a book as a CSV file, one row each. */
export const exportBook = <Entry, Found>(ctx: Ctx, rules: BookFileRules<Entry, Found>): ExportedFile => ({
  csv: csvFile(
    rules.columns,
    rules.book.all().map((entry) => rowOf(rules, entry)),
  ),
  fileName:
    `${rules.name}_${ctx.profile.store.id.replaceAll(/[^A-Za-z0-9-]/g, '-')}_` +
    `${dayAt(ctx.clock.now(), ctx.profile.timeZone)}.csv`,
})

/** Reads a CSV file of a book and compares it with the store's entries. One wrong row refuses the whole file. */
export function readBook<Entry, Found>(
  rules: BookFileRules<Entry, Found>,
  bytes: Uint8Array,
): RefusedFile | (ReadCounts & Found) {
  const rows: RefusedRow[] = []
  let refused = 0
  const report: Report = (line, column, messages) => {
    refused += 1
    if (rows.length < MAX_ROWS) rows.push({ line, column, messages })
  }
  const known = new Map(rules.book.all().map((entry) => [rules.book.keyOf(entry), rowOf(rules, entry)]))
  const isSame = (entry: Entry): boolean => isDeepStrictEqual(known.get(rules.book.keyOf(entry)), rowOf(rules, entry))
  const encoding = encodingOf(bytes)
  const found =
    typeof encoding === 'string'
      ? entriesIn(rules, catalogText([bytes], encoding), isSame, report)
      : (report(encoding.line ?? 1, null, encoding.messages), [])
  const different = found.filter((entry) => !isSame(entry))
  const added = different.filter((entry) => !known.has(rules.book.keyOf(entry))).length
  if (refused === 0 && added > 0 && known.size + added > rules.maxEntries)
    report(1, null, fileMessages('books.tooMany', { most: rules.maxEntries }))
  if (refused > 0) return { kind: 'refused', rows, refused }
  return {
    kind: 'read',
    added,
    changed: different.length - added,
    same: found.length - different.length,
    ...rules.found(different),
  }
}

function entriesIn<Entry, Found>(
  rules: BookFileRules<Entry, Found>,
  text: Generator<string>,
  isSame: (entry: Entry) => boolean,
  report: Report,
): Entry[] {
  const [separator, pieces] = separatorOf(text)
  const records = parseCsv(pieces, separator)
  const found: Entry[] = []
  const lines = new Map<string, number>()
  const [keyColumn = ''] = rules.columns
  try {
    const columns = headerOf(rules, records, report)
    if (columns === null) return []
    let isEmpty = true
    for (const { line, fields } of records) {
      isEmpty = false
      const row = { line, fields, columns, decimalComma: separator !== ',' }
      const entry = entryOf(rules, row, isSame, report)
      if (entry === null) continue
      const key = rules.book.keyOf(entry)
      const first = lines.get(key)
      if (first !== undefined)
        report(line, keyColumn, fileMessages('books.sameKey', { column: keyColumn, value: key, line: first }))
      lines.set(key, first ?? line)
      found.push(entry)
    }
    if (isEmpty) report(1, null, fileMessages('books.none'))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    report(error.line, null, quoteMessage(error))
  }
  return found
}

/** Returns the column names in the header of the file, or null after reporting its errors. */
function headerOf(
  { columns, required }: Pick<BookFileRules<never, unknown>, 'columns' | 'required'>,
  records: Generator<CsvRecord>,
  report: Report,
): readonly string[] | null {
  let header = records.next()
  // Excel names the separator on a line of its own.
  if (!header.done && /^sep=/i.test(header.value.fields[0] ?? '')) header = records.next()
  if (header.done) {
    report(1, null, fileMessages('books.empty', { columns: required.join(', ') }))
    return null
  }
  const { line, fields } = header.value
  const names = fields.map((name) => name.trim().toLowerCase())
  let isValid = true
  const wrong = (column: string, messages: Localized): void => {
    isValid = false
    report(line, column.slice(0, MAX_SHOWN), messages)
  }
  for (const column of required)
    if (!names.includes(column)) wrong(column, fileMessages('catalog.columnMissing', { column }))
  for (const name of new Set(names)) {
    const shown = name.slice(0, MAX_SHOWN)
    if (!columns.includes(name))
      wrong(shown, fileMessages('catalog.columnUnknown', { name: shown, known: columns.join(', ') }))
    else if (names.indexOf(name) !== names.lastIndexOf(name)) wrong(name, fileMessages('catalog.columnTwice', { name }))
  }
  return isValid ? names : null
}

interface Row {
  readonly line: number
  readonly fields: readonly string[]
  readonly columns: readonly string[]
  readonly decimalComma: boolean
}

/**
 * Returns the entry of a row, or null after reporting its errors. Does not check the codes and names of an entry that
 * is the same in the store.
 */
function entryOf<Entry, Found>(
  rules: BookFileRules<Entry, Found>,
  { line, fields, columns, decimalComma }: Row,
  isSame: (entry: Entry) => boolean,
  report: Report,
): Entry | null {
  if (fields.length !== columns.length) {
    report(line, null, fileMessages('catalog.valueCount', { wanted: columns.length, found: fields.length }))
    return null
  }
  const text = (column: string): string => withoutApostrophes((fields[columns.indexOf(column)] ?? '').trim()).trim()
  const read = rules.read(text, decimalComma)
  if ('wrong' in read) {
    for (const [column, form] of read.wrong) {
      const found = text(column).slice(0, MAX_SHOWN)
      report(line, column, fileMessages('catalog.wrong', { column, expected: formText(form), found }))
    }
    return null
  }
  const entry = rules.entry.safeParse(read.draft)
  if (!entry.success) {
    reportIssues(entry.error.issues, rules.columns, (column, messages) => report(line, column, messages))
    return null
  }
  if (isSame(entry.data)) return entry.data
  const unusable = rules.unusableIn(entry.data)
  for (const { field, kind, name } of unusable) {
    const values = { column: field, value: name.slice(0, MAX_SHOWN) }
    report(line, field, fileMessages(isShortened(name) ? 'catalog.shortened' : `books.unusable-${kind}`, values))
  }
  if (unusable.length > 0) return null
  const saved = (rules.saved ?? rules.entry).safeParse(entry.data)
  if (saved.success) return saved.data
  reportIssues(saved.error.issues, rules.columns, (column, messages) => report(line, column, messages))
  return null
}

/**
 * Reports the errors that only the schema of an entry finds: card numbers in names and codes, and lists that are too
 * long. Reading the cells has found all others.
 */
function reportIssues(
  issues: readonly Pick<z.core.$ZodIssue, 'path' | 'message'>[],
  columns: readonly string[],
  report: (column: string | null, messages: Localized) => void,
): void {
  for (const { path, message } of issues) {
    const locale = LOCALES.findIndex((one) => one === path[1])
    const column = columns.find((one) => one === (locale === -1 ? path[0] : NAME_COLUMNS[locale])) ?? null
    if (message === CARD_NUMBER && column !== null) report(column, fileMessages('catalog.cardNumber', { column }))
    else report(null, fileMessages('books.items'))
  }
}

/** Whether a spreadsheet replaced the last digits of a number by an exponent. */
export const isShortened = (text: string): boolean => /^\d+(?:[.,]\d+)?E\+?\d+$/i.test(text)

const LISTS = { reward: REWARDS, buyers: PROMOTION_BUYERS, kind: ChargeKind.options } as const

const formText = (form: Form): Localized => {
  switch (form) {
    case 'reward':
    case 'buyers':
    case 'kind':
      return fileMessages('value.oneOf', { list: LISTS[form].join(', ') })
    case 'sku':
      return fileMessages('catalog.sku')
    default:
      return fileMessages(`books.${form}`)
  }
}

/** Restores the leading zeros that a spreadsheet removes from a number, if exactly one such number is known. */
export function withLeadingZeros(text: string, isKnown: (text: string) => boolean): string {
  if (isKnown(text) || !/^\d+$/.test(text)) return text
  const padded = Array.from({ length: Math.max(LONGEST_SKU - text.length, 0) }, (_, zeros) =>
    text.padStart(text.length + zeros + 1, '0'),
  ).filter(isKnown)
  return padded.length === 1 ? (padded[0] ?? text) : text
}

/** Registers routes whose request body is a file. */
export const serveFiles = (app: App, add: (scope: App) => void): void =>
  void app.register(async (plain) => {
    const scope = plain.withTypeProvider<ZodTypeProvider>()
    scope.addContentTypeParser(
      'application/octet-stream',
      { parseAs: 'buffer', bodyLimit: MAX_FILE_BYTES },
      (_request, body, done) => {
        done(null, body)
      },
    )
    add(scope)
  })
