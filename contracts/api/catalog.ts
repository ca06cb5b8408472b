import { z } from 'zod'
import { freeText } from '../free-text.ts'
import { Sku } from '../ids.ts'
import { Names } from '../locales.ts'
import { Cents } from '../money.ts'
import { TaxCategory } from '../regions.ts'
import { MinimumAge } from '../sale-rules.ts'

export const SoldBy = z.enum(['each', 'kg'])

export const Item = z.object({
  sku: Sku,
  barcode: z.string().nullable(),
  name: Names,
  priceCents: Cents,
  openPrice: z
    .object({ leastCents: Cents, mostCents: Cents })
    .nullable()
    .describe('its price is asked for when it is rung, between these bounds'),
  taxCategory: TaxCategory,
  departmentId: z.string(),
  categoryId: z.string().nullable(),
  minimumAge: MinimumAge.optional().describe('from which it is sold; left out: as its department'),
  soldBy: SoldBy.optional().describe('kg: the price is that of a kilogram; left out: as its barcode says'),
})
export type Item = z.infer<typeof Item>

/** A department with its quick items, in the order in which they are shown. */
export const QuickDepartment = z.object({ id: z.string(), name: Names, items: z.array(Item) })
export type QuickDepartment = z.infer<typeof QuickDepartment>
/** GET /api/catalog/quick-keys: what the store rings by touch. Departments without an item are left out. */
export const QuickKeys = z.object({ departments: z.array(QuickDepartment) })
export type QuickKeys = z.infer<typeof QuickKeys>

/** POST /api/catalog/items/search: finds by name in any language, SKU, or a part of the barcode. */
export const ItemQuery = z.object({
  q: freeText({ max: 80 }),
  limit: z.int().min(1).max(50).default(12),
})
export const ItemList = z.object({ items: z.array(Item) })
export type ItemList = z.infer<typeof ItemList>
