import { z } from 'zod'
import { Item } from '../../../contracts/catalog/catalog.ts'
import { CatalogItemChange, PlannedPriceChange } from '../../../contracts/store/changes.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { type Stamp, compareStamps } from '../../store/changes.sql.ts'
import { barcodeKey, codeKeys } from '../editions/search-terms.ts'
import { type CatalogChange, comparableItem } from '../editions/edition-rows.ts'
import { cents } from '../../../contracts/core/money.ts'

export interface BarcodeLost {
  readonly sku: string
  readonly barcode: string
  readonly toSku: string
  readonly at: number
}

const Planned = z.array(z.tuple([z.int(), z.int()]))

interface ChangeRow extends Stamp {
  readonly value: string
}

export const SHARED_QUERIES = {
  changedItem: "SELECT clock, lane, value FROM store_register WHERE kind = 'catalog-item' AND subject = ?",
  prices: `SELECT clock, lane, value FROM store_register WHERE kind = 'planned-price' AND subject > ? || ' '
    AND subject < ? || '!' ORDER BY subject`,
  itemsWithBarcode: 'SELECT sku FROM store_catalog_item WHERE barcode_key = ?',
  itemsWithCode: 'SELECT sku FROM store_catalog_item_code WHERE barcode_key = ?',
  baseItemsWithBarcode: 'SELECT sku FROM store_catalog_base WHERE edition_id = ? AND barcode_key = ?',
  baseItemsWithCode: 'SELECT sku FROM store_catalog_base_code WHERE edition_id = ? AND barcode_key = ?',
} as const

export type SharedRows = ReturnType<typeof createSharedRows>

/** Rows in the terminal's database about items that lanes of the store changed (migration `store_catalog`). */
export function createSharedRows(db: Database) {
  const changedItem = db.prepare<[string], ChangeRow>(SHARED_QUERIES.changedItem)
  const prices = db.prepare<[string, string], ChangeRow>(SHARED_QUERIES.prices)
  const changedBy = db
    .prepare<[string, string, string], string>(
      `SELECT by_id FROM store_register WHERE by_id IS NOT NULL AND ((kind = 'catalog-item' AND subject = ?)
        OR (kind = 'planned-price' AND subject > ? || ' ' AND subject < ? || '!')) ORDER BY clock DESC LIMIT 1`,
    )
    .pluck()
  const setBarcode = db.prepare(
    `INSERT INTO store_catalog_item (sku, clock, lane, barcode_key) VALUES (@sku, @clock, @lane, @barcodeKey)
      ON CONFLICT (sku) DO UPDATE SET clock = excluded.clock, lane = excluded.lane,
      barcode_key = excluded.barcode_key`,
  )
  const dropItemCodes = db.prepare('DELETE FROM store_catalog_item_code WHERE sku = ?')
  const insertItemCode = db.prepare('INSERT INTO store_catalog_item_code (sku, barcode_key) VALUES (?, ?)')
  const itemsWith = [SHARED_QUERIES.itemsWithBarcode, SHARED_QUERIES.itemsWithCode].map((sql) =>
    db.prepare<[string], string>(sql).pluck(),
  )
  const base = db.prepare<[string, string], { item: string | null; planned: string }>(
    'SELECT item, planned FROM store_catalog_base WHERE edition_id = ? AND sku = ?',
  )
  const baseItemsWith = [SHARED_QUERIES.baseItemsWithBarcode, SHARED_QUERIES.baseItemsWithCode].map((sql) =>
    db.prepare<[string, string], string>(sql).pluck(),
  )
  const insertBaseCode = db.prepare(
    'INSERT OR IGNORE INTO store_catalog_base_code (edition_id, sku, barcode_key) VALUES (?, ?, ?)',
  )
  const setBase = db.prepare(
    `INSERT INTO store_catalog_base (edition_id, sku, item, planned, barcode_key)
      VALUES (@edition, @sku, @item, @planned, @barcodeKey)`,
  )
  const due = db.prepare<[number], string>('SELECT sku FROM store_catalog_due ORDER BY sku LIMIT ?').pluck()
  const setDue = db.prepare('INSERT OR IGNORE INTO store_catalog_due (sku) VALUES (?)')
  const clearDue = db.prepare('DELETE FROM store_catalog_due WHERE sku = ?')
  const setLost = db.prepare(
    `INSERT INTO store_catalog_barcode_lost (sku, barcode, to_sku, at) VALUES (@sku, @barcode, @toSku, @at)
      ON CONFLICT (sku) DO UPDATE SET barcode = excluded.barcode, to_sku = excluded.to_sku, at = excluded.at`,
  )
  const dropLost = db.prepare('DELETE FROM store_catalog_barcode_lost WHERE sku = ? AND barcode = ?')
  const setCodeLost = db.prepare(
    `INSERT INTO store_catalog_code_lost (sku, barcode, to_sku, at) VALUES (@sku, @barcode, @toSku, @at)
      ON CONFLICT (sku, barcode) DO UPDATE SET to_sku = excluded.to_sku, at = excluded.at`,
  )
  const dropCodeLost = db.prepare('DELETE FROM store_catalog_code_lost WHERE sku = ? AND barcode = ?')
  const LOST = `SELECT sku, barcode, to_sku AS toSku, at FROM store_catalog_barcode_lost UNION ALL
    SELECT sku, barcode, to_sku, at FROM store_catalog_code_lost`
  const lostOf = db.prepare<[string], BarcodeLost>(`SELECT * FROM (${LOST}) WHERE sku = ?`)
  const lost = db.prepare<[number], BarcodeLost>(`${LOST} ORDER BY at DESC, sku, barcode LIMIT ?`)
  const touched = db
    .prepare<[string], string>(
      `SELECT sku FROM store_catalog_item UNION SELECT value ->> '$.sku' FROM store_register
        WHERE kind = 'planned-price' UNION SELECT sku FROM store_catalog_base WHERE edition_id = ?
        UNION SELECT sku FROM store_catalog_barcode_lost UNION SELECT sku FROM store_catalog_code_lost ORDER BY 1`,
    )
    .pluck()
  const changedSince = db
    .prepare<{ clock: number; lane: string }, string>(
      `SELECT sku FROM store_catalog_item WHERE (clock, lane) > (@clock, @lane) UNION SELECT value ->> '$.sku'
        FROM store_register WHERE kind = 'planned-price' AND (clock, lane) > (@clock, @lane) ORDER BY 1`,
    )
    .pluck()
  const clearLost = ['store_catalog_barcode_lost', 'store_catalog_code_lost'].map((table) =>
    db.prepare(`DELETE FROM ${table}`),
  )
  const forget = ['store_catalog_base', 'store_catalog_base_code'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE edition_id NOT IN (SELECT id FROM catalog_edition)`),
  )

  return {
    changedItem(sku: string): ChangedItem | null {
      const row = changedItem.get(sku)
      return row ? { stamp: stampOf(row), item: CatalogItemChange.parse(JSON.parse(row.value)).item } : null
    },
    prices: (sku: string): ChangedPrice[] =>
      prices.all(sku, sku).map((row) => {
        const { fromAt, priceCents } = PlannedPriceChange.parse(JSON.parse(row.value))
        return { stamp: stampOf(row), fromAt, priceCents }
      }),
    changedBy: (sku: string): string | null => changedBy.get(sku, sku, sku) ?? null,
    /** Stores the codes that a change gives to an item. */
    setCodes(tx: Tx, sku: string, { clock, lane }: Stamp, item: Item | null): void {
      tx.run(setBarcode, { sku, clock, lane, barcodeKey: mainKey(item) })
      tx.run(dropItemCodes, sku)
      for (const key of furtherKeys(item)) tx.run(insertItemCode, sku, key)
    },
    /** SKUs of the changed items that have this code. */
    itemsWithCode: (key: string): string[] => itemsWith.flatMap((query) => query.all(key)),
    base(edition: string, sku: string): ItemState | null {
      const row = base.get(edition, sku)
      return row
        ? {
            item: row.item === null ? null : Item.parse(JSON.parse(row.item)),
            planned: new Map(Planned.parse(JSON.parse(row.planned))),
          }
        : null
    },
    /** SKUs of the items in an edition that had this code before changes of the store were applied. */
    baseItemsWithCode: (edition: string, key: string): string[] =>
      baseItemsWith.flatMap((query) => query.all(edition, key)),
    setBase(tx: Tx, edition: string, sku: string, { item, planned }: ItemState): void {
      const row = { item: item && JSON.stringify(item), planned: JSON.stringify([...planned]) }
      tx.run(setBase, { edition, sku, ...row, barcodeKey: mainKey(item) })
      for (const key of furtherKeys(item)) tx.run(insertBaseCode, edition, sku, key)
    },
    due: (most: number): string[] => due.all(most),
    setDue(tx: Tx, skus: Iterable<string>): void {
      for (const sku of skus) tx.run(setDue, sku)
    },
    clearDue(tx: Tx, skus: Iterable<string>): void {
      for (const sku of skus) tx.run(clearDue, sku)
    },
    /** The codes that an item lost to other items. */
    lostOf: (sku: string): BarcodeLost[] => lostOf.all(sku),
    /** Stores a lost code. `isMain`: it is the barcode of the item, not a further code. */
    setLost(tx: Tx, row: BarcodeLost, isMain: boolean): void {
      tx.run(isMain ? setLost : setCodeLost, row)
    },
    dropLost(tx: Tx, { sku, barcode }: BarcodeLost): void {
      tx.run(dropLost, sku, barcode)
      tx.run(dropCodeLost, sku, barcode)
    },
    /** The codes that items lost most recently to another item. */
    lost: (most: number): BarcodeLost[] => lost.all(most),
    touched: (edition: string): string[] => touched.all(edition),
    changedSince: ({ clock, lane }: Stamp): string[] => changedSince.all({ clock, lane }),
    clearLost(tx: Tx): void {
      for (const statement of clearLost) tx.run(statement)
    },
    forget(tx: Tx): void {
      for (const statement of forget) tx.run(statement)
    },
  }
}

const mainKey = (item: Item | null): string | null => (item?.barcode == null ? null : barcodeKey(item.barcode))
/** Keys of the codes of an item other than its barcode. */
const furtherKeys = (item: Item | null): string[] =>
  item === null ? [] : codeKeys(item).filter((key) => key !== mainKey(item))

const stampOf = ({ clock, lane }: Stamp): Stamp => ({ clock, lane })

/** State of an item as it is stored: its values, and its planned prices (epoch ms to cents), begun or not. */
export interface ItemState {
  readonly item: Item | null
  readonly planned: ReadonlyMap<number, number>
}

export interface ChangedItem {
  readonly stamp: Stamp
  readonly item: Item | null
}
/** A change of an item's price from a moment on; `priceCents` is null if the planned price was cancelled. */
export interface ChangedPrice {
  readonly stamp: Stamp
  readonly fromAt: number
  readonly priceCents: number | null
}

/**
 * Applies changes to an item. The result does not depend on the order in which they arrived. A change of an item ends
 * its planned prices that had begun by then; a removed item has no planned prices.
 */
export function withChanges(base: ItemState, change: ChangedItem | null, prices: readonly ChangedPrice[]): ItemState {
  const item = change === null ? base.item : change.item
  if (item === null) return { item, planned: new Map() }
  const ends = (fromAt: number, stamp: Stamp | null): boolean =>
    change !== null && fromAt <= change.stamp.clock && (stamp === null || compareStamps(stamp, change.stamp) < 0)
  const planned = new Map([...base.planned].filter(([fromAt]) => !ends(fromAt, null)))
  for (const { stamp, fromAt, priceCents } of prices)
    if (priceCents === null || ends(fromAt, stamp)) planned.delete(fromAt)
    else planned.set(fromAt, priceCents)
  return { item, planned }
}

/** Returns the state of an item after an edit at time `at`, as `applyChanges` stores it. */
export function edited({ item, planned }: ItemState, change: CatalogChange, at: number): ItemState {
  switch (change.kind) {
    case 'put':
      return { item: change.item, planned: new Map([...planned].filter(([fromAt]) => fromAt > at)) }
    case 'remove':
      return { item: null, planned: new Map() }
    case 'plan':
      return { item, planned: new Map([...planned, [change.fromAt, change.priceCents]]) }
    case 'cancel-plan':
      return { item, planned: new Map([...planned].filter(([fromAt]) => fromAt !== change.fromAt)) }
  }
}

export const isSameItem = (one: Item | null, other: Item | null): boolean =>
  one === null || other === null ? one === other : comparableItem(one) === comparableItem(other)

/** Returns the edits at time `at` that lead from one state of an item to another. */
export function editsBetween(sku: string, before: ItemState, after: ItemState, at: number): CatalogChange[] {
  if (after.item === null) return before.item === null ? [] : [{ kind: 'remove', sku }]
  const edits: CatalogChange[] = []
  let now = before
  if (!isSameItem(before.item, after.item)) {
    const put: CatalogChange = { kind: 'put', item: after.item }
    edits.push(put)
    now = edited(now, put, at)
  }
  for (const fromAt of now.planned.keys())
    if (!after.planned.has(fromAt)) edits.push({ kind: 'cancel-plan', sku, fromAt })
  for (const [fromAt, price] of after.planned)
    if (now.planned.get(fromAt) !== price) edits.push({ kind: 'plan', sku, fromAt, priceCents: cents(price) })
  return edits
}
