import type { ReturnWithoutRecord, UnrecordedQuote } from '../../../contracts/payments/returns.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import { cents, type Cents } from '../../../contracts/core/money.ts'
import { lineAmount, saleLineOf, totalBasket, type BasketLine } from '../../sales/sale/basket.ts'
import { dayAt } from '../../loyalty/reconciliation/approvals-on-retry.ts'
import { measuredItem, weightReader, withMeasure } from '../../catalog/measured.ts'
import type { RungItem } from '../../catalog/packs.ts'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { lowestPricesOf } from './lowest-price.ts'
import { type RulesOfReturn, returnPolicyOf } from './store-rules.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import { goodsOf, returnApprovalOf } from './return-options.ts'
import type { RefundForm } from './return-plans.ts'
import { type ReturnRow, returnRowsOf } from '../rows/returns.sql.ts'
import { startOf } from '../../core/zone.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { basketTaxRulesOf } from '../../../contracts/core/region-taxes.ts'
import { lowestCategory } from '../../catalog/tax-rules.ts'
import { chargeBookOf, isGoods } from '../../catalog/charges.ts'
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

type UnrecordedItem = ReturnWithoutRecord['items'][number]

const asking = (code: 'weight-required' | 'price-required' | 'price-out-of-bounds', { sku }: Item): ProblemError =>
  new ProblemError(code, [{ path: 'sku', message: sku }])

/**
 * Returns an item at its price without a receipt: the lowest of the last days, or by the price or weight that the
 * cashier entered. Throws ProblemError `price-required` and `weight-required` for what is missing.
 */
function priceOf(
  ctx: Ctx,
  item: Item,
  { priceCents, measured, quantity }: UnrecordedItem,
): RungItem & { readonly todayCents?: Cents } {
  const lowestCents = lowestPricesOf(ctx).of(item)
  if (returnsWithoutRecordStateOf(ctx).isByWeight(item)) {
    if (quantity > 1 && (measured ?? priceCents) !== undefined) throw new ProblemError('weighed-single')
    if (measured) return withMeasure({ ...item, priceCents: lowestCents }, measured)
    if (priceCents === undefined) throw asking('weight-required', item)
    return atLowest(measuredItem(item, { kind: 'price', cents: priceCents }, true), item.priceCents, lowestCents)
  }
  if (measured) throw new ProblemError('weighed-single')
  if (item.openPrice) {
    if (priceCents === undefined) throw asking('price-required', item)
    const { leastCents, mostCents } = item.openPrice
    if (priceCents < leastCents || priceCents > mostCents) throw asking('price-out-of-bounds', item)
    return { ...item, priceCents }
  }
  return { ...item, priceCents: lowestCents, ...(lowestCents < item.priceCents ? { todayCents: item.priceCents } : {}) }
}

/** Replaces today's unit price in the price on a label by the lowest unit price of the last days, if that is lower. */
const atLowest = (labelled: RungItem, todayCents: Cents, lowestCents: Cents): RungItem =>
  lowestCents >= todayCents
    ? labelled
    : {
        ...labelled,
        priceCents: cents(Math.floor((labelled.priceCents * lowestCents) / todayCents)),
        ...(labelled.measure ? { measure: { ...labelled.measure, unitPriceCents: lowestCents } } : {}),
      }

/**
 * Returns lines for goods without a receipt. Their taxes are the lowest that any sale could have charged: the sale is
 * unknown, so a rule of its basket may have lowered them, and a refund contains no tax that was not paid.
 */
function linesOf(ctx: Ctx, items: ReturnWithoutRecord['items']): BasketLine[] {
  const lines = items.flatMap((asked, index): BasketLine[] => {
    const item = catalogOf(ctx).findBySku(asked.sku)
    if (!item) throw new ProblemError('item-unknown')
    const priced = priceOf(ctx, item, asked)
    const goods = {
      number: index + 1,
      sku: item.sku,
      name: priced.name,
      quantity: asked.quantity,
      unitPriceCents: priced.priceCents,
      regularPriceCents: priced.todayCents ?? null,
      taxCategory: item.taxCategory,
      taxRule: item.taxRule ?? null,
      departmentId: item.departmentId,
      categoryId: item.categoryId,
      voided: false,
      ...(priced.measure ? { measure: priced.measure } : {}),
    }
    const charges = chargeBookOf(ctx).ofItem(item, 1)
    return [goods, ...charges.map((charge, at) => chargeOfGoods(goods, charge, at))]
  })
  const rules = basketTaxRulesOf(ctx.profile.region)
  return lines.map((line) => ({
    ...line,
    taxCategory: lowestCategory(line, priceOfPiece(lines, line.chargeOf ?? line.number), rules),
  }))
}

/** Price of one piece with its fees, which belong to the price of prepared food. */
const priceOfPiece = (lines: readonly BasketLine[], number: number): Cents => {
  const all = lines.filter((line) => (line.chargeOf ?? line.number) === number && line.taxCategory !== 'zero-rated')
  const quantity = lines.find((line) => line.number === number)?.quantity ?? 1
  return cents(Math.floor(all.reduce((sum, line) => sum + lineAmount(line), 0) / quantity))
}

/** Returns the lines and totals of goods without a receipt. Throws ProblemError as `priceOf`, and `item-unknown`. */
function valueOfItems(
  ctx: Ctx,
  items: ReturnWithoutRecord['items'],
): { lines: BasketLine[]; totals: ReturnRow['totals'] } {
  const lines = linesOf(ctx, items)
  const { subtotalCents, taxes: taxed, totalCents } = totalBasket(lines, storeTaxesOf(ctx)(), [])
  return { lines, totals: { subtotalCents, taxes: taxed, totalCents } }
}

const rulesOf = (
  ctx: Ctx,
  items: ReturnWithoutRecord['items'],
  { lines, totals }: { lines: readonly BasketLine[]; totals: ReturnRow['totals'] },
  cashierId: string,
): RulesOfReturn =>
  returnPolicyOf(ctx).check(
    lines.filter(isGoods).map(({ number, name, sku, departmentId, quantity }) => {
      const { scanned } = items[number - 1] ?? {}
      return {
        name,
        sku,
        departmentId,
        pieces: quantity,
        soldOn: null,
        soldDays: null,
        scanned: scanned ? [scanned] : [],
      }
    }),
    totals.totalCents,
    cashierId,
  )

const startOfToday = (ctx: Ctx): number => startOf(dayAt(ctx.clock.now(), ctx.profile.timeZone), ctx.profile.timeZone)

/**
 * Value of the goods that one person took back without a record since midnight, store time. It is not counted by shift:
 * the person could start another shift by counting the drawer.
 */
const takenBefore = (ctx: Ctx, cashierId: string, elsewhereCents: number): Cents =>
  cents(returnRowsOf(ctx).unrecordedCents({ lane: ctx.lane.id, cashierId, from: startOfToday(ctx) }) + elsewhereCents)

/** Returns the approver of a return without a record; the cashier if no approval is required. */
function approverOf(
  ctx: Ctx,
  who: Who,
  { lines, totalCents, reason }: { lines: readonly BasketLine[]; totalCents: Cents; reason: string },
  { brokenRules }: Pick<RulesOfReturn, 'brokenRules'>,
  elsewhereCents: number,
): string {
  const approval = returnApprovalOf(ctx)
  const earlierCents = takenBefore(ctx, who.actorId, elsewhereCents)
  const isLarge = approval.isLarge(earlierCents + totalCents)
  const limitCents = isLarge ? approval.limitCents : null
  const authorization = guardOf(ctx).needAll(
    [
      ...(brokenRules.length > 0 ? (['return-override'] as const) : []),
      'return-unrecorded',
      ...(isLarge ? (['return'] as const) : []),
    ],
    who,
    goodsOf(null, lines, totalCents, storeCreditOf(totalCents), earlierCents, {
      reason: perLocale(() => reason),
      limitCents,
      brokenRules,
    }),
  )
  return authorization.approvedBy ?? who.actorId
}

const takenElsewhere = (ctx: Ctx, who: Who): Promise<number> =>
  storeReturnsOf(ctx).unrecordedCents(who.actorId, startOfToday(ctx))

function quote(ctx: Ctx, items: ReturnWithoutRecord['items'], cashierId: string): UnrecordedQuote {
  const worth = valueOfItems(ctx, items)
  const { brokenRules, recalled } = rulesOf(ctx, items, worth, cashierId)
  return {
    lines: worth.lines.map((line) => saleLineOf(line, storeTaxesOf(ctx)())),
    totals: worth.totals,
    brokenRules: [...brokenRules],
    recalled: [...recalled],
  }
}

function commit(ctx: Ctx, { items, reason }: ReturnWithoutRecord, who: Who, elsewhereCents: number): ReturnRow {
  const repository = returnRowsOf(ctx)
  const { actorId: cashierId } = who
  const { lines, totals } = valueOfItems(ctx, items)
  return ctx.transact((tx) => {
    const rules = rulesOf(ctx, items, { lines, totals }, cashierId)
    const approvedBy = approverOf(ctx, who, { lines, totalCents: totals.totalCents, reason }, rules, elsewhereCents)
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
    returnPolicyOf(ctx).audit(tx, row, rules, totals.totalCents)
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
 * Returns of goods without a known sale. Neither their payment nor their price is known, so they give store credit at
 * the lowest price of the last days.
 */
export const returnsWithoutRecordOf = perLane((ctx: Ctx) => {
  returnsWithoutRecordStateOf(ctx)
  lowestPricesOf(ctx)
  return bound(ctx, {
    takenElsewhere,
    quote,
    commit,
  })
})

const storeCreditOf = (amountCents: Cents): RefundForm[] =>
  amountCents > 0 ? [{ kind: 'store-credit', paidBy: null, amountCents, roundingCents: cents(0) }] : []
