import { createHash, type Hash } from 'node:crypto'
import type { Item } from '../../../contracts/api/catalog.ts'
import { FIRST_LOCALE, LANGUAGES, LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Localized, Locale, Names } from '../../../contracts/locales.ts'
import { parseDollars } from '../../../contracts/money.ts'
import { TaxCategory } from '../../../contracts/regions.ts'
import { MinimumAge } from '../../../contracts/sale-rules.ts'
import { fileMessages, type FileMessageKey } from '../../i18n.ts'
import { bytesOf, piecesOfText, whyNoText } from '../../text-file.ts'
import { mayBeScanned } from './barcode.ts'
import { CsvError, parseCsv, type CsvRecord } from './csv.ts'
import type { Staging, Duplicate } from './staging.ts'

export interface CatalogError {
  readonly file: string
  /** From 1; null when the file could not be read at all. */
  readonly line: number | null
  readonly messages: Localized
}

/** A column of names for each language, such as name_fr. */
const nameColumn = (locale: Locale): `name_${string}` => `name_${LANGUAGES[locale].short}`
const REQUIRED = LOCALES.filter((locale) => LANGUAGES[locale].namesRequired)
const OTHERS = LOCALES.filter((locale) => !LANGUAGES[locale].namesRequired)
const COLUMNS = [
  'sku',
  'barcode',
  ...REQUIRED.map(nameColumn),
  'price',
  'tax_category',
  'department',
  'category',
] as const
/**
 * May be left out, and then no item has it. open_price: bounds such as 1.00-200.00 of an item whose price is entered
 * when it is rung. minimumAge: years from which it is sold.
 */
const MORE_COLUMNS = ['open_price', 'minimumAge'] as const
const KNOWN_COLUMNS = [...COLUMNS, ...OTHERS.map(nameColumn), ...MORE_COLUMNS]
type Column = (typeof KNOWN_COLUMNS)[number]

/** More would only bury the first ones. */
const MAX_ERRORS = 50

/** The SHA-256 of the file, which tells whether it has changed since the last import. */
export const hashCatalog = (path: string): { hash: string } | { errors: CatalogError[] } =>
  reading(path, () => {
    const hash = createHash('sha256')
    for (const bytes of bytesOf(path)) hash.update(bytes)
    return { hash: hash.digest('hex') }
  })

/**
 * Reads and checks a catalog file and stages its items, however many there are. Finds what is wrong in every line (the
 * first fifty are told). Answers the number of items and the SHA-256 of the bytes that they were read from.
 */
export const stageCatalog = (
  path: string,
  staging: Staging,
): { items: number; hash: string } | { errors: CatalogError[] } =>
  reading(path, () => {
    // First and for the whole file: an accent in the wrong encoding is no trouble of its line.
    const trouble = whyNoText(path)
    if (trouble) return { errors: [{ file: path, ...trouble }] }
    const hash = createHash('sha256')
    const errors: CatalogError[] = []
    const items = stageRecords(parseCsv(piecesOfText(hashed(bytesOf(path), hash))), staging, (line, messages) => {
      errors.push({ file: path, line, messages })
      return errors.length < MAX_ERRORS
    })
    return errors.length > 0 ? { errors } : { items, hash: hash.digest('hex') }
  })

/** A file that cannot be read is an error of the catalog, like one in its lines. */
function reading<Result>(path: string, work: () => Result): Result | { errors: CatalogError[] } {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const missing = 'code' in error && error.code === 'ENOENT'
    return {
      errors: [
        {
          file: path,
          line: null,
          messages: missing
            ? fileMessages('catalog.noFile')
            : fileMessages('catalog.unreadable', { reason: String(error) }),
        },
      ],
    }
  }
}

function* hashed(pieces: Iterable<Uint8Array>, hash: Hash): Generator<Uint8Array> {
  for (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}

/** Tells an error of a line. False: enough were told. */
type Report = (line: number, messages: Localized) => boolean

/** Answers how many items were staged; it means nothing once an error was reported. */
function stageRecords(records: Generator<CsvRecord>, staging: Staging, report: Report): number {
  let items = 0
  try {
    const header = records.next()
    if (header.done) {
      report(1, fileMessages('catalog.empty', { columns: COLUMNS.join(',') }))
      return 0
    }
    let good = true
    const columns = columnsOf(
      header.value.fields.map((name) => name.trim()),
      (messages) => {
        good = false
        report(header.value.line, messages)
      },
    )
    if (!good) return 0
    for (const { line, fields } of records) {
      let enough = false
      const item = itemIn(fields, columns, (messages) => {
        enough = !report(line, messages)
      })
      const duplicate = item && staging.add(item, line)
      if (duplicate) enough = !report(line, duplicateMessage(duplicate))
      if (enough) return items
      items += 1
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    report(error.line, quoteWords(error))
    return items
  }
  if (items === 0) report(1, fileMessages('catalog.noItems'))
  return items
}

/** One line per error: `stores/catalog.csv:12  expected …`. */
export const formatCatalogErrors = (errors: readonly CatalogError[], locale: Locale = FIRST_LOCALE): string =>
  errors
    .map((error) => `${error.file}${error.line === null ? '' : `:${error.line}`}  ${error.messages[locale]}`)
    .join('\n')

function quoteWords({ message, endLine }: CsvError): Localized {
  if (message === 'unclosed-quote') return fileMessages('catalog.openQuote')
  if (endLine !== null) return fileMessages('catalog.openQuoteBefore', { endLine })
  return fileMessages('catalog.afterQuote')
}

const duplicateMessage = ({ of, value, line }: Duplicate): Localized =>
  of === 'sku' ? fileMessages('catalog.sameSku', { value, line }) : fileMessages('catalog.sameBarcode', { value, line })

function columnsOf(names: readonly string[], report: (messages: Localized) => void): readonly string[] {
  for (const column of COLUMNS) if (!names.includes(column)) report(fileMessages('catalog.columnMissing', { column }))
  for (const name of new Set(names)) {
    if (!KNOWN_COLUMNS.some((column) => column === name))
      report(fileMessages('catalog.columnUnknown', { name, known: KNOWN_COLUMNS.join(', ') }))
    else if (names.indexOf(name) !== names.lastIndexOf(name)) report(fileMessages('catalog.columnTwice', { name }))
  }
  return names
}

function itemIn(
  fields: readonly string[],
  columns: readonly string[],
  report: (messages: Localized) => void,
): Item | null {
  if (fields.length === columns.length)
    return itemOf((column) => (columns.includes(column) ? (fields[columns.indexOf(column)] ?? '') : '').trim(), report)
  report(fileMessages('catalog.valueCount', { wanted: columns.length, found: fields.length }))
  return null
}

function itemOf(value: (column: Column) => string, report: (messages: Localized) => void): Item | null {
  let good = true
  const wrong = (column: Column, expected: FileMessageKey | Localized): void => {
    good = false
    const found = value(column).slice(0, 60)
    report(
      fileMessages('catalog.wrong', {
        column,
        expected: typeof expected === 'string' ? fileMessages(expected) : expected,
        found,
      }),
    )
  }
  const sku = value('sku')
  const shortened = (column: Column): boolean => {
    if (!/^\d+([.,]\d+)?E\+?\d+$/i.test(value(column))) return false
    good = false
    report(fileMessages('catalog.shortened', { column, value: value(column) }))
    return true
  }
  if (shortened('sku')) return null
  if (!/^[!-~]{1,40}$/.test(sku)) wrong('sku', 'catalog.sku')
  const barcode = value('barcode')
  if (shortened('barcode')) return null
  if (!mayBeScanned(barcode)) wrong('barcode', 'catalog.checkDigit')
  if (barcode !== '' && !/^[!-~]{1,80}$/.test(barcode)) wrong('barcode', 'catalog.barcode')
  const name: Names = {}
  for (const locale of LOCALES) {
    const column = nameColumn(locale)
    if (value(column) === '' && OTHERS.includes(locale)) continue
    name[locale] = value(column)
    if (!/^[^\p{Cc}]{1,120}$/u.test(value(column))) wrong(column, 'catalog.name')
  }
  const price = parseDollars(value('price'))
  if (price === undefined || price < 0) wrong('price', 'catalog.price')
  const tax = TaxCategory.safeParse(value('tax_category'))
  if (!tax.success) wrong('tax_category', fileMessages('value.oneOf', { list: TaxCategory.options.join(', ') }))
  if (value('department') === '') wrong('department', 'catalog.department')
  const openPrice = value('open_price') === '' ? null : boundsOf(value('open_price'))
  if (openPrice === undefined) wrong('open_price', 'catalog.openPrice')
  const minimumAge = value('minimumAge') === '' ? null : MinimumAge.safeParse(Number(value('minimumAge')))
  if (minimumAge?.success === false) wrong('minimumAge', 'catalog.minimumAge')
  if (!good || openPrice === undefined || price === undefined || !tax.success) return null
  return {
    sku,
    barcode: barcode || null,
    name,
    priceCents: price,
    openPrice,
    taxCategory: tax.data,
    departmentId: value('department'),
    categoryId: value('category') || null,
    ...(minimumAge?.success === true ? { minimumAge: minimumAge.data } : {}),
  }
}

function boundsOf(text: string): Item['openPrice'] | undefined {
  const [least, most, ...rest] = text.split('-').map((part) => parseDollars(part))
  return least === undefined || most === undefined || rest.length > 0 || least > most
    ? undefined
    : { leastCents: least, mostCents: most }
}
