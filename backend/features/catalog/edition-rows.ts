import type { Item } from '../../../contracts/api/catalog.ts'
import type { Database } from '../../db/open.ts'
import { ITEM_COLUMNS, storedItem, type ItemRow } from './repository.ts'

/** The moment from which a price holds (epoch ms), and the price in cents. */
export type PlannedPrice = readonly [fromAt: number, priceCents: number]

/** The file of an edition as it is written, whatever holds now. */
export interface EditionRows {
  item(sku: string): Item | null
  /** All of an item, begun or not. */
  planned(sku: string): PlannedPrice[]
  /** Which item has a barcode, by `barcodeKey`. */
  skuOf(barcodeKey: string): string | null
}

export function createEditionRows(file: Database): EditionRows {
  const bySku = file.prepare<[string], ItemRow>(`SELECT ${ITEM_COLUMNS} FROM item WHERE sku = ?`)
  const planned = file
    .prepare<[string], [number, number]>(
      'SELECT from_at, price_cents FROM planned_price WHERE sku = ? ORDER BY from_at',
    )
    .raw()
  const byBarcode = file.prepare<[string], string>('SELECT sku FROM item WHERE barcode_key = ?').pluck()
  return {
    item(sku) {
      const row = bySku.get(sku)
      return row === undefined ? null : storedItem(row)
    },
    planned: (sku) => planned.all(sku),
    skuOf: (barcodeKey) => byBarcode.get(barcodeKey) ?? null,
  }
}
