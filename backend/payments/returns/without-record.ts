import type { ReturnWithoutRecord, UnrecordedQuote } from '../../../contracts/payments/returns.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import { cents, type Cents } from '../../../contracts/core/money.ts'
import { saleLineOf, totalBasket, type BasketLine } from '../../sales/sale/basket.ts'
import { dayAt } from '../../loyalty/reconciliation/approvals-on-retry.ts'
import { weightReader, withMeasure } from '../../catalog/measured.ts'
import type { RungItem } from '../../catalog/packs.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import { goodsOf, returnApprovalOf } from './return-options.ts'
import type { RefundForm } from './return-plans.ts'
import { type ReturnRow, returnRowsOf } from '../rows/returns.sql.ts'
import { startOf } from '../../core/zone.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { basketTaxRulesOf } from '../../../contracts/core/region-taxes.ts'
import { ruledLines } from '../../sales/sale/sale-parts.ts'
import { chargeBookOf } from '../../catalog/charges.ts'
import { chargeOfGoods } from '../../sales/sale/charges.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { storeReturnsOf } from './store-returns.ts'
import { salesOf } from '../../sales/sales.ts'
import { custodyOf } from '../../sales/drawer.ts'
import { refundsOf, returnReceiptsOf } from './return-commit.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { vouchersOf } from '../vouchers/vouchers.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

const returnsWithoutRecordStateOf = perLane((ctx: Ctx) => {
  const isByWeight = weightReader(ctx.lane.devices.scanner?.embedded ?? [])
  return {
    isByWeight,
  }
})

/** Returns lines for goods at the prices of today's catalog, with the taxes of one sale of today. */
function linesOf(ctx: Ctx, items: ReturnWithoutRecord['items']): BasketLine[] {
  const lines = items.flatMap(({ sku, quantity, measured }, index) => {
    const known = catalogOf(ctx).findBySku(sku)
    if (!known) throw new ProblemError('item-unknown')
    const isByMeasure = returnsWithoutRecordStateOf(ctx).isByWeight(known)
    if (isByMeasure && !measured) throw new ProblemError('weight-required')
    if (measured && (!isByMeasure || quantity !== 1)) throw new ProblemError('weighed-single')
    const item: RungItem = measured ? withMeasure(known, measured) : known
    if (item.openPrice) throw new ProblemError('return-price-unknown')
    const charges = chargeBookOf(ctx).ofItem(item, 1)
    const goods = {
      number: index + 1,
      sku,
      name: item.name,
      quantity,
      unitPriceCents: item.priceCents,
      taxCategory: item.taxCategory,
      taxRule: item.taxRule ?? null,
      departmentId: item.departmentId,
      categoryId: item.categoryId,
      voided: false,
      ...(item.measure ? { measure: item.measure } : {}),
    }
    return [goods, ...charges.map((charge, at) => chargeOfGoods(goods, charge, at))]
  })
  return ruledLines(lines, basketTaxRulesOf(ctx.profile.region))
}

/**
 * Returns the lines and totals of goods at today's prices. Throws ProblemError `item-unknown`, `return-price-unknown`
 * for an open price, and `weight-required` for goods sold by measure without a measure.
 */
function valueOfItems(
  ctx: Ctx,
  items: ReturnWithoutRecord['items'],
): { lines: BasketLine[]; totals: ReturnRow['totals'] } {
  const lines = linesOf(ctx, items)
  const { subtotalCents, taxes: taxed, totalCents } = totalBasket(lines, storeTaxesOf(ctx)(), [])
  return { lines, totals: { subtotalCents, taxes: taxed, totalCents } }
}

const startOfToday = (ctx: Ctx): number => startOf(dayAt(ctx.clock.now(), ctx.profile.timeZone), ctx.profile.timeZone)

/**
 * Value of the goods that one person took back without a record on this business day. It is not counted by shift: a
 * person could start another one by counting the drawer.
 */
const takenBefore = (ctx: Ctx, cashierId: string, elsewhereCents: number): Cents =>
  cents(returnRowsOf(ctx).unrecordedCents({ lane: ctx.lane.id, cashierId, from: startOfToday(ctx) }) + elsewhereCents)

/** Returns the approver of a return without a record; the cashier if no approval is required. */
function approverOf(
  ctx: Ctx,
  who: Who,
  { lines, totalCents, reason }: { lines: readonly BasketLine[]; totalCents: Cents; reason: string },
  elsewhereCents: number,
): string {
  const approval = returnApprovalOf(ctx)
  const earlierCents = takenBefore(ctx, who.actorId, elsewhereCents)
  const isLarge = approval.isLarge(earlierCents + totalCents)
  const limitCents = isLarge ? approval.limitCents : null
  const authorization = guardOf(ctx).needAll(
    isLarge ? ['return-unrecorded', 'return'] : ['return-unrecorded'],
    who,
    goodsOf(null, lines, totalCents, storeCreditOf(totalCents), earlierCents, {
      reason: perLocale(() => reason),
      limitCents,
    }),
  )
  return authorization.approvedBy ?? who.actorId
}

const takenElsewhere = (ctx: Ctx, who: Who): Promise<number> =>
  storeReturnsOf(ctx).unrecordedCents(who.actorId, startOfToday(ctx))

function quote(ctx: Ctx, items: ReturnWithoutRecord['items']): UnrecordedQuote {
  const { lines, totals } = valueOfItems(ctx, items)
  return { lines: lines.map((line) => saleLineOf(line, storeTaxesOf(ctx)())), totals }
}

function commit(ctx: Ctx, { items, reason }: ReturnWithoutRecord, who: Who, elsewhereCents: number): ReturnRow {
  const repository = returnRowsOf(ctx)
  const { actorId: cashierId } = who
  const { lines, totals } = valueOfItems(ctx, items)
  return ctx.transact((tx) => {
    const approvedBy = approverOf(ctx, who, { lines, totalCents: totals.totalCents, reason }, elsewhereCents)
    const { id, sequence } = salesOf(ctx).nextId()
    const row: ReturnRow = { id, saleId: null, cashierId, approvedBy, reason, at: ctx.clock.now(), totals }
    repository.insert(tx, { ...row, sequence, lane: ctx.lane.id, shiftId: custodyOf(ctx).enter(tx, cashierId) })
    repository.insertLines(tx, row, lines)
    const credit = refundsOf(ctx).insert(tx, row, storeCreditOf(totals.totalCents), null, null)
    domainEventsOf(ctx).emit('return.committed', tx, {
      returnId: id,
      sale: null,
      at: row.at,
      lines,
      left: [],
      earlier: [],
      totals,
      tenders: [],
    })
    ctx.audit.record(tx, {
      kind: 'return-without-record',
      actorId: approvedBy,
      subject: id,
      detail: { cashier: cashierId, totalCents: totals.totalCents },
    })
    returnReceiptsOf(ctx).enqueue(tx, row)
    if (credit) vouchersOf(ctx).enqueueDocument(tx, credit.id)
    return row
  })
}

/**
 * Returns of goods without a known sale. The form of their payment is unknown, so they give store credit at today's
 * prices.
 */
export const returnsWithoutRecordOf = perLane((ctx: Ctx) => {
  returnsWithoutRecordStateOf(ctx)
  return bound(ctx, {
    takenElsewhere,
    quote,
    commit,
  })
})

const storeCreditOf = (amountCents: Cents): RefundForm[] =>
  amountCents > 0 ? [{ kind: 'store-credit', paidBy: null, amountCents, roundingCents: cents(0) }] : []
