import type { Item, Pack, PriceCheck } from '../../../contracts/catalog/catalog.ts'
import { catalogContract } from '../../../contracts/catalog/catalog.routes.ts'
import type { Measure } from '../../../contracts/catalog/measure.ts'
import { cents, sumCents } from '../../../contracts/core/money.ts'
import { chargeBookOf } from '../../catalog/charges.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { barcodeKey, packOf, typedKeys } from '../../catalog/editions/search-terms.ts'
import { measuredItem } from '../../catalog/measured.ts'
import { type RungItem, packed } from '../../catalog/packs.ts'
import type { Ctx } from '../../core/context.ts'
import type { App } from '../../core/http/app.ts'
import { serve } from '../../core/http/serve.ts'
import { salePromotionsOf } from '../pricing/sale-promotions.ts'
import { salesOf } from '../sales.ts'
import { labelled } from './scanning.ts'

/** Prices one piece, or one pack, as a sale would now, for the member of the open sale; rings nothing. */
function priceOf(ctx: Ctx, item: Item, pack: Pack | null, measure?: Measure): PriceCheck {
  const isByWeight = measure === undefined && salesOf(ctx).isByWeight(item)
  if (item.openPrice && measure === undefined)
    return {
      item,
      pack: null,
      priceCents: null,
      reductions: [],
      afterCents: null,
      isByWeight,
      charges: chargeBookOf(ctx).ofItem(item, 1),
    }
  const single: RungItem = measure ? measuredItem(item, measure) : item
  const unit = pack ? packed(item, pack) : { item: single, quantity: 1 }
  const priceCents = cents(unit.item.priceCents * unit.quantity)
  // A price per kilogram shows no reductions: promotions reduce the amount of a line, which depends on the weight.
  const reductions =
    isByWeight || unit.item.packPieces !== undefined ? [] : salePromotionsOf(ctx).ofSingle(unit.item, unit.quantity)
  const saved = sumCents(reductions.map(({ amountCents }) => amountCents))
  const charges = chargeBookOf(ctx).ofItem(item, (unit.item.packPieces ?? 1) * unit.quantity)
  return { item, pack, priceCents, reductions, afterCents: cents(priceCents - saved), isByWeight, charges }
}

/** Checks the price of a scanned code; null if no item has it. */
export function checkScanned(ctx: Ctx, code: string, measure?: Measure, base?: string): PriceCheck | null {
  if (measure !== undefined) {
    const catalog = catalogOf(ctx)
    const item = labelled(ctx, code, measure, base) && (catalog.findByBarcode(code) ?? catalog.findBySku(code))
    const known = item ?? (base === undefined ? undefined : catalog.findByBarcode(base))
    return known ? priceOf(ctx, known, null, measure) : null
  }
  const item = catalogOf(ctx).findByBarcode(code)
  return item ? priceOf(ctx, item, packOf(item, [barcodeKey(code)])) : null
}

/** Checks the price of a typed code or SKU. */
function checkTyped(ctx: Ctx, code: string): PriceCheck | null {
  const item = catalogOf(ctx).findTyped(code)
  return item ? priceOf(ctx, item, item.sku === code ? null : packOf(item, typedKeys(code))) : null
}

export function priceCheckRoutes(ctx: Ctx, app: App): void {
  serve(app, catalogContract['POST /catalog/price-check'], async (request) => ({
    check: checkTyped(ctx, request.body.code),
  }))
}
