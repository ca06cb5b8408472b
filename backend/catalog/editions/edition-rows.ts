import { z } from 'zod'
import { Item } from '../../../contracts/catalog/catalog.ts'
import { Sku } from '../../../contracts/core/ids.ts'
import { Cents } from '../../../contracts/core/money.ts'
import type { Database } from '../../core/db/database.ts'
import { ITEM_COLUMNS, type ItemRow, storedItem } from './catalog.sql.ts'

/**
 * One edit that was applied to the lane's catalog, made here or received from another lane. An edition consists of an
 * import and the edits applied since, in order.
 */
export const CatalogChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('put'), item: Item }),
  z.object({ kind: z.literal('remove'), sku: Sku }),
  z.object({ kind: z.literal('plan'), sku: Sku, fromAt: z.int(), priceCents: Cents }),
  z.object({ kind: z.literal('cancel-plan'), sku: Sku, fromAt: z.int() }),
])
export type CatalogChange = z.infer<typeof CatalogChange>

/** Returns equal texts for equal items, also if the languages of their names are in another order. */
export const comparableItem = ({
  sku,
  barcode,
  name,
  priceCents,
  openPrice,
  taxCategory,
  departmentId,
  categoryId,
  minimumAge,
  soldBy,
  codes,
  packs,
  mostPerSale,
  blocked,
  unit,
  tare,
  taxRule,
  taxChanges,
  charges,
  returnDays,
}: Item): string =>
  JSON.stringify([
    sku,
    barcode,
    Object.entries(name).toSorted(([one], [other]) => one.localeCompare(other)),
    priceCents,
    openPrice && [openPrice.leastCents, openPrice.mostCents],
    taxCategory,
    departmentId,
    categoryId,
    minimumAge ?? null,
    soldBy ?? null,
    codes ?? null,
    packs?.map(({ barcode: code, quantity, priceCents: price }) => [code, quantity, price ?? null]) ?? null,
    mostPerSale ?? null,
    blocked ?? null,
    ...(unit === undefined && tare === undefined ? [] : [unit ?? null, tare && Object.values(tare)]),
    ...(taxRule === undefined && taxChanges === undefined
      ? []
      : [
          taxRule ?? null,
          (taxChanges ?? []).map((change) => [change.from, change.taxCategory, change.taxRule ?? null]),
        ]),
    ...(charges?.length ? [charges.map(({ id, containers }) => ['charge', id, containers])] : []),
    ...(returnDays === undefined ? [] : [{ returnDays }]),
  ])

/** A planned price: its start (epoch ms) and the price in cents. */
export type PlannedPrice = readonly [fromAt: number, priceCents: number]

export interface EditionRows {
  item(sku: string): Item | null
  planned(sku: string): PlannedPrice[]
  /** The SKU of the item with a code, which is given in the form of `barcodeKey`. */
  skuOf(barcodeKey: string): string | null
}

export function createEditionRows(file: Database): EditionRows {
  const bySku = file.prepare<[string], ItemRow>(`SELECT ${ITEM_COLUMNS} FROM item WHERE sku = ?`)
  const planned = file
    .prepare<[string], [number, number]>(
      'SELECT from_at, price_cents FROM planned_price WHERE sku = ? ORDER BY from_at',
    )
    .raw()
  const byBarcode = file
    .prepare<{ key: string }, string>(
      `SELECT sku FROM item WHERE barcode_key = @key UNION ALL SELECT item.sku FROM item_code
        JOIN item ON item.id = item_code.item_id WHERE item_code.barcode_key = @key`,
    )
    .pluck()
  return {
    item(sku) {
      const row = bySku.get(sku)
      return row === undefined ? null : storedItem(row)
    },
    planned: (sku) => planned.all(sku),
    skuOf: (key) => byBarcode.get({ key }) ?? null,
  }
}
