import { Item, TaxChange } from '../../../contracts/catalog/catalog.ts'
import { pluOf } from '../../../contracts/catalog/goods.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { cents, type Cents } from '../../../contracts/core/money.ts'
import type { TaxCategory, TaxRule } from '../../../contracts/core/regions.ts'
import { z } from 'zod'
import { type Database, namesOf } from '../../core/db/database.ts'
import { localDayAt } from '../../core/zone.ts'
import { barcodeKey, fold, queryOf, typedKeys } from './search-terms.ts'

interface PlannedItemRow {
  sku: string
  names: string
  item_cents: number
  from_at: number
  price_cents: number
}

export interface ItemRow {
  id: number
  sku: string
  barcode: string | null
  names: string
  price_cents: number
  open_least_cents: number | null
  open_most_cents: number | null
  tax_category: TaxCategory
  department_id: string
  category_id: string | null
  minimum_age: number | null
  sold_by: NonNullable<Item['soldBy']> | null
  more: string | null
  tax_rule: TaxRule | null
  tax_changes: string | null
}

export const ITEM_COLUMNS =
  'item.id, item.sku, item.barcode, item.names, item.price_cents, item.open_least_cents, item.open_most_cents, ' +
  'item.tax_category, item.department_id, item.category_id, item.minimum_age, item.sold_by, item.more, ' +
  'item.tax_rule, item.tax_changes'

/** A test checks the plan of each query. */
export const CATALOG_QUERIES = {
  bySku: `SELECT ${ITEM_COLUMNS} FROM item WHERE sku = ?`,
  byBarcode: `SELECT ${ITEM_COLUMNS} FROM item WHERE barcode_key = ?`,
  byCode: `SELECT ${ITEM_COLUMNS} FROM item_code JOIN item ON item.id = item_code.item_id
    WHERE item_code.barcode_key = ?`,
  byWords: `SELECT ${ITEM_COLUMNS} FROM item_words JOIN item ON item.id = item_words.rowid WHERE item_words MATCH ?
    ORDER BY item_words.rowid LIMIT ?`,
  ofDepartment: `SELECT ${ITEM_COLUMNS} FROM item WHERE department_id = ? ORDER BY id LIMIT ?`,
  /** Skips from one department to the next in the index, so that the time does not depend on the number of items. */
  departments: `WITH RECURSIVE step (id) AS (SELECT min(department_id) FROM item UNION ALL
    SELECT (SELECT min(department_id) FROM item WHERE department_id > step.id) FROM step WHERE step.id IS NOT NULL)
    SELECT id FROM step WHERE id IS NOT NULL`,
  byBarcodeSubstring: `SELECT ${ITEM_COLUMNS} FROM item_barcodes JOIN item ON item.id = item_barcodes.rowid
    WHERE item_barcodes MATCH ?
    ORDER BY item_barcodes.rowid LIMIT ?`,
  priceOf:
    'SELECT price_cents, from_at FROM planned_price WHERE sku = +? AND from_at <= +? ORDER BY from_at DESC LIMIT 1',
  planned: `SELECT item.sku, item.names, item.price_cents AS item_cents, planned_price.from_at,
    planned_price.price_cents FROM planned_price JOIN item ON item.sku = planned_price.sku
    WHERE (planned_price.from_at, planned_price.sku) > (+?, +?)
    ORDER BY planned_price.from_at, planned_price.sku LIMIT ?`,
  plannedCount: 'SELECT count(*) FROM planned_price WHERE from_at > ?',
  plannedOf: 'SELECT from_at, price_cents FROM planned_price WHERE sku = +? AND from_at > +? ORDER BY from_at',
  began: 'SELECT 1 FROM planned_price WHERE from_at > ? AND from_at <= ? LIMIT 1',
} as const

/** Number of matches, in alphabetical order, from which the best are chosen. */
const CANDIDATES = 120
const MAX_WORDS = 8

export interface CatalogRepository {
  findBySku(sku: string): Item | undefined
  findByBarcode(code: string): Item | undefined
  /** Finds an item by a typed text, in this order: a code of an item, a SKU, UPC-E typed as six or seven digits. */
  findTyped(code: string): Item | undefined
  /**
   * Finds items, the best first: the exact barcode or SKU, then names that begin with the text, then the others
   * alphabetically.
   */
  search(query: string, limit: number): Item[]
  departments(): string[]
  hasCategory(id: string): boolean
  ofDepartment(departmentId: string, limit: number): Item[]
  planned(after: PlannedPlace, limit: number): PlannedRow[]
  plannedCount(): number
  plannedOf(sku: string): { fromAt: number; priceCents: Cents }[]
  /** Since when (epoch ms) the planned price of an item applies; null if its price was not planned. */
  plannedSince(sku: string): number | null
  /** Whether any planned price took effect after one moment and up to another (epoch ms). */
  beganBetween(after: number, until: number): boolean
}

export interface PlannedPlace {
  readonly fromAt: number
  readonly sku: string
}
export interface PlannedRow extends PlannedPlace {
  readonly name: Names
  readonly priceCents: Cents
  readonly plannedCents: Cents
}

/**
 * Reads the items in the file of an edition. `now` decides at each lookup which planned prices and, in the time zone of
 * the store, which planned tax changes apply, so that no timer is needed.
 */
export function createCatalogRepository(db: Database, now: () => number, timeZone: string): CatalogRepository {
  const selectBySku = db.prepare<[string], ItemRow>(CATALOG_QUERIES.bySku)
  const selectByBarcode = db.prepare<[string], ItemRow>(CATALOG_QUERIES.byBarcode)
  const selectByCode = db.prepare<[string], ItemRow>(CATALOG_QUERIES.byCode)
  const byKey = (key: string): ItemRow | undefined => selectByBarcode.get(key) ?? selectByCode.get(key)
  const byCode = (code: string): ItemRow | undefined => firstOf([barcodeKey(code), pluOf(code)], byKey)
  const byExact = (code: string): ItemRow | undefined => byCode(code) ?? selectBySku.get(code)
  const byTyped = (code: string): ItemRow | undefined => firstOf(typedKeys(code), byKey)
  const selectByTerms = db.prepare<[string, number], ItemRow>(CATALOG_QUERIES.byWords)
  const selectOfDepartment = db.prepare<[string, number], ItemRow>(CATALOG_QUERIES.ofDepartment)
  // May scan the table, because it runs only when a profile or a promotion is checked for unknown categories.
  const selectCategory = db.prepare<[string], 1>('SELECT 1 FROM item WHERE category_id = ? LIMIT 1').pluck()
  const selectDepartments = db.prepare<[], { id: string }>(CATALOG_QUERIES.departments)
  const selectByBarcodeSubstring = db.prepare<[string, number], ItemRow>(CATALOG_QUERIES.byBarcodeSubstring)
  const selectPrice = db.prepare<[string, number], { price_cents: number; from_at: number }>(CATALOG_QUERIES.priceOf)
  const selectPlanned = db.prepare<[number, string, number], PlannedItemRow>(CATALOG_QUERIES.planned)
  const countPlanned = db.prepare<[number], number>(CATALOG_QUERIES.plannedCount).pluck()
  const selectPlannedOf = db.prepare<[string, number], { from_at: number; price_cents: number }>(
    CATALOG_QUERIES.plannedOf,
  )
  const selectBegan = db.prepare<[number, number], 1>(CATALOG_QUERIES.began).pluck()
  const taxedToday = (item: Item): Item =>
    item.taxChanges === undefined ? item : itemTaxedOn(item, localDayAt(now(), timeZone))
  const known = (row: ItemRow): Item => {
    const item = taxedToday(storedItem(row))
    const planned = selectPrice.get(item.sku, now())
    return planned === undefined ? item : { ...item, priceCents: cents(planned.price_cents) }
  }
  const itemOf = (row: ItemRow | undefined): Item | undefined => row && known(row)

  return {
    findBySku: (sku) => itemOf(selectBySku.get(sku)),
    findByBarcode: (code) => itemOf(byCode(code)),
    findTyped: (code) => itemOf(byExact(code.trim()) ?? byTyped(code)),
    search(query, limit) {
      const found = new Map<number, ItemRow>()
      const add = (rows: readonly (ItemRow | undefined)[]): void => {
        for (const row of rows) if (row && !found.has(row.id)) found.set(row.id, row)
      }
      const code = query.replace(/[\s-]/g, '')
      const scanned = byTyped(query) ?? byTyped(code)
      add([byExact(query.trim()), scanned])
      const words = queryOf(query, MAX_WORDS)
      if (words !== null) add(byClosenessTo(fold(query).trim(), selectByTerms.all(words, CANDIDATES)))
      if (!scanned && found.size < limit && /^\d{3,14}$/.test(code))
        add(selectByBarcodeSubstring.all(`"${code}"`, limit))
      return [...found.values()].slice(0, limit).map(known)
    },
    departments: () => selectDepartments.all().map(({ id }) => id),
    hasCategory: (id) => selectCategory.get(id) !== undefined,
    ofDepartment: (departmentId, limit) => selectOfDepartment.all(departmentId, limit).map(known),
    planned: ({ fromAt, sku }, limit) =>
      selectPlanned.all(fromAt, sku, limit).map((row) => ({
        sku: row.sku,
        name: namesOf(row.names),
        priceCents: cents(selectPrice.get(row.sku, now())?.price_cents ?? row.item_cents),
        plannedCents: cents(row.price_cents),
        fromAt: row.from_at,
      })),
    plannedCount: () => countPlanned.get(now()) ?? 0,
    plannedOf: (sku) =>
      selectPlannedOf.all(sku, now()).map((row) => ({ fromAt: row.from_at, priceCents: cents(row.price_cents) })),
    plannedSince: (sku) => selectPrice.get(sku, now())?.from_at ?? null,
    beganBetween: (after, until) => selectBegan.get(after, until) !== undefined,
  }
}

/** Moves items whose name begins with the text in any language to the front, and keeps the order otherwise. */
function byClosenessTo(typed: string, rows: readonly ItemRow[]): ItemRow[] {
  const begins = ({ names }: ItemRow): boolean =>
    Object.values(namesOf(names)).some((name) => fold(name).startsWith(typed))
  const first: ItemRow[] = []
  const rest: ItemRow[] = []
  for (const row of rows) (begins(row) ? first : rest).push(row)
  return [...first, ...rest]
}

function firstOf(keys: readonly (string | null)[], find: (key: string) => ItemRow | undefined): ItemRow | undefined {
  for (const key of keys) {
    const row = key === null ? undefined : find(key)
    if (row) return row
  }
  return undefined
}

/** Fields of an item that no query selects by, stored together as JSON. */
const More = Item.pick({
  codes: true,
  packs: true,
  mostPerSale: true,
  blocked: true,
  charges: true,
  unit: true,
  tare: true,
  returnDays: true,
})
/** Returns the fields of `More` as JSON; null if the item has no such field. */
export const moreOf = (item: Item): string | null => {
  const more = More.parse(item)
  return Object.values(more).every((value) => value === undefined) ? null : JSON.stringify(more)
}

/** Converts a database row to the item as stored, without planned prices. */
export const storedItem = (row: ItemRow): Item => ({
  sku: row.sku,
  barcode: row.barcode,
  name: namesOf(row.names),
  priceCents: cents(row.price_cents),
  openPrice:
    row.open_least_cents === null || row.open_most_cents === null
      ? null
      : { leastCents: cents(row.open_least_cents), mostCents: cents(row.open_most_cents) },
  taxCategory: row.tax_category,
  departmentId: row.department_id,
  categoryId: row.category_id,
  ...(row.minimum_age === null ? {} : { minimumAge: row.minimum_age }),
  ...(row.sold_by === null ? {} : { soldBy: row.sold_by }),
  ...(row.more === null ? {} : More.parse(JSON.parse(row.more))),
  ...(row.tax_rule === null ? {} : { taxRule: row.tax_rule }),
  ...(row.tax_changes === null ? {} : { taxChanges: TaxChanges.parse(JSON.parse(row.tax_changes)) }),
})

const TaxChanges = z.array(TaxChange)

/** Applies the planned tax changes that have begun on a day (YYYY-MM-DD) to an item; the later ones remain planned. */
function itemTaxedOn({ taxChanges = [], ...item }: Item, day: string): Item {
  const begun = taxChanges.findLast(({ from }) => from <= day)
  const later = taxChanges.filter(({ from }) => from > day)
  const { taxRule, ...plain } = item
  const rule = begun ? begun.taxRule : taxRule
  return {
    ...plain,
    taxCategory: begun?.taxCategory ?? item.taxCategory,
    ...(rule === undefined ? {} : { taxRule: rule }),
    ...(later.length === 0 ? {} : { taxChanges: later }),
  }
}
