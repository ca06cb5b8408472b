import Database from 'better-sqlite3'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import { barcodeKey, fold } from './search-terms.ts'
import { nameIn } from '../../../contracts/core/names.ts'

/** An item as its line has it: with the moment (epoch ms) from which its price holds, or null for at once. */
export type StagedItem = Item & { readonly priceFrom: number | null }

/** What an item has in common with one on an earlier line. */
export interface Duplicate {
  readonly of: 'sku' | 'barcode'
  /** As the later line has it. */
  readonly value: string
  /** The earlier line. */
  readonly line: number
}

/** The items of a catalog file while it is read: until the last one is known to be good, none of them is sold. */
export interface Staging {
  /** Takes an item, or answers its duplicate. A file's lines come in their order, each once. */
  add(item: StagedItem, line: number): Duplicate | null
  /** By their English names; equal ones as they stood in the file. */
  alphabetical(): Iterable<StagedItem>
  close(): void
}

const CACHE_KB = 500

/**
 * Stages in a database of its own that the system deletes with its connection, partly in memory and for the rest in a
 * temporary file: a million items are no more trouble to the lane than a hundred. It holds nothing but the catalog.
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
      throw new Error(`line ${line} was not staged, and has no duplicate`)
    },
    *alphabetical() {
      for (const item of select.iterate()) yield JSON.parse(item) as StagedItem
    },
    close() {
      db.close()
    },
  }
}
