import type { Item } from '../../../contracts/api/catalog.ts'
import { cents } from '../../../contracts/money.ts'
import type { TaxCategory } from '../../../contracts/regions.ts'
import { namesOf } from '../../db/names.ts'
import type { Database } from '../../db/open.ts'
import { barcodeKey } from './barcode.ts'
import { fold, queryOf, wordsOf, WORDS_EDITION } from './search-terms.ts'

interface ItemRow {
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
}

const ITEM_COLUMNS =
  'item.id, item.sku, item.barcode, item.names, item.price_cents, item.open_least_cents, item.open_most_cents, ' +
  'item.tax_category, item.department_id, item.category_id, item.minimum_age'

/** The catalog's queries; a test looks at the plan of each. */
export const CATALOG_QUERIES = {
  bySku: `SELECT ${ITEM_COLUMNS} FROM item WHERE sku = ?`,
  byBarcode: `SELECT ${ITEM_COLUMNS} FROM item WHERE barcode_key = ?`,
  byWords: `SELECT ${ITEM_COLUMNS} FROM item_words JOIN item ON item.id = item_words.rowid WHERE item_words MATCH ?
    ORDER BY item_words.rowid LIMIT ?`,
  ofDepartment: `SELECT ${ITEM_COLUMNS} FROM item WHERE department_id = ? ORDER BY id LIMIT ?`,
  /** From one department to the next in the index: as many steps as there are departments, however many items. */
  departments: `WITH RECURSIVE step (id) AS (SELECT min(department_id) FROM item UNION ALL
    SELECT (SELECT min(department_id) FROM item WHERE department_id > step.id) FROM step WHERE step.id IS NOT NULL)
    SELECT id FROM step WHERE id IS NOT NULL`,
  byBarcodePart: `SELECT ${ITEM_COLUMNS} FROM item_barcodes JOIN item ON item.id = item_barcodes.rowid
    WHERE item_barcodes MATCH ?
    ORDER BY item_barcodes.rowid LIMIT ?`,
} as const

/** Matches looked at before the best are chosen. They come in alphabetical order. */
const CANDIDATES = 120
const MAX_WORDS = 8
/** Before the hash of the file that was imported: a program that finds words otherwise imports it again. */
const EDITION = `words-${WORDS_EDITION}`

export interface CatalogRepository {
  findBySku(sku: string): Item | undefined
  findByBarcode(code: string): Item | undefined
  /** Best first: the exact SKU or barcode, names that begin with what was typed, then the rest alphabetically. */
  search(query: string, limit: number): Item[]
  /** Ids of the departments that have items, in their order. */
  departments(): string[]
  hasCategory(id: string): boolean
  /** In alphabetical order. */
  ofDepartment(departmentId: string, limit: number): Item[]
  importedHash(): string | null
  /** Puts these items, in alphabetical order, in the place of all others, in one transaction. */
  replaceAll(items: Iterable<Item>, contentHash: string, at: number): void
}

export function createCatalogRepository(db: Database): CatalogRepository {
  const selectBySku = db.prepare<[string], ItemRow>(CATALOG_QUERIES.bySku)
  const selectByBarcode = db.prepare<[string], ItemRow>(CATALOG_QUERIES.byBarcode)
  const selectByWords = db.prepare<[string, number], ItemRow>(CATALOG_QUERIES.byWords)
  const selectOfDepartment = db.prepare<[string, number], ItemRow>(CATALOG_QUERIES.ofDepartment)
  // Asked at a start, for a rule of miles: it may read the whole table.
  const selectCategory = db.prepare<[string], 1>('SELECT 1 FROM item WHERE category_id = ? LIMIT 1').pluck()
  const selectDepartments = db.prepare<[], { id: string }>(CATALOG_QUERIES.departments)
  const selectByBarcodePart = db.prepare<[string, number], ItemRow>(CATALOG_QUERIES.byBarcodePart)
  const selectImport = db.prepare<[], { content_hash: string }>('SELECT content_hash FROM catalog_import WHERE id = 1')

  return {
    findBySku: (sku) => itemOf(selectBySku.get(sku)),
    findByBarcode: (code) => itemOf(selectByBarcode.get(barcodeKey(code))),
    search(query, limit) {
      const found = new Map<number, ItemRow>()
      const add = (rows: readonly (ItemRow | undefined)[]): void => {
        for (const row of rows) if (row && !found.has(row.id)) found.set(row.id, row)
      }
      const code = query.replace(/[\s-]/g, '')
      const scanned = selectByBarcode.get(barcodeKey(code))
      add([selectBySku.get(query.trim()), scanned])
      const words = queryOf(query, MAX_WORDS)
      if (words !== null) add(byClosenessTo(fold(query).trim(), selectByWords.all(words, CANDIDATES)))
      if (!scanned && found.size < limit && /^\d{3,14}$/.test(code)) add(selectByBarcodePart.all(`"${code}"`, limit))
      return [...found.values()].slice(0, limit).map(known)
    },
    departments: () => selectDepartments.all().map(({ id }) => id),
    hasCategory: (id) => selectCategory.get(id) !== undefined,
    ofDepartment: (departmentId, limit) => selectOfDepartment.all(departmentId, limit).map(known),
    importedHash: () => {
      const [edition, hash] = selectImport.get()?.content_hash.split(' ') ?? []
      return edition === EDITION ? (hash ?? null) : null
    },
    replaceAll(items, contentHash, at) {
      const insert = db.prepare(
        `INSERT INTO item (id, sku, barcode, barcode_key, names, price_cents, open_least_cents, open_most_cents,
          tax_category, department_id, category_id, minimum_age) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      const insertWords = db.prepare('INSERT INTO item_words (rowid, words) VALUES (?, ?)')
      const insertBarcode = db.prepare('INSERT INTO item_barcodes (rowid, barcode) VALUES (?, ?)')
      db.transaction(() => {
        db.exec(
          `DELETE FROM item; INSERT INTO item_words (item_words) VALUES ('delete-all');
            INSERT INTO item_barcodes (item_barcodes) VALUES ('delete-all')`,
        )
        let id = 0
        for (const item of items) {
          id += 1
          const key = item.barcode === null ? null : barcodeKey(item.barcode)
          insert.run(
            id,
            item.sku,
            item.barcode,
            key,
            JSON.stringify(item.name),
            item.priceCents,
            item.openPrice?.leastCents ?? null,
            item.openPrice?.mostCents ?? null,
            item.taxCategory,
            item.departmentId,
            item.categoryId,
            item.minimumAge ?? null,
          )
          insertWords.run(id, wordsOf([...Object.values(item.name), item.sku].join(' ')).join(' '))
          if (key !== null) insertBarcode.run(id, key)
        }
        db.prepare(
          `INSERT INTO catalog_import (id, content_hash, items, imported_at) VALUES (1, ?, ?, ?) ON CONFLICT (id) DO
            UPDATE SET content_hash = excluded.content_hash, items = excluded.items,
            imported_at = excluded.imported_at`,
        ).run(`${EDITION} ${contentHash}`, id, at)
      }).immediate()
    },
  }
}

/** Names that begin with what was typed come first, in whatever language; the order within stays. */
function byClosenessTo(typed: string, rows: readonly ItemRow[]): ItemRow[] {
  const begins = ({ names }: ItemRow): boolean =>
    Object.values(namesOf(names)).some((name) => fold(name).startsWith(typed))
  const first: ItemRow[] = []
  const rest: ItemRow[] = []
  for (const row of rows) (begins(row) ? first : rest).push(row)
  return [...first, ...rest]
}

const itemOf = (row: ItemRow | undefined): Item | undefined => row && known(row)

const known = (row: ItemRow): Item => ({
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
})
