import Database from 'better-sqlite3'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import { barcodeKey, fold } from './search-terms.ts'
import { nameIn } from '../../../contracts/core/names.ts'

/** An item of one line of a catalog file. `priceFrom`: when its price begins (epoch ms); null: at once. */
export type StagedItem = Item & { readonly priceFrom: number | null }

export interface Duplicate {
  readonly of: 'sku' | 'barcode'
  readonly value: string
  readonly line: number
}

/** Items of a catalog file while it is read. None is used before the last line was found valid. */
export interface Staging {
  /** Adds an item, or returns the earlier one with the same SKU or barcode. Lines are added in order, each once. */
  add(item: StagedItem, line: number): Duplicate | null
  alphabetical(): Iterable<StagedItem>
  close(): void
}

const CACHE_KB = 500

/**
 * Stages items in a temporary database, partly in memory and partly in a file that SQLite deletes when its connection
 * closes. Memory does not grow with the number of items. It contains only data of the catalog.
 */
export function openStaging(): Staging {
  const db = new Database('')
  db.pragma('journal_mode = OFF')
  db.pragma(`cache_size = -${CACHE_KB}`)
  db.exec(`CREATE TABLE staged (line INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, barcode_key TEXT UNIQUE,
    sort_key TEXT NOT NULL, item TEXT NOT NULL) STRICT;
    BEGIN`)
  const insert = db.prepare(
    'INSERT OR IGNORE INTO staged (line, sku, barcode_key, sort_key, item) VALUES (?, ?, ?, ?, ?)',
  )
  const lineOfSku = db.prepare<[string], number>('SELECT line FROM staged WHERE sku = ?').pluck()
  const lineOfBarcode = db.prepare<[string | null], number>('SELECT line FROM staged WHERE barcode_key = ?').pluck()
  const select = db.prepare<[], string>('SELECT item FROM staged ORDER BY sort_key, line').pluck()
  return {
    add(item, line) {
      const key = item.barcode === null ? null : barcodeKey(item.barcode)
      if (insert.run(line, item.sku, key, fold(nameIn(item.name, FIRST_LOCALE)), JSON.stringify(item)).changes === 1)
        return null
      const sku = lineOfSku.get(item.sku)
      if (sku !== undefined) return { of: 'sku', value: item.sku, line: sku }
      const barcode = lineOfBarcode.get(key)
      if (barcode !== undefined && item.barcode !== null) return { of: 'barcode', value: item.barcode, line: barcode }
      throw new Error(`line ${line} was not staged, but has no duplicate`)
    },
    *alphabetical() {
      for (const item of select.iterate()) yield JSON.parse(item) as StagedItem
    },
    close() {
      db.close()
    },
  }
}
