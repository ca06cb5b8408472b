import type { Item } from '../../../contracts/catalog/catalog.ts'
import { type Cents, cents } from '../../../contracts/core/money.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { isGoods } from '../../catalog/charges.ts'
import { isMeasured } from '../../catalog/measured.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { dayAfter, localDayAt } from '../../core/zone.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { type SaleParts, sharesOf } from '../../sales/sale/sale-parts.ts'
import { salePromotionsOf } from '../../sales/pricing/sale-promotions.ts'
import { salesOf } from '../../sales/sales.ts'
import { soldPricesOf } from '../rows/sold-prices.sql.ts'

/** Days for which prices are stored: as many as the setting `returns.lowestPriceDays` allows. */
const STORED_DAYS = 366

/** Tolerance, in cents, for the rounding error of a division by units. */
const FLOAT_ERROR = 1e-6

/**
 * Returns the price at which a sale sold each item: after promotions, divided by its pieces and rounded down. Ignores
 * coupons, discounts and manual prices, which apply to these pieces only, and leaves out packs. The price of goods sold
 * by measure is that of their unit.
 */
export function soldPrices({ lines, discounts, taxRules }: Pick<SaleParts, 'lines' | 'discounts' | 'taxRules'>) {
  const promoted = new Set(discounts.flatMap(({ number, promotion }) => (promotion === null ? [] : [number])))
  const shares = sharesOf({ lines, discounts, ...(taxRules ? { taxRules } : {}) })
  const sold = new Map<string, { amount: number; unitCount: number }>()
  for (const line of lines) {
    if (line.voided === 1 || line.packPieces !== null || !isGoods(line)) continue
    // Skip lines of the previous release, which stored the measure only in the name.
    if (line.measure === null && isMeasured(line)) continue
    const reduced = shares.reduce(
      (sum, share) => (share.line === line.number && promoted.has(share.discount) ? sum + share.amountCents : sum),
      0,
    )
    const regular = line.quantity * (line.regularPriceCents ?? line.unitPriceCents)
    // Divide the rounded amount by the unit price: by the measured quantity, the result would not be the exact unit
    // price.
    const units = line.measure === null ? line.quantity : regular / line.measure.unitPriceCents
    const { amount, unitCount } = sold.get(line.sku) ?? { amount: 0, unitCount: 0 }
    sold.set(line.sku, { amount: amount + regular - reduced, unitCount: unitCount + units })
  }
  return new Map(
    [...sold].flatMap(([sku, { amount, unitCount }]) =>
      unitCount > 0 && Number.isFinite(unitCount)
        ? [[sku, cents(Math.floor(amount / unitCount + FLOAT_ERROR))] as const]
        : [],
    ),
  )
}

/** Prices for returns without a receipt: the lowest of the last days, from the prices at which this lane sold. */
export const lowestPricesOf = perLane((ctx: Ctx) => {
  const prices = soldPricesOf(ctx)
  const today = (): string => localDayAt(ctx.clock.now(), ctx.profile.timeZone)
  domainEventsOf(ctx).on('sale.completed', (tx, { parts, at }) => {
    const day = localDayAt(at, ctx.profile.timeZone)
    const store = (sku: string, lowestCents: Cents): void =>
      prices.store(tx, { sku, day, lowestCents }, dayAfter(day, -STORED_DAYS))
    for (const [sku, price] of soldPrices(parts)) store(sku, price)
    for (const sku of new Set(
      parts.lines.flatMap((line) => (line.voided === 0 && isMeasured(line) ? [line.sku] : [])),
    )) {
      const item = catalogOf(ctx).findBySku(sku)
      if (item && salesOf(ctx).isByWeight(item)) store(sku, item.priceCents)
    }
  })
  return {
    /** Returns the price at which a piece, or a unit of measure, is refunded without a receipt. */
    of(item: Item): Cents {
      const { sku, priceCents } = item
      const { lowestPriceDays } = ctx.profile.returns
      if (lowestPriceDays === 0) return priceCents
      const { reductions } = salePromotionsOf(ctx).ofSingle(item, 1)
      const nowCents = priceCents - reductions.reduce((sum, { amountCents }) => sum + amountCents, 0)
      const lowest = prices.lowest(sku, dayAfter(today(), -lowestPriceDays))
      return cents(Math.min(nowCents, lowest ?? nowCents))
    },
  }
})
