import type { CashOut, CashedOut, VoucherId } from '../../../contracts/payments/vouchers.ts'
import { cents, roundToNickel } from '../../../contracts/core/money.ts'
import { cashOutLimitCents } from '../../../contracts/core/region-rules.ts'
import { columnsOfLane } from '../../core/paper/document.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import type { Tx } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { type Who, guardOf } from '../../sales/approvals/guard.ts'
import { custodyOf } from '../../sales/drawer.ts'
import { storedTaxes } from '../../sales/sale/sale-parts.ts'
import { type SaleRow, type TenderRow, saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { salesOf } from '../../sales/sales.ts'
import { composeCashOut } from '../receipts/voucher-receipt.ts'
import { receiptsOf } from '../receipts/receipts.ts'
import { cashOutRowsOf } from '../rows/cash-outs.sql.ts'
import { type PresentedState, WITHOUT_SALE, shownVouchersOf } from './presented-vouchers.ts'
import { storeVouchersOf } from './store-vouchers.ts'
import { pay, prepare as drawMissing } from './voucher-paying.ts'

type CashOutRequest = Pick<CashOut, 'amountCents'> & { readonly voucherId: VoucherId }

/** Throws ProblemError `cash-out-not-here` or `cash-out-limit`. */
function refuseAboveLimit(ctx: Ctx, amountCents: number): void {
  const limit = cashOutLimitCents(ctx.profile.region)
  if (limit === null) throw new ProblemError('cash-out-not-here')
  if (amountCents > limit) throw new ProblemError('cash-out-limit')
}

/**
 * Returns the sale that records a cash-out: a new one without lines, or the open one while it is empty, as after an
 * interrupted cash-out. Throws ProblemError `cash-out-sale-open`.
 */
function emptySale(ctx: Ctx, tx: Tx): SaleRow {
  const sale = salesOf(ctx).openSale(tx)
  const { lines, tenders, cards } = salesOf(ctx).parts(sale.id)
  if (lines.length + tenders.length + cards.length > 0 || sale.memberLast4 !== null)
    throw new ProblemError('cash-out-sale-open')
  return sale
}

/**
 * Draws the missing value of the gift card from the store server, as for a payment. The draw belongs to the sale of the
 * cash-out, so that a repeated command uses the same draw.
 */
async function prepare(ctx: Ctx, { voucherId, amountCents }: CashOutRequest): Promise<void> {
  const shown = shownVouchersOf(ctx)
  refuseAboveLimit(ctx, amountCents)
  const state = shown.for(voucherId, WITHOUT_SALE)
  if (state === null || storeVouchersOf(ctx) === null) return
  const { id } = ctx.transact((tx) => emptySale(ctx, tx))
  shown.put(voucherId, id, state.isNew, state.restCents)
  try {
    await drawMissing(ctx, id, voucherId, amountCents)
  } catch (error) {
    shown.put(voucherId, WITHOUT_SALE, state.isNew, state.restCents)
    throw error
  }
}

/**
 * Pays out the whole balance of a gift card in cash, once: the gift card pays a sale without lines, which is cancelled
 * and gives the amount back in cash. The draw, the payment and the facts are those of every other payment by gift card.
 */
function cashOut(ctx: Ctx, { voucherId, amountCents }: CashOutRequest, who: Who): CashedOut {
  const shown = shownVouchersOf(ctx)
  const open = salesOf(ctx).currentId() ?? WITHOUT_SALE
  const known = [open, WITHOUT_SALE].find((place) => shown.for(voucherId, place) !== null)
  const state = known === undefined ? null : shown.for(voucherId, known)
  try {
    const done = ctx.transact((tx) => payOut(ctx, tx, { voucherId, amountCents }, state, who))
    ctx.publish({ type: 'sale-closed', saleId: done.saleId, state: 'cancelled' })
    ctx.publish({ type: 'shifts-changed' })
    return done
  } catch (error) {
    if (known !== undefined) shown.put(voucherId, known, state?.isNew, state?.restCents)
    throw error
  }
}

function payOut(
  ctx: Ctx,
  tx: Tx,
  { voucherId, amountCents }: CashOutRequest,
  state: PresentedState | null,
  who: Who,
): CashedOut {
  const rows = saleRowsOf(ctx)
  const guard = guardOf(ctx)
  refuseAboveLimit(ctx, amountCents)
  const sale = emptySale(ctx, tx)
  const taken = { at: ctx.clock.now(), shiftId: custodyOf(ctx).enter(tx, sale.servedBy) }
  if (state) shownVouchersOf(ctx).put(voucherId, sale.id, state.isNew, state.restCents)
  const tender = pay(ctx, tx, sale.id, voucherId, amountCents)
  if (tender.kind !== 'gift-card') throw new ProblemError('cash-out-gift-card')
  if (tender.voucherBalanceCents !== 0) throw new ProblemError('cash-out-whole')
  const cashCents = roundToNickel(cents(amountCents))
  const last4 = tender.reference ?? ''
  const facts = { of: 'voucher', kind: tender.kind, last4, balanceCents: cents(amountCents) } as const
  const authorization = guard.need('gift-card-cash-out', who, facts, voucherId)
  rows.insertTender(tx, sale.id, tender, taken)
  rows.insertTender(tx, sale.id, cashOf(amountCents, cashCents), taken)
  rows.serve(tx, sale.id, who.actorId)
  rows.close(tx, sale.id, { state: 'cancelled', taxes: storedTaxes(storeTaxesOf(ctx)()), totals: null, ...taken })
  const done = { saleId: sale.id, last4, amountCents: cents(amountCents), cashCents }
  const approvedBy = authorization.approvedBy === who.actorId ? null : authorization.approvedBy
  cashOutRowsOf(ctx).insert(tx, { ...done, ...taken, voucherId, staffId: who.actorId, approvedBy })
  guard.record(tx, 'gift-card-cash-out', sale.id, authorization, { last4, amountCents, cashCents })
  enqueueSlip(ctx, tx, { ...done, at: taken.at })
  return done
}

/** Cash given back, as after a cancelled sale: a negative payment with the rounding to five cents. */
const cashOf = (amountCents: number, cashCents: number): Omit<TenderRow, 'number' | 'shiftId'> => ({
  kind: 'cash',
  amountCents: -amountCents,
  roundingCents: amountCents - cashCents,
  tenderedCents: -cashCents,
  changeCents: 0,
  reference: null,
  operationId: null,
  voucherId: null,
  voucherBalanceCents: null,
})

function enqueueSlip(ctx: Ctx, tx: Tx, { saleId, at, ...paid }: CashedOut & { readonly at: number }): void {
  const { mode, store, receipt, timeZone } = ctx.profile
  const document = composeCashOut({
    profile: { mode, store, receipt, timeZone },
    locale: receiptLocaleOf(ctx)(),
    columns: columnsOfLane(ctx.lane),
    lane: ctx.lane.id,
    copy: 0,
    cashierName: ctx.staffName(ctx.signedIn()?.id ?? salesOf(ctx).row(saleId).servedBy),
    at,
    saleId,
    ...paid,
  })
  receiptsOf(ctx).enqueueDocument(tx, { kind: 'payment-back', id: saleId }, document, true)
}

/** Cash-out of gift cards with a small balance, where the law of the region requires it. */
export const cashOutsOf = perLane((ctx: Ctx) => bound(ctx, { prepare, cashOut }))
