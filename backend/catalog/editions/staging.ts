import Database from 'better-sqlite3'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import { barcodeKey, codesOf, fold } from './search-terms.ts'
import { nameIn } from '../../../contracts/core/names.ts'

/** An item of one line of a catalog file. `priceFrom`: when its price begins (epoch ms); null: at once. */
export type StagedItem = Item & { readonly priceFrom: number | null }

/**
 * A duplicate: an item with the SKU or a code of an item on an earlier line, or with the same code twice. With
 * `isOther`, the SKU is a code of the earlier item, or the code is its SKU: a scan and the typed number would find
 * different items.
 */
export interface Duplicate {
  readonly isOther?: boolean
  readonly of: 'sku' | 'barcode' | 'more_barcodes' | 'packs'
  /** The repeated value on the later line. */
  readonly value: string
  readonly line: number
}

/** Items of a catalog file while it is read. None is used before every line was found valid. */
export interface Staging {
  /**
   * Adds an item, or returns what it repeats: a SKU or a code of an earlier line, or a code of its own. A SKU that is
   * also a code of its own item is no duplicate. Lines are added
   * in order, each once.
   */
  add(item: StagedItem, line: number): Duplicate | null
  alphabetical(): Iterable<StagedItem>
  close(): void
}

const columnOf = ({ barcode, codes = [] }: StagedItem, code: string): Duplicate['of'] =>
  code === barcode ? 'barcode' : codes.includes(code) ? 'more_barcodes' : 'packs'

const CACHE_KB = 500

/**
 * Stages items in a temporary database, partly in memory and partly in a file that SQLite deletes when its connection
 * closes. Memory does not grow with the number of items. It contains only data of the catalog.
 */
export function openStaging(): Staging {
  const db = new Database('')
  db.pragma('journal_mode = OFF')
  db.pragma(`cache_size = -${CACHE_KB}`)
  db.exec(`CREATE TABLE staged (line INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, sort_key TEXT NOT NULL,
    item TEXT NOT NULL) STRICT;
    CREATE TABLE code (barcode_key TEXT PRIMARY KEY, line INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE sku (sku_key TEXT PRIMARY KEY, line INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    BEGIN`)
  const insert = db.prepare('INSERT OR IGNORE INTO staged (line, sku, sort_key, item) VALUES (?, ?, ?, ?)')
  const insertCode = db.prepare('INSERT OR IGNORE INTO code (barcode_key, line) VALUES (?, ?)')
  const insertSku = db.prepare('INSERT OR IGNORE INTO sku (sku_key, line) VALUES (?, ?)')
  const lineOfSkuKey = db.prepare<[string], number>('SELECT line FROM sku WHERE sku_key = ?').pluck()
  const lineOfSku = db.prepare<[string], number>('SELECT line FROM staged WHERE sku = ?').pluck()
  const lineOfBarcode = db.prepare<[string], number>('SELECT line FROM code WHERE barcode_key = ?').pluck()
  const select = db.prepare<[], string>('SELECT item FROM staged ORDER BY sort_key, line').pluck()
  return {
    add(item, line) {
      if (insert.run(line, item.sku, fold(nameIn(item.name, FIRST_LOCALE)), JSON.stringify(item)).changes === 0)
        return { of: 'sku', value: item.sku, line: lineOfSku.get(item.sku) ?? line }
      const skuKey = barcodeKey(item.sku)
      const withCode = lineOfBarcode.get(skuKey)
      if (withCode !== undefined) return { of: 'sku', value: item.sku, line: withCode, isOther: true }
      insertSku.run(skuKey, line)
      for (const code of codesOf(item)) {
        const key = barcodeKey(code)
        const withSku = lineOfSkuKey.get(key)
        if (withSku !== undefined && withSku !== line)
          return { of: columnOf(item, code), value: code, line: withSku, isOther: true }
        if (insertCode.run(key, line).changes === 1) continue
        return { of: columnOf(item, code), value: code, line: lineOfBarcode.get(key) ?? line }
      }
      return null
    },
    *alphabetical() {
      for (const item of select.iterate()) yield JSON.parse(item) as StagedItem
    },
    close() {
      db.close()
    },
  }
}
