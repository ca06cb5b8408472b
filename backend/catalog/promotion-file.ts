import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { RefusedRow } from '../../contracts/catalog/catalog.ts'
import {
  type Expected,
  fieldsOf,
  PROMOTION_BUYERS,
  PROMOTION_FIELDS,
  type PromotionField,
  readPromotion,
  REQUIRED_PROMOTION_FIELDS,
  REWARDS,
} from '../../contracts/catalog/promotion-fields.ts'
import {
  MAX_PROMOTIONS,
  Promotion,
  type PromotionItems,
  type ReadPromotions,
} from '../../contracts/catalog/promotions.ts'
import { csvFile } from '../../contracts/core/csv.ts'
import type { Localized } from '../../contracts/core/locales.ts'
import type { Ctx } from '../core/context.ts'
import { fileMessages } from '../core/i18n.ts'
import { catalogOf } from './catalog.ts'
import { CsvError, type CsvRecord, catalogText, encodingOf, parseCsv } from './editions/csv.ts'
import { quoteMessage, separatorOf } from './editions/load.ts'
import { promotionBookOf } from './promotion-book.ts'

const MAX_ROWS = 200
const MAX_SHOWN = 60
const LONGEST_SKU = 14

/** All promotions as a CSV file, one row each. */
export const promotionCsv = (promotions: readonly Promotion[]): string =>
  csvFile(
    PROMOTION_FIELDS,
    promotions.map((promotion) => {
      const fields = fieldsOf(promotion)
      return PROMOTION_FIELDS.map((field) => fields[field] ?? '')
    }),
  )

type Report = (line: number, column: string | null, messages: Localized) => void

/** Reads a CSV file of promotions and compares it with the store's promotions. One wrong row refuses the whole file. */
export function readPromotionFile(ctx: Ctx, bytes: Uint8Array): ReadPromotions {
  const rows: RefusedRow[] = []
  let refused = 0
  const report: Report = (line, column, messages) => {
    refused += 1
    if (rows.length < MAX_ROWS) rows.push({ line, column, messages })
  }
  const encoding = encodingOf(bytes)
  const found =
    typeof encoding === 'string'
      ? promotionsIn(ctx, catalogText([bytes], encoding), report)
      : (report(encoding.line ?? 1, null, encoding.messages), [])
  if (refused > 0) return { kind: 'refused', rows, refused }
  const known = new Map(
    promotionBookOf(ctx)
      .all()
      .map((promotion) => [promotion.id, promotion]),
  )
  const different = found.filter((promotion) => !isDeepStrictEqual(known.get(promotion.id), promotion))
  const added = different.filter(({ id }) => !known.has(id)).length
  if (known.size + added > MAX_PROMOTIONS) {
    report(1, null, fileMessages('promotions.tooMany', { most: MAX_PROMOTIONS }))
    return { kind: 'refused', rows, refused }
  }
  return {
    kind: 'read',
    added,
    changed: different.length - added,
    same: found.length - different.length,
    promotions: different,
  }
}

function promotionsIn(ctx: Ctx, text: Generator<string>, report: Report): Promotion[] {
  const [separator, pieces] = separatorOf(text)
  const records = parseCsv(pieces, separator)
  const found: Promotion[] = []
  const lines = new Map<string, number>()
  try {
    const columns = headerOf(records, report)
    if (columns === null) return []
    for (const { line, fields } of records) {
      const promotion = promotionOf(ctx, { line, fields, columns, decimalComma: separator !== ',' }, report)
      if (promotion === null) continue
      const first = lines.get(promotion.id)
      if (first !== undefined)
        report(line, 'id', fileMessages('promotions.sameId', { value: promotion.id, line: first }))
      lines.set(promotion.id, first ?? line)
      found.push(promotion)
    }
    if (found.length === 0) report(1, null, fileMessages('promotions.none'))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    report(error.line, null, quoteMessage(error))
  }
  return found
}

/** Returns the columns of the file, or null after a report. */
function headerOf(records: Generator<CsvRecord>, report: Report): readonly string[] | null {
  let header = records.next()
  // Excel names the separator on a line of its own.
  if (!header.done && /^sep=/i.test(header.value.fields[0] ?? '')) header = records.next()
  if (header.done) {
    report(1, null, fileMessages('promotions.empty', { columns: REQUIRED_PROMOTION_FIELDS.join(', ') }))
    return null
  }
  const { line, fields } = header.value
  const names = fields.map((name) => name.trim().toLowerCase())
  let isValid = true
  const wrong = (column: string, messages: Localized): void => {
    isValid = false
    report(line, column.slice(0, MAX_SHOWN), messages)
  }
  for (const column of REQUIRED_PROMOTION_FIELDS)
    if (!names.includes(column)) wrong(column, fileMessages('catalog.columnMissing', { column }))
  for (const name of new Set(names)) {
    const shown = name.slice(0, MAX_SHOWN)
    if (!PROMOTION_FIELDS.includes(name as PromotionField))
      wrong(shown, fileMessages('catalog.columnUnknown', { name: shown, known: PROMOTION_FIELDS.join(', ') }))
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

function promotionOf(ctx: Ctx, { line, fields, columns, decimalComma }: Row, report: Report): Promotion | null {
  if (fields.length !== columns.length) {
    report(line, null, fileMessages('catalog.valueCount', { wanted: columns.length, found: fields.length }))
    return null
  }
  const text = (column: PromotionField): string => (fields[columns.indexOf(column)] ?? '').trim()
  const read = readPromotion(text, decimalComma)
  if ('wrong' in read) {
    for (const [column, expected] of read.wrong)
      report(
        line,
        column,
        fileMessages('catalog.wrong', {
          column,
          expected: expectedText(expected),
          found: text(column).slice(0, MAX_SHOWN),
        }),
      )
    return null
  }
  const promotion = Promotion.safeParse(withKnownSkus(ctx, read.promotion))
  if (!promotion.success) {
    report(line, null, fileMessages('promotions.items'))
    return null
  }
  const unknown = unknownIn(ctx, promotion.data)
  for (const { field, kind, name } of unknown) {
    const value = name.slice(0, MAX_SHOWN)
    report(
      line,
      field,
      isShortened(name)
        ? fileMessages('catalog.shortened', { column: field, value })
        : fileMessages(`promotions.unknown-${kind}`, { column: field, value }),
    )
  }
  return unknown.length === 0 ? promotion.data : null
}

const isShortened = (sku: string): boolean => /^\d+(?:[.,]\d+)?E\+?\d+$/i.test(sku)

const expectedText = (expected: Expected): Localized =>
  expected === 'reward'
    ? fileMessages('value.oneOf', { list: REWARDS.join(', ') })
    : expected === 'buyers'
      ? fileMessages('value.oneOf', { list: PROMOTION_BUYERS.join(', ') })
      : fileMessages(`promotions.${expected}`)

type Draft = z.input<typeof Promotion>

/** Restores the leading zeros that a spreadsheet removes from a SKU, if exactly one item has such a SKU. */
function withKnownSkus(ctx: Ctx, draft: Draft): Draft {
  const isKnown = (sku: string): boolean => catalogOf(ctx).findBySku(sku) !== undefined
  const known = (sku: string): string => {
    if (isKnown(sku) || !/^\d+$/.test(sku)) return sku
    const padded = Array.from({ length: Math.max(LONGEST_SKU - sku.length, 0) }, (_, zeros) =>
      sku.padStart(sku.length + zeros + 1, '0'),
    ).filter(isKnown)
    return padded.length === 1 ? (padded[0] ?? sku) : sku
  }
  const within = <Of extends Draft['items'] | undefined>(of: Of): Of =>
    of?.kind === 'items' ? { ...of, skus: of.skus.map(known) } : of
  const { reward, conditions = {} } = draft
  return {
    ...draft,
    items: within(draft.items),
    reward: reward.kind === 'buy-get' && reward.getItems ? { ...reward, getItems: within(reward.getItems) } : reward,
    conditions: {
      ...conditions,
      ...(conditions.counts ? { counts: within(conditions.counts) } : {}),
      ...(conditions.alsoNeeds ? { alsoNeeds: conditions.alsoNeeds.map(known) } : {}),
    },
  }
}

/** A name in a promotion that the catalog does not have. */
export interface UnknownName {
  readonly field: PromotionField
  readonly kind: 'item' | 'department' | 'category'
  readonly name: string
}

/** Returns the items, departments and categories of a promotion that the catalog does not have. */
export function unknownIn(ctx: Ctx, { items, reward, conditions }: Promotion): UnknownName[] {
  const catalog = catalogOf(ctx)
  const names = catalog.names()
  const skus = (field: PromotionField, all: readonly string[]): UnknownName[] =>
    all.filter((sku) => catalog.findBySku(sku) === undefined).map((name) => ({ field, kind: 'item', name }))
  const inItems = (field: PromotionField, of: PromotionItems | undefined): UnknownName[] => {
    switch (of?.kind) {
      case undefined:
      case 'all':
        return []
      case 'items':
        return skus(field, of.skus)
      case 'departments':
        return of.ids.filter((id) => !names.hasDepartment(id)).map((name) => ({ field, kind: 'department', name }))
      case 'categories':
        return of.ids.filter((id) => !names.hasCategory(id)).map((name) => ({ field, kind: 'category', name }))
    }
  }
  return [
    ...inItems('items', items),
    ...inItems('get_items', reward.kind === 'buy-get' ? reward.getItems : undefined),
    ...inItems('counts', conditions.counts),
    ...skus('needs', conditions.alsoNeeds ?? []),
  ]
}
