import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Item } from '../../../contracts/catalog/catalog.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import { type Database, namesOf, syncPath } from '../../core/db/database.ts'
import { INDEX_VERSION, barcodeKey, codeKeys, fold, termsOf } from './search-terms.ts'
import type { CatalogChange } from './edition-rows.ts'
import { ITEM_COLUMNS, type ItemRow, moreOf, storedItem } from './catalog.sql.ts'
import { createHash } from 'node:crypto'
import { deflateSync, inflateSync } from 'node:zlib'
import { z } from 'zod'
import { nameIn } from '../../../contracts/core/names.ts'

/**
 * The file of one edition of the catalog: its items, indexed for scans and searches. It is built from the terminal's
 * database and can be rebuilt at any time (docs/decisions/0021-catalogs-are-editions.md).
 */
const SCHEMA = `
CREATE TABLE about (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  edition TEXT NOT NULL,
  words   INTEGER NOT NULL,  -- INDEX_VERSION of the program that wrote the index
  applied INTEGER NOT NULL   -- number of the last change of the edition that this file has
) STRICT;
CREATE TABLE item (
  -- alphabetical by name, for lists in that order; rowid in item_words and item_barcodes
  id               INTEGER PRIMARY KEY,
  sku              TEXT NOT NULL UNIQUE,
  barcode          TEXT,
  -- GTINs as 14 digits, so that leading zeros make no difference
  barcode_key      TEXT UNIQUE,
  names            TEXT NOT NULL CHECK (json_valid(names)),
  price_cents      INTEGER NOT NULL CHECK (price_cents >= 0),
  -- the bounds of a price that is entered when it is rung: both or none
  open_least_cents INTEGER CHECK (open_least_cents >= 0),
  open_most_cents  INTEGER CHECK (open_most_cents >= open_least_cents),
  tax_category     TEXT NOT NULL,
  department_id    TEXT NOT NULL,
  category_id      TEXT,
  minimum_age      INTEGER,  -- from which it is sold; NULL: as its department
  sold_by          TEXT,     -- each or kg; NULL: as its barcode says
  more             TEXT CHECK (json_valid(more)),  -- fields that no query selects by
  tax_rule         TEXT,     -- NULL: by its category alone
  tax_changes      TEXT CHECK (json_valid(tax_changes)),
  CHECK ((open_least_cents IS NULL) = (open_most_cents IS NULL))
) STRICT;
-- Further codes and packs.
CREATE TABLE item_code (
  barcode_key TEXT PRIMARY KEY,
  item_id     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- For the quick keys, in alphabetical order.
CREATE INDEX item_of_department ON item (department_id, id);
-- Words of every name and the SKU, folded by the program (lower case, no accents, œ as oe).
CREATE VIRTUAL TABLE item_words USING fts5 (words, content = '', columnsize = 0, detail = none,
  prefix = '1 2 3 4 5 6 7 8 9 10', tokenize = "unicode61 remove_diacritics 0");
-- Any three or more digits of a code.
CREATE VIRTUAL TABLE item_barcodes USING fts5 (barcode, content = '', columnsize = 0, tokenize = 'trigram');
-- Prices that hold from a moment on, until a later one or a change of the item.
CREATE TABLE planned_price (
  sku         TEXT NOT NULL,
  from_at     INTEGER NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
  PRIMARY KEY (sku, from_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX planned_price_from ON planned_price (from_at, sku);
-- Differences that an import which waits for its manager would make, ordered by the items' names.
CREATE TABLE difference (
  number        INTEGER PRIMARY KEY,
  kind          TEXT NOT NULL,
  item_before   TEXT,
  item_after    TEXT,
  planned_at    INTEGER,
  planned_cents INTEGER
) STRICT;
CREATE INDEX difference_of_kind ON difference (kind, number);
-- Source of the edition, which is copied to the terminal's database when the edition is applied.
CREATE TABLE source (number INTEGER PRIMARY KEY, chunk BLOB NOT NULL) STRICT;
`

/**
 * Page cache in KB for reading and building the file: a larger one is not faster, and the C library would not return
 * its memory.
 */
const CACHE_KB = 2_000
/** Gap between the ids of items that are alphabetical neighbours, for items that are added later. */
const GAP = 64

/** Opens the file of an edition; throws if it is invalid. Only one caller may write to it. */
export function openEditionFile(file: string, options: { readonly readonly?: true } = {}): Database {
  const db = new Sqlite(file, { fileMustExist: true, readonly: options.readonly ?? false })
  db.pragma(`cache_size = -${CACHE_KB}`)
  db.pragma('synchronous = FULL')
  return db
}

/**
 * Returns the id of a file's edition, and the number of the last change that was applied to the file; null if another
 * version of the program indexed it.
 */
export function aboutEdition(db: Database): { readonly edition: string; readonly applied: number } | null {
  const row = db
    .prepare<[], { edition: string; words: number; applied: number }>(
      'SELECT edition, words, applied FROM about WHERE id = 1',
    )
    .get()
  return row === undefined || row.words !== INDEX_VERSION ? null : { edition: row.edition, applied: row.applied }
}

export interface EditionWriter {
  readonly db: Database
  /** Adds an item. Items must be added in the order of their names. */
  add(item: Item): void
  plan(sku: string, fromAt: number, priceCents: number): void
  finish(applied: number): void
  discard(): void
}

/**
 * Begins the file of a new edition. Its writes are not synced to disk until `finish`, because an unfinished file is
 * deleted.
 */
export function writeEdition(file: string, edition: string): EditionWriter {
  // SQLite would create the file readable by others.
  closeSync(openSync(file, 'a', 0o600))
  const db = new Sqlite(file)
  db.pragma('journal_mode = OFF')
  db.pragma('synchronous = OFF')
  db.pragma(`cache_size = -${CACHE_KB}`)
  db.exec(`${SCHEMA}; BEGIN`)
  const rows = itemWriter(db)
  const plan = db.prepare('INSERT INTO planned_price (sku, from_at, price_cents) VALUES (?, ?, ?)')
  let id = 0
  return {
    db,
    add(item) {
      id += GAP
      rows.insert(id, item)
    },
    plan: (sku, fromAt, priceCents) => {
      plan.run(sku, fromAt, priceCents)
    },
    finish(applied) {
      db.prepare('INSERT INTO about (id, edition, words, applied) VALUES (1, ?, ?, ?)').run(
        edition,
        INDEX_VERSION,
        applied,
      )
      db.exec('COMMIT')
      db.close()
      syncPath(file)
      syncPath(dirname(file))
    },
    discard: () => {
      db.close()
    },
  }
}

const termsFor = (item: Item): string => termsOf([...Object.values(item.name), item.sku].join(' ')).join(' ')
const keyFor = ({ barcode }: Item): string | null => (barcode === null ? null : barcodeKey(barcode))

const furtherKeys = (item: Item): string[] => codeKeys({ ...item, barcode: null }).filter((key) => key !== keyFor(item))

/** Inserts and deletes items with their index entries. */
function itemWriter(db: Database) {
  const insert = db.prepare(
    `INSERT INTO item (id, sku, barcode, barcode_key, names, price_cents, open_least_cents, open_most_cents,
      tax_category, department_id, category_id, minimum_age, sold_by, more, tax_rule, tax_changes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const remove = db.prepare('DELETE FROM item WHERE id = ?')
  const insertCode = db.prepare('INSERT INTO item_code (barcode_key, item_id) VALUES (?, ?)')
  const deleteCode = db.prepare('DELETE FROM item_code WHERE barcode_key = ? AND item_id = ?')
  const insertTerms = db.prepare('INSERT INTO item_words (rowid, words) VALUES (?, ?)')
  const deleteTerms = db.prepare("INSERT INTO item_words (item_words, rowid, words) VALUES ('delete', ?, ?)")
  const insertBarcode = db.prepare('INSERT INTO item_barcodes (rowid, barcode) VALUES (?, ?)')
  const removeBarcode = db.prepare("INSERT INTO item_barcodes (item_barcodes, rowid, barcode) VALUES ('delete', ?, ?)")
  return {
    insert(id: number, item: Item): void {
      const key = keyFor(item)
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
        item.soldBy ?? null,
        moreOf(item),
        item.taxRule ?? null,
        item.taxChanges === undefined ? null : JSON.stringify(item.taxChanges),
      )
      insertTerms.run(id, termsFor(item))
      for (const further of furtherKeys(item)) insertCode.run(further, id)
      const keys = codeKeys(item)
      if (keys.length > 0) insertBarcode.run(id, keys.join(' '))
    },
    remove(id: number, item: Item): void {
      remove.run(id)
      deleteTerms.run(id, termsFor(item))
      for (const further of furtherKeys(item)) deleteCode.run(further, id)
      const keys = codeKeys(item)
      if (keys.length > 0) removeBarcode.run(id, keys.join(' '))
    },
  }
}

export interface NumberedChange {
  readonly number: number
  /** Time of the change, epoch ms. */
  readonly at: number
  readonly change: CatalogChange
}

/**
 * Applies an edition's changes to its file, in order and in one transaction. Skips changes that the file already has.
 */
export function applyChanges(db: Database, changes: readonly NumberedChange[]): void {
  const rows = itemWriter(db)
  const bySku = db.prepare<[string], ItemRow>(`SELECT ${ITEM_COLUMNS} FROM item WHERE sku = ?`)
  const unplan = db.prepare('DELETE FROM planned_price WHERE sku = ?')
  const unplanBegun = db.prepare('DELETE FROM planned_price WHERE sku = ? AND from_at <= ?')
  const cancel = db.prepare('DELETE FROM planned_price WHERE sku = ? AND from_at = ?')
  const plan = db.prepare(
    `INSERT INTO planned_price (sku, from_at, price_cents) VALUES (?, ?, ?)
      ON CONFLICT (sku, from_at) DO UPDATE SET price_cents = excluded.price_cents`,
  )
  const noteApplied = db.prepare('UPDATE about SET applied = ? WHERE id = 1')
  const takeOut = (sku: string): number | null => {
    const row = bySku.get(sku)
    if (row) rows.remove(row.id, storedItem(row))
    return row?.id ?? null
  }
  const one = ({ change, at }: NumberedChange): void => {
    switch (change.kind) {
      case 'put': {
        const before = bySku.get(change.item.sku)
        const sameName = before && namesOf(before.names)
        const isSameName =
          before && sameName && nameIn(sameName, FIRST_LOCALE) === nameIn(change.item.name, FIRST_LOCALE)
        const id = takeOut(change.item.sku)
        rows.insert(isSameName && id !== null ? id : placeFor(db, change.item), change.item)
        // The new price of a changed item replaces planned prices that have begun.
        unplanBegun.run(change.item.sku, at)
        return
      }
      case 'remove':
        takeOut(change.sku)
        unplan.run(change.sku)
        return
      case 'plan':
        plan.run(change.sku, change.fromAt, change.priceCents)
        return
      case 'cancel-plan':
        cancel.run(change.sku, change.fromAt)
    }
  }
  db.transaction(() => {
    const applied = aboutEdition(db)?.applied ?? 0
    for (const change of changes) {
      if (change.number <= applied) continue
      one(change)
      noteApplied.run(change.number)
    }
  }).immediate()
}

/**
 * Returns a free id at the item's place in alphabetical order, or the nearest free one after it if its neighbours leave
 * no gap.
 */
function placeFor(db: Database, item: Item): number {
  const wanted = fold(nameIn(item.name, FIRST_LOCALE))
  const from = db.prepare<[number], { id: number; names: string }>(
    'SELECT id, names FROM item WHERE id >= +? ORDER BY id LIMIT 1',
  )
  const last = db.prepare<[], number | null>('SELECT max(id) FROM item').pluck().get() ?? 0
  // Binary search for the first id whose item name comes after the item's.
  let low = 0
  let high = last + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const row = from.get(middle)
    if (row === undefined || fold(nameIn(namesOf(row.names), FIRST_LOCALE)) > wanted) high = middle
    else low = row.id + 1
  }
  const before = db.prepare<[number], number | null>('SELECT max(id) FROM item WHERE id < ?').pluck().get(low) ?? 0
  const after = from.get(low)?.id
  if (after === undefined) return last + GAP
  if (after - before > 1) return before + Math.floor((after - before) / 2)
  const taken = db.prepare<[number], 1>('SELECT 1 FROM item WHERE id = ?').pluck()
  let id = after + 1
  while (taken.get(id) !== undefined) id += 1
  return id
}

/** One item of an edition as imported, with its planned prices: [epoch ms, cents]. */
export const SourceRecord = z.object({ item: Item, planned: z.array(z.tuple([z.int(), z.int()])) })
export type SourceRecord = z.infer<typeof SourceRecord>

/** Length of the text that is compressed into one chunk: some hundreds of items. */
const CHUNK_LENGTH = 256 * 1024

/** Compresses the records of an edition, in their order, into chunks. `finish` returns the SHA-256 of all chunks. */
export function packSource(storeChunk: (chunk: Uint8Array) => void): {
  add(record: SourceRecord): void
  finish(): Buffer
} {
  const hash = createHash('sha256')
  let lines: string[] = []
  let length = 0
  const pack = (): void => {
    if (lines.length > 0) {
      const chunk = deflateSync(lines.join('\n'), { level: 3 })
      hash.update(chunk)
      storeChunk(chunk)
    }
    lines = []
    length = 0
  }
  return {
    add(record) {
      const line = JSON.stringify(record)
      lines.push(line)
      length += line.length
      if (length > CHUNK_LENGTH) pack()
    },
    finish() {
      pack()
      return hash.digest()
    },
  }
}

/** Reads the records of compressed chunks. Throws after the last record if the chunks do not match the hash. */
export function* unpackSource(chunks: Iterable<Uint8Array>, sha256: Uint8Array): Generator<SourceRecord> {
  const hash = createHash('sha256')
  for (const chunk of chunks) {
    hash.update(chunk)
    for (const line of inflateSync(chunk).toString('utf8').split('\n')) yield SourceRecord.parse(JSON.parse(line))
  }
  if (!hash.digest().equals(sha256)) throw new Error('the source of the catalog does not match its hash')
}
