import { z } from 'zod'
import { Item } from '../../../contracts/api/catalog.ts'
import { Sku } from '../../../contracts/ids.ts'
import { Cents } from '../../../contracts/money.ts'

/** One edit of the catalog at the lane. An edition is what was imported and these, in their order. */
export const CatalogChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('put'), item: Item }),
  z.object({ kind: z.literal('remove'), sku: Sku }),
  z.object({ kind: z.literal('plan'), sku: Sku, fromAt: z.int(), priceCents: Cents }),
  z.object({ kind: z.literal('cancel-plan'), sku: Sku, fromAt: z.int() }),
])
export type CatalogChange = z.infer<typeof CatalogChange>
