import { createHash, type Hash } from 'node:crypto'
import {
  type CatalogEncoding,
  type CatalogSeparator,
  ITEM_NAME,
  type Item,
  TaxChange,
} from '../../../contracts/catalog/catalog.ts'
import { readItemCharges } from '../../../contracts/catalog/item-charges.ts'
import type { Tare } from '../../../contracts/catalog/measure.ts'
import { MEASURE_UNITS, parseThousandths } from '../../../contracts/catalog/measure-units.ts'
import { holdsCardNumber } from '../../../contracts/core/card-numbers.ts'
import { MAX_BLOCKED, MAX_TAX_CHANGES, RESERVED_SKU } from '../../../contracts/catalog/goods.ts'
import { FIRST_LOCALE, LANGUAGES, LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Localized, Locale, Names } from '../../../contracts/core/locales.ts'
import { MAX_PRICE_CENTS, parseDollars } from '../../../contracts/core/money.ts'
import { TaxCategory, TaxRule } from '../../../contracts/core/regions.ts'
import { MinimumAge } from '../../../contracts/sales/sale-rules.ts'
import { ReturnDays } from '../../../contracts/payments/return-rules.ts'
import { fileMessages, type FileMessageKey } from '../../core/i18n.ts'
import { parseDateTime } from '../../core/zone.ts'
import { bytesOf } from '../../core/text-file.ts'
import { NO_VALUE, hasLostDigits } from './search-terms.ts'
import { barcodeIn, codesIn } from './codes-columns.ts'
import { CsvError, type CsvRecord, type Separator, catalogText, encodingOf, parseCsv } from './csv.ts'
import type { Duplicate, StagedItem, Staging } from './staging.ts'

export interface CatalogError {
  readonly file: string
  readonly line: number | null
  readonly column: string | null
  readonly messages: Localized
}

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
 * Optional columns of a catalog file. open_price: bounds such as 1.00-200.00 of an item whose price is entered when it
 * is rung. price_from: when the price begins, in store time. minimum_age: age in years that a buyer must have. sold_by:
 * each, or the unit of the price. tare: weight of the packaging, such as 0.012 or 4%. more_barcodes, packs: see
 * `codes-columns.ts`. most_per_sale: highest number of pieces in one sale. blocked: reason why the item must not be
 * sold. tax_rule: rule that may replace the category. tax_changes: planned changes such as
 * 2024-12-14=standard+no-federal-tax|2025-02-16=standard. deposits: ids of deposits and fees with the number of
 * containers, such as ab-small x 12|qc-plastic-metal x 12. return_days: days within which the item can be returned, 0
 * for a final sale.
 */
const MORE_COLUMNS = [
  'open_price',
  'price_from',
  'minimum_age',
  'sold_by',
  'tare',
  'more_barcodes',
  'packs',
  'most_per_sale',
  'blocked',
  'tax_rule',
  'tax_changes',
  'deposits',
  'return_days',
] as const
export const KNOWN_COLUMNS = [...COLUMNS, ...OTHERS.map(nameColumn), ...MORE_COLUMNS]
type Column = (typeof KNOWN_COLUMNS)[number]

const TEXT_COLUMNS = [
  'sku',
  'barcode',
  'more_barcodes',
  'packs',
  'blocked',
  ...LOCALES.map(nameColumn),
  'department',
  'category',
] as const

const MAX_ERRORS = 50
/** Maximum number of characters shown of a wrong value: a file without line breaks is one value. */
const MAX_SHOWN = 60

export const hashCatalog = (path: string): { hash: string } | { errors: CatalogError[] } =>
  reading(path, () => {
    const hash = createHash('sha256')
    for (const bytes of bytesOf(path)) hash.update(bytes)
    return { hash: hash.digest('hex') }
  })

export interface StageOptions {
  readonly timeZone: string
  /** Maximum number of reported errors. With `countsAll`, reading continues after them to count the others. */
  readonly maxErrors?: number
  readonly countsAll?: boolean
  /** Whether a scan of this code can find an item; if omitted, every code can. */
  readonly isReachable?: (code: string) => boolean
  readonly onProgress?: (bytes: number) => void
}

export type Staged =
  | {
      readonly items: number
      readonly hash: string
      readonly encoding: CatalogEncoding
      readonly separator: CatalogSeparator
    }
  | {
      readonly errors: CatalogError[]
      readonly refused: number
      readonly encoding: CatalogEncoding | null
    }

/**
 * Reads a catalog file of any size, checks its lines, and stages the items. Stops at the maximum number of errors,
 * unless `countsAll` is set. Returns the errors; without errors, the number of items and the SHA-256 of the file.
 */
export function stageCatalog(path: string, staging: Staging, options: StageOptions): Staged {
  const staged = reading(path, () => stageFile(path, staging, options))
  return 'refused' in staged || 'hash' in staged ? staged : { ...staged, refused: 1, encoding: null }
}

function stageFile(path: string, staging: Staging, options: StageOptions): Staged {
  // The encoding of the whole file is detected first: otherwise an accent in another encoding would be reported as an
  // error of its line.
  const encoding = encodingOf(path)
  if (typeof encoding !== 'string')
    return { errors: [{ file: path, column: null, ...encoding }], refused: 1, encoding: null }
  const most = options.maxErrors ?? MAX_ERRORS
  const hash = createHash('sha256')
  const errors: CatalogError[] = []
  let refused = 0
  const text = catalogText(hashed(bytesOf(path), hash, options.onProgress), encoding)
  const [separator, pieces] = separatorOf(text)
  const { timeZone, isReachable = () => true } = options
  const check = { timeZone, isReachable, decimalComma: separator !== ',' }
  const items = stageRecords(parseCsv(pieces, separator), staging, check, (line, column, messages) => {
    refused += 1
    if (errors.length < most) errors.push({ file: path, line, column, messages })
    return options.countsAll === true || refused < most
  })
  if (refused > 0) return { errors, refused, encoding }
  return { items, hash: hash.digest('hex'), encoding, separator: SEPARATOR_NAMES[separator] }
}

const SEPARATOR_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const satisfies Record<
  Separator,
  CatalogSeparator
>

export function separatorOf(pieces: Iterator<string> & Iterable<string>): [Separator, Iterable<string>] {
  let start = ''
  let ended = false
  while (!ended && !start.trimStart().includes('\n') && start.length < MAX_LINE_LENGTH) {
    const next = pieces.next()
    if (next.done === true) ended = true
    else start += next.value
  }
  const [line = ''] = start.trimStart().split('\n')
  const often = (sign: Separator): number => line.split(sign).length
  const best = ([',', ';', '\t'] as const).toSorted((one, other) => often(other) - often(one))[0] ?? ','
  return [best, following(start, pieces)]
}
const MAX_LINE_LENGTH = 64 * 1024

function* following(start: string, rest: Iterable<string>): Generator<string> {
  yield start
  yield* rest
}

/** Reads a catalog file by `work`, and returns an error of the operating system as a catalog error. */
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
          column: null,
          messages: missing
            ? fileMessages('catalog.noFile')
            : fileMessages('catalog.unreadable', { reason: String(error) }),
        },
      ],
    }
  }
}

function* hashed(
  pieces: Iterable<Uint8Array>,
  hash: Hash,
  onProgress?: (bytes: number) => void,
): Generator<Uint8Array> {
  let bytes = 0
  for (const piece of pieces) {
    hash.update(piece)
    bytes += piece.length
    onProgress?.(bytes)
    yield piece
  }
}

type Report = (line: number, column: string | null, messages: Localized) => boolean
type ReportOfLine = (column: string | null, messages: Localized) => void

interface Check {
  readonly timeZone: string
  readonly isReachable: (code: string) => boolean
  /** Whether 6,99 is accepted as a price: only if commas do not separate the values. */
  readonly decimalComma: boolean
}

function stageRecords(records: Generator<CsvRecord>, staging: Staging, check: Check, report: Report): number {
  let items = 0
  try {
    let header = records.next()
    // `separatorOf` has already used the line in which Excel names the separator.
    if (header.value !== undefined && /^sep=/i.test(header.value.fields[0] ?? '')) header = records.next()
    if (header.done) {
      report(1, null, fileMessages('catalog.empty', { columns: COLUMNS.join(',') }))
      return 0
    }
    let isValid = true
    const columns = columnsOf(
      header.value.fields.map((name) => name.trim().toLowerCase()),
      (column, messages) => {
        isValid = false
        report(header.value.line, column, messages)
      },
    )
    if (!isValid) return 0
    for (const { line, fields } of records) {
      let enough = false
      const item = itemIn(fields, columns, check, (column, messages) => {
        enough = !report(line, column, messages)
      })
      const duplicate = item && staging.add(item, line)
      if (duplicate) enough = !report(line, duplicate.of, duplicateMessage(duplicate))
      if (enough) return items
      items += 1
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    report(error.line, null, quoteMessage(error))
    return items
  }
  if (items === 0) report(1, null, fileMessages('catalog.noItems'))
  return items
}

export const formatCatalogErrors = (errors: readonly CatalogError[], locale: Locale = FIRST_LOCALE): string =>
  errors
    .map((error) => `${error.file}${error.line === null ? '' : `:${error.line}`}  ${error.messages[locale]}`)
    .join('\n')

export function quoteMessage({ message, endLine }: CsvError): Localized {
  if (message === 'unclosed-quote') return fileMessages('catalog.openQuote')
  if (endLine !== null) return fileMessages('catalog.openQuoteBefore', { endLine })
  return fileMessages('catalog.afterQuote')
}

const duplicateMessage = ({ of, value, line, isOther = false }: Duplicate): Localized => {
  const [sku, barcode] = isOther
    ? (['catalog.skuIsCode', 'catalog.codeIsSku'] as const)
    : (['catalog.sameSku', 'catalog.sameBarcode'] as const)
  return fileMessages(of === 'sku' ? sku : barcode, { value, line })
}

function columnsOf(names: readonly string[], report: ReportOfLine): readonly string[] {
  for (const column of COLUMNS)
    if (!names.includes(column)) report(column, fileMessages('catalog.columnMissing', { column }))
  for (const name of new Set(names)) {
    if (!KNOWN_COLUMNS.some((column) => column === name))
      report(
        name.slice(0, MAX_SHOWN),
        fileMessages('catalog.columnUnknown', { name: name.slice(0, MAX_SHOWN), known: KNOWN_COLUMNS.join(', ') }),
      )
    else if (names.indexOf(name) !== names.lastIndexOf(name))
      report(name, fileMessages('catalog.columnTwice', { name }))
  }
  return names
}

function itemIn(
  fields: readonly string[],
  columns: readonly string[],
  check: Check,
  report: ReportOfLine,
): StagedItem | null {
  if (fields.length === columns.length)
    return itemOf(
      (column) => (columns.includes(column) ? (fields[columns.indexOf(column)] ?? '') : '').trim(),
      check,
      report,
    )
  report(null, fileMessages('catalog.valueCount', { wanted: columns.length, found: fields.length }))
  return null
}

function itemOf(value: (column: Column) => string, check: Check, report: ReportOfLine): StagedItem | null {
  let good = true
  const wrong = (column: Column, expected: FileMessageKey | Localized): void => {
    good = false
    const found = value(column).slice(0, MAX_SHOWN)
    report(
      column,
      fileMessages('catalog.wrong', {
        column,
        expected: typeof expected === 'string' ? fileMessages(expected) : expected,
        found,
      }),
    )
  }
  const sku = value('sku')
  const shortened = (column: Column): boolean => {
    if (!/^[+-]?\d+([.,]\d+)?E\+?\d+$/i.test(value(column))) return false
    good = false
    report(column, fileMessages('catalog.shortened', { column, value: value(column).slice(0, MAX_SHOWN) }))
    return true
  }
  for (const column of TEXT_COLUMNS) {
    if (!holdsCardNumber(value(column))) continue
    good = false
    report(column, fileMessages('catalog.cardNumber', { column }))
  }
  if (shortened('sku')) return null
  if (!/^[!-~]{1,40}$/.test(sku) || NO_VALUE.test(sku)) wrong('sku', 'catalog.sku')
  if (sku.startsWith(RESERVED_SKU)) wrong('sku', 'catalog.giftCardSku')
  const barcode = holdsCardNumber(value('barcode')) ? { barcode: null } : barcodeIn(value('barcode'), check.isReachable)
  if (hasLostDigits(value('barcode')) && shortened('barcode')) return null
  if ('wrong' in barcode) wrong('barcode', barcode.wrong)
  const name: Names = {}
  for (const locale of LOCALES) {
    const column = nameColumn(locale)
    if (value(column) === '' && OTHERS.includes(locale)) continue
    name[locale] = value(column)
    if (!ITEM_NAME.test(value(column))) wrong(column, 'catalog.name')
  }
  const amountIn = (text: string) => parseDollars(check.decimalComma ? text.replace(',', '.') : text)
  const isTooHigh = (text: string): boolean => (amountIn(text) ?? 0) > MAX_PRICE_CENTS
  const dollars = (text: string) => (isTooHigh(text) ? undefined : amountIn(text))
  const price = dollars(value('price'))
  if (price === undefined || price < 0)
    wrong('price', isTooHigh(value('price')) ? 'catalog.highPrice' : 'catalog.price')
  const tax = TaxCategory.safeParse(value('tax_category'))
  if (!tax.success) wrong('tax_category', fileMessages('value.oneOf', { list: TaxCategory.options.join(', ') }))
  if (value('department') === '') wrong('department', 'catalog.department')
  const openPrice = value('open_price') === '' ? null : boundsOf(value('open_price'), dollars)
  if (openPrice === undefined) wrong('open_price', 'catalog.openPrice')
  const priceFrom = value('price_from') === '' ? null : momentOf(value('price_from'), check.timeZone)
  if (priceFrom === undefined) wrong('price_from', 'catalog.priceFrom')
  const years = value('minimum_age')
  // Digits only: `Number` would also accept 0x13 and 1e1.
  const minimumAge = years === '' ? null : MinimumAge.safeParse(/^\d+$/.test(years) ? Number(years) : null)
  if (minimumAge?.success === false) wrong('minimum_age', 'catalog.minimumAge')
  const soldBy = value('sold_by') === '' ? {} : soldByIn(value('sold_by'))
  if (soldBy === undefined)
    wrong('sold_by', fileMessages('value.oneOf', { list: ['each', ...MEASURE_UNITS].join(', ') }))
  const tare = value('tare') === '' ? undefined : tareIn(value('tare'))
  if (tare === null || (tare !== undefined && soldBy?.soldBy !== 'kg')) wrong('tare', 'catalog.tare')
  const { codes, packs } = codesIn(value, dollars, check.isReachable, wrong)
  if (packs.length > 0 && value('open_price') !== '') wrong('packs', 'catalog.packOpenPrice')
  const most = value('most_per_sale')
  const mostPerSale = /^\d{1,3}$/.test(most) && Number(most) > 0 ? Number(most) : undefined
  if (most !== '' && mostPerSale === undefined) wrong('most_per_sale', 'catalog.mostPerSale')
  const blocked = value('blocked')
  if (blocked !== '' && (blocked.length > MAX_BLOCKED || !ITEM_NAME.test(blocked))) wrong('blocked', 'catalog.blocked')
  const taxRule = value('tax_rule') === '' ? null : TaxRule.safeParse(value('tax_rule').toLowerCase())
  if (taxRule?.success === false) wrong('tax_rule', fileMessages('value.oneOf', { list: TaxRule.options.join(', ') }))
  const taxChanges = value('tax_changes') === '' ? [] : taxChangesIn(value('tax_changes'))
  if (taxChanges === undefined) wrong('tax_changes', 'catalog.taxChanges')
  const charges = value('deposits') === '' ? [] : readItemCharges(value('deposits'))
  if (charges === undefined) wrong('deposits', 'catalog.deposits')
  const days = value('return_days')
  const returnDays = /^\d{1,4}$/.test(days) ? ReturnDays.safeParse(Number(days)).data : undefined
  if (days !== '' && returnDays === undefined) wrong('return_days', 'catalog.returnDays')
  if (!good || openPrice === undefined || price === undefined || priceFrom === undefined || !tax.success) return null
  return {
    sku,
    barcode: 'wrong' in barcode ? null : barcode.barcode,
    name,
    priceCents: price,
    openPrice,
    taxCategory: tax.data,
    departmentId: value('department'),
    categoryId: value('category') || null,
    ...(minimumAge?.success === true ? { minimumAge: minimumAge.data } : {}),
    ...soldBy,
    ...(tare ? { tare } : {}),
    ...(codes.length === 0 ? {} : { codes }),
    ...(packs.length === 0 ? {} : { packs }),
    ...(mostPerSale === undefined ? {} : { mostPerSale }),
    ...(blocked === '' ? {} : { blocked }),
    ...(taxRule?.success === true ? { taxRule: taxRule.data } : {}),
    ...(taxChanges?.length ? { taxChanges } : {}),
    ...(charges?.length ? { charges } : {}),
    ...(returnDays === undefined ? {} : { returnDays }),
    priceFrom,
  }
}

/** Converts a day, or a day and a time, of the store's clock to epoch ms. */
function momentOf(text: string, timeZone: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2})?$/.test(text)) return undefined
  const at = parseDateTime(text.replace(' ', 'T'), timeZone)
  return Number.isNaN(at) ? undefined : at
}

/** Reads planned tax changes: `day=category` or `day=category+rule`, oldest first, separated by `|`. */
function taxChangesIn(text: string): TaxChange[] | undefined {
  const changes = text.split('|').map((part) => {
    const [from = '', treatment = '', ...rest] = part.trim().split('=')
    const [taxCategory = '', taxRule] = treatment.split('+')
    return rest.length > 0 ? undefined : TaxChange.safeParse({ from, taxCategory, taxRule }).data
  })
  const read = changes.filter((change) => change !== undefined)
  const isOrdered = read.every(({ from }, at) => from > (read[at - 1]?.from ?? ''))
  return read.length === changes.length && isOrdered && read.length <= MAX_TAX_CHANGES ? read : undefined
}

/** Reads the unit in which an item is sold: `each`, or a unit of measure. */
function soldByIn(text: string): Pick<Item, 'soldBy' | 'unit'> | undefined {
  if (text.toLowerCase() === 'each') return { soldBy: 'each' }
  const unit = MEASURE_UNITS.find((one) => one.toLowerCase() === text.toLowerCase().replaceAll(' ', ''))
  if (unit === undefined) return undefined
  return unit === 'kg' ? { soldBy: 'kg' } : { soldBy: 'kg', unit }
}

/** Reads a tare: a weight such as `0.012`, or a share of the gross weight such as `4%` or `2.5 %`. */
function tareIn(text: string): Tare | null {
  const share = /^(\d{1,2}(?:[.,]\d{1,3})?)\s*%$/.exec(text)?.[1]
  if (share !== undefined) {
    const ppm = Math.round(Number(share.replace(',', '.')) * 10_000)
    return ppm > 0 ? { kind: 'share', ppm } : null
  }
  const thousandths = parseThousandths(text, 3)
  return thousandths ? { kind: 'fixed', thousandths } : null
}

function boundsOf(
  text: string,
  dollars: (text: string) => Item['priceCents'] | undefined,
): Item['openPrice'] | undefined {
  const [least, most, ...rest] = text.split('-').map((part) => dollars(part.trim()))
  return least === undefined || most === undefined || rest.length > 0 || least > most
    ? undefined
    : { leastCents: least, mostCents: most }
}
