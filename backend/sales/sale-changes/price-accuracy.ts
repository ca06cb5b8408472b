import type { ApprovalAction, CorrectPrice } from '../../../contracts/sales/sale-changes.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { accuracyLimitCents, compensationCents } from '../../../contracts/core/region-rules.ts'
import { cents } from '../../../contracts/core/money.ts'
import { isGoods } from '../../catalog/charges.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import { ProblemError } from '../../core/problem.ts'
import { localDayAt } from '../../core/zone.ts'
import type { Tx } from '../../core/db/transact.ts'
import { type Who, guardOf } from '../approvals/guard.ts'
import { lineAmount } from '../sale/basket.ts'
import { type SaleParts, pricedLines } from '../sale/sale-parts.ts'
import type { CorrectionRow } from '../sale/sale-rows.sql.ts'
import { type LineRow, saleRowsOf, stateOf } from '../sale/sales.sql.ts'
import { openLine, salesOf } from '../sales.ts'

export type ShelfPrice = Pick<CorrectPrice, 'version' | 'shelfPriceCents' | 'compensate'>

/**
 * Discounts that compensate an item of the sale. They are found by their line and reason, because a later correction of
 * the line replaces the number that `price_correction` stores.
 */
function compensationsOf(ctx: Ctx, { sale, lines, discounts }: SaleParts): { number: number; sku: string }[] {
  const corrections = saleRowsOf(ctx).corrections.ofSale(sale.id)
  return discounts.flatMap(({ number, reach, reason }) => {
    if (reason !== 'price-error' || reach.kind !== 'line') return []
    const line = lines.find((one) => one.number === reach.number && one.voided === 0)
    return line && corrections.some(({ lineNumber }) => lineNumber === line.number) ? [{ number, sku: line.sku }] : []
  })
}

function withoutCompensations(ctx: Ctx, parts: SaleParts): SaleParts {
  const given = compensationsOf(ctx, parts).map(({ number }) => number)
  return { ...parts, discounts: parts.discounts.filter(({ number }) => !given.includes(number)) }
}

/**
 * Amount that the sale charges for a line at its price: after promotions and discounts for a wrong price, before its
 * compensation, and before coupons and other discounts, which the buyer keeps at any price.
 */
function chargedCents(ctx: Ctx, now: SaleParts, number: number): number {
  const parts = withoutCompensations(ctx, now)
  const discounts = parts.discounts.filter(({ source, reason }) => source === 'promotion' || reason === 'price-error')
  const line = pricedLines({ ...parts, discounts }).find((one) => one.number === number)
  return line === undefined ? 0 : lineAmount(line)
}

const knownOf = (ctx: Ctx, saleId: string, number: number): CorrectionRow | undefined =>
  saleRowsOf(ctx)
    .corrections.ofSale(saleId)
    .find(({ lineNumber }) => lineNumber === number)

/** Amount by which corrections made the other lines of the sale cheaper, without compensations. */
const correctedCents = (ctx: Ctx, { sale, lines }: SaleParts, except: number): number =>
  saleRowsOf(ctx)
    .corrections.ofSale(sale.id)
    .reduce((sum, { lineNumber, scannedCents, shelfCents }) => {
      const line = lines.find((one) => one.number === lineNumber && one.voided === 0)
      return lineNumber === except || !line ? sum : sum + (scannedCents - shelfCents) * line.quantity
    }, 0)

/**
 * Sets the shelf price of the line and, if one is due, the discount that compensates one piece. Returns the number of
 * that discount, or null.
 */
function correct(ctx: Ctx, tx: Tx, now: SaleParts, line: LineRow, asked: ShelfPrice, who: Who): number | null {
  const sales = salesOf(ctx)
  const rows = saleRowsOf(ctx)
  const guard = guardOf(ctx)
  const { id } = now.sale
  const shelfCents = asked.shelfPriceCents
  const scannedCents = line.regularPriceCents ?? line.unitPriceCents
  // The same error of identical goods is compensated once (Québec, P-40.1, r. 2, s. 1 (2), and the Scanner Price
  // Accuracy Voluntary Code).
  const isFree = asked.compensate && !compensationsOf(ctx, now).some(({ sku }) => sku === line.sku)
  rows.setLine(tx, id, line.number, { ...stateOf(line), unitPriceCents: shelfCents, regularPriceCents: scannedCents })
  const today = localDayAt(ctx.clock.now(), ctx.profile.timeZone)
  const limitCents = accuracyLimitCents(ctx.profile.region, today)
  const off = compensationCents(shelfCents, limitCents)
  const compensation = {
    reach: { kind: 'line' as const, number: line.number },
    off: { kind: 'amount' as const, cents: cents(off) },
    minimumCents: cents(0),
    reason: 'price-error' as const,
    coupon: null,
  }
  const priced = sales.parts(id)
  const unsaved = { ...compensation, number: Number.MAX_SAFE_INTEGER, source: 'cashier' as const, promotion: null }
  // The region's rule bounds the compensation, but no rule bounds the shelf price that the cashier enters.
  const isSmall = correctedCents(ctx, priced, line.number) + (scannedCents - shelfCents) * line.quantity <= limitCents
  const limitPercent = isSmall
    ? null
    : guard.limitExceeded(withoutCompensations(ctx, now), withoutCompensations(ctx, priced))
  const facts = {
    ...guard.changeOf(now, isFree ? { ...priced, discounts: [...priced.discounts, unsaved] } : priced),
    reason: 'price-error' as const,
    limitPercent,
  }
  const actions: ApprovalAction[] = limitPercent === null ? ['price-accuracy'] : ['price-accuracy', 'price']
  // Another shelf price with another compensation can cost the same, so the shown amounts do not identify the
  // correction.
  const thing = JSON.stringify([line.number, shelfCents, asked.compensate])
  const { approvedBy } = guard.authorize(actions, who, facts, thing)
  const discountNumber = isFree ? rows.discounts.insert(tx, id, { ...compensation, approvedBy }) : null
  const given = now.discounts.find(({ number }) => number === knownOf(ctx, id, line.number)?.discountNumber)
  rows.corrections.put(tx, id, {
    lineNumber: line.number,
    scannedCents,
    shelfCents,
    discountNumber: discountNumber ?? given?.number ?? null,
  })
  sales.refuseBelowTendered(id)
  const authorization = guard.needAll(actions, who, facts, thing)
  guard.record(tx, 'price-accuracy', id, authorization, {
    line: line.number,
    before: scannedCents,
    after: shelfCents,
    off: isFree ? off : 0,
  })
  return discountNumber
}

/**
 * Corrects a line to the lower price on the shelf. With `compensate`, one piece is also free or reduced by the limit of
 * the region, once for each item of the sale. The corrected price is a manual price, so promotions no longer apply to
 * the line. If corrections make the lines of the sale cheaper by more than the compensation’s limit, and this line by
 * more than a discount may be without approval, it needs the approval of a price change. Throws ProblemError
 * `accuracy-not-lower`, `accuracy-done` or `gift-card-price`.
 */
function correctPrice(ctx: Ctx, id: string, number: number, asked: ShelfPrice, who: Who): Sale {
  const sales = salesOf(ctx)
  return sales.command(id, asked.version, 'command', (tx, now) => {
    sales.refuseDuringPayment(now)
    const line = openLine(now, number)
    if (!isGoods(line)) throw new ProblemError('gift-card-price')
    const known = knownOf(ctx, id, number)
    const isGiven = now.discounts.some((discount) => discount.number === known?.discountNumber)
    if (known && line.unitPriceCents === known.shelfCents && (isGiven || asked.shelfPriceCents === known.shelfCents))
      throw new ProblemError('accuracy-done')
    if (asked.shelfPriceCents * line.quantity >= chargedCents(ctx, now, number))
      throw new ProblemError('accuracy-not-lower')
    const discount = correct(ctx, tx, now, line, asked, who)
    const before = { number, row: stateOf(line) }
    // Stored as the undo of a discount with an extra field, because the previous release does not read further kinds.
    return discount === null
      ? { kind: 'price', before: { of: 'line', ...before } }
      : { kind: 'discount', before: { of: 'discount', number: discount, removed: true, line: before } }
  })
}

export const priceAccuracyOf = perLane((ctx: Ctx) => bound(ctx, { correctPrice }))
