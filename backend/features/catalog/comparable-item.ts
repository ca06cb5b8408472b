import type { Item } from '../../../contracts/api/catalog.ts'

/** Two items that are the same make the same text, in whatever order their names stand. */
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
  ])
