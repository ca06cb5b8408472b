import type { Item, Pack, PriceCheck } from '../../../contracts/catalog/catalog.ts'
import { catalogContract } from '../../../contracts/catalog/catalog.routes.ts'
import type { Measure } from '../../../contracts/catalog/measure.ts'
import { UNIT_RULES } from '../../../contracts/catalog/measure-units.ts'
import { cents, sumCents } from '../../../contracts/core/money.ts'
import { chargeBookOf } from '../../catalog/charges.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { barcodeKey, packOf, packTyped } from '../../catalog/editions/search-terms.ts'
import { measuredItem, unitOfPrice, withMeasure } from '../../catalog/measured.ts'
import { type RungItem, packed } from '../../catalog/packs.ts'
import type { Ctx } from '../../core/context.ts'
import type { App } from '../../core/http/app.ts'
import { serve } from '../../core/http/serve.ts'
import { salePromotionsOf } from '../pricing/sale-promotions.ts'
import { salesOf } from '../sales.ts'
import { itemOfLabel } from './scanning.ts'

/** Prices one piece, or one pack, as a sale would now, for the member of the open sale; rings nothing. */
function priceOf(ctx: Ctx, item: Item, pack: Pack | null, measure?: Measure): PriceCheck {
  const isSoldByMeasure = salesOf(ctx).isByWeight(item)
  const isByWeight = measure === undefined && isSoldByMeasure
  const unit = unitOfPrice(item)
  const ofUnit = isByWeight ? { unit } : {}
  if (item.openPrice && measure === undefined)
    return {
      item,
      pack: null,
      priceCents: null,
      reductions: [],
      further: [],
      afterCents: null,
      isByWeight,
      charges: chargeBookOf(ctx).ofItem(item, 1),
      ...ofUnit,
    }
  // Promotions of an item that is sold by measure are shown for one unit of its price.
  const single: RungItem = measure
    ? measuredItem(item, measure, isSoldByMeasure)
    : isByWeight
      ? withMeasure(item, { netThousandths: UNIT_RULES[unit].per, source: 'label' })
      : item
  const rung = pack ? packed(item, pack) : { item: single, quantity: 1 }
  const priceCents = cents(rung.item.priceCents * rung.quantity)
  const { reductions, further } =
    rung.item.packPieces === undefined
      ? salePromotionsOf(ctx).ofSingle(rung.item, rung.quantity)
      : { reductions: [], further: [] }
  const saved = sumCents(reductions.map(({ amountCents }) => amountCents))
  const charges = chargeBookOf(ctx).ofItem(item, (rung.item.packPieces ?? 1) * rung.quantity)
  const afterCents = cents(priceCents - saved)
  return { item, pack, priceCents, reductions, further, afterCents, isByWeight, charges, ...ofUnit }
}

/** Checks the price of a scanned code; null if no item has it. */
export function checkScanned(ctx: Ctx, code: string, measure?: Measure, base?: string): PriceCheck | null {
  if (measure !== undefined) {
    const item = itemOfLabel(ctx, code, base)
    return item ? priceOf(ctx, item, null, measure) : null
  }
  const item = catalogOf(ctx).findByBarcode(code)
  return item ? priceOf(ctx, item, packOf(item, [barcodeKey(code)])) : null
}

/** Checks the price of a typed code or SKU. */
function checkTyped(ctx: Ctx, code: string): PriceCheck | null {
  const item = catalogOf(ctx).findTyped(code)
  return item ? priceOf(ctx, item, packTyped(item, code)) : null
}

export function priceCheckRoutes(ctx: Ctx, app: App): void {
  serve(app, catalogContract['POST /catalog/price-check'], async (request) => ({
    check: checkTyped(ctx, request.body.code),
  }))
}
