import type { Sale } from '../../../contracts/sales/sales.ts'
import type { CashResponse } from '../../../contracts/central/cash.ts'
import { cents } from '../../../contracts/core/money.ts'
import { balancesOf } from '../../loyalty/member/balances.ts'
import { inquiryFacts } from '../../sales/sale/redemption.ts'
import { hidesBalances } from '../../core/central/response-codes.ts'
import type { Tx } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import { openCardPayment } from '../../sales/sale/sale-rows.sql.ts'
import { salesOf } from '../../sales/sales.ts'
import { collectorOf } from '../../sales/collector.ts'
import { inquiryOf, isAged, totalsOf, type StoredInquiry } from '../../sales/sale/sale-parts.ts'
import { redemptionChoiceOf } from '../../sales/sale/sale-view.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { membersOf } from '../../loyalty/member/member.ts'
import { tendersOf } from './tenders.ts'
import { type NewRedemption, recordRedemption, redemptionsOf, sendRedemption } from '../../loyalty/calls/redeem.ts'
import { collectorMutexOf } from '../../store/collector-turns.ts'
import { cashClientOf } from '../../loyalty/services/cash.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart } from '../../core/lifecycle.ts'

function show(ctx: Ctx, { saleId, state }: Operation): void {
  const sales = salesOf(ctx)
  // Reversed for a return of another lane's sale: no sale of this lane is shown.
  if (saleRowsOf(ctx).byId(saleId) === undefined) return
  if (state === 'approved' && sales.row(saleId).state === 'completed') tendersOf(ctx).announce(saleId, true)
  else {
    const sale = sales.publish(saleId, 'redemption')
    // A payment with miles was given back: the collector may redeem another amount of what is there again.
    if (state === 'reversed' && sale.state === 'open') membersOf(ctx).askAgain(saleId)
  }
}

/** A redemption that the sale allows; its request has the time at which it is made. */
type Checked = Omit<NewRedemption, 'request'> & { readonly request: () => NewRedemption['request'] }

/**
 * Checks the newest state of the sale and returns the redemption. Throws ProblemError `sale-not-open`, `sale-stale`,
 * `sale-before-restore`, `redemption-in-flight`, `member-missing`, `age-check-open`, `sale-held-by-card`,
 * `inquiry-pending`, `redemption-not-allowed` or `redemption-units-invalid`.
 */
function checked(ctx: Ctx, saleId: Sale['id'], version: number, units: number): Checked {
  const sales = salesOf(ctx)
  // A second tap is named before the version that the first one has raised.
  if (isInFlight(sales.parts(saleId).redemption)) throw new ProblemError('redemption-in-flight')
  const now = sales.forCommand(saleId, version)
  const { sale } = now
  sales.refuseEarlierEpoch(now)
  const collectorNumber = collectorOf(ctx, sale)
  if (!collectorNumber || !sale.memberHash || !sale.memberEntryMode) throw new ProblemError('member-missing')
  // A keyed number may earn; it is never sent to REDEEM (specification 3 §4.5 rule 1).
  if (sale.memberEntryMode === 'KEYED') throw new ProblemError('redemption-not-allowed')
  sales.refuseUnchecked(now)
  if (openCardPayment(now.cards)) throw new ProblemError('sale-held-by-card')
  const taxes = storeTaxesOf(ctx)()
  const { totalCents } = totalsOf(now, taxes)
  if (sale.memberState === 'pending' || isAged(now.inquiry, totalCents)) throw new ProblemError('inquiry-pending')
  const choice = redemptionChoiceOf(now, taxes)
  if (!choice) throw new ProblemError('redemption-not-allowed')
  if (units > choice.maxUnits) throw new ProblemError('redemption-units-invalid')
  const amountCents = cents(units * choice.unitCents)
  const card = { collectorNumber, entryMode: sale.memberEntryMode }
  return {
    saleId,
    collectorHash: sale.memberHash,
    units,
    amountCents,
    miles: units * choice.unitMiles,
    request: () =>
      cashClientOf(ctx).redeemRequest(card, totalCents, amountCents, ctx.clock.now(), receiptLocaleOf(ctx)()),
  }
}

/**
 * Redeems units of miles: checks the sale and records the intent in one transaction, sends it, and applies the
 * approval in the approval's own commit (`redemption.approved`). Returns the sale when the outcome is known. `claim`
 * commits with the intent.
 */
async function redeem(
  ctx: Ctx,
  saleId: Sale['id'],
  version: number,
  units: number,
  claim: (tx: Tx) => void = () => undefined,
): Promise<Sale> {
  const sales = salesOf(ctx)
  // The collector's turn may be taken for long, by a reversal for one: what is refused now does not wait for it.
  const asked = checked(ctx, saleId, version, units)
  await collectorMutexOf(ctx).run(Buffer.from(asked.collectorHash).toString('hex'), 'live', async () => {
    const operation = ctx.transact((tx) => {
      const redemption = checked(ctx, saleId, version, units)
      // A unit may be worth another amount by now.
      if (redemption.amountCents !== asked.amountCents) throw new ProblemError('redemption-units-invalid')
      // A screen that has not seen this redemption is stale from here on: a second tap finds nothing to act on.
      saleRowsOf(ctx).touch(tx, saleId)
      tendersOf(ctx).serve(tx, saleId)
      claim(tx)
      return recordRedemption(ctx, tx, { ...redemption, request: redemption.request() })
    })
    await sendRedemption(ctx, operation)
  })
  return sales.view(saleId)
}

/** From the start on the screens see every change of a redemption. */
function watch(ctx: Ctx): void {
  const showCommitted = (_tx: Tx, operation: Operation): void => {
    if (operation.kind !== 'redemption') return
    ctx.transact.afterCommit(() => {
      show(ctx, operation)
    })
  }
  ctx.outbox.journal.events.on('operation.opened', showCommitted)
  ctx.outbox.journal.events.on('operation.moved', showCommitted)
}

/** Paying with miles: what a screen may ask for, and what an approval does to the sale. */
export const milesTenderOf = perLane((ctx: Ctx) => {
  // The tender line, what the paper may say, and the end of a sale that it pays whole.
  redemptionsOf(ctx).events.on('redemption.approved', (tx, operation, response) => {
    const { saleId } = operation
    const before = inquiryOf(salesOf(ctx).row(saleId))
    if (before) saleRowsOf(ctx).setInquiry(tx, saleId, 'known', JSON.stringify(afterRedemption(before, response)))
    tendersOf(ctx).applyRedemption(tx, saleId, operation)
  })
  onStart(ctx, () => watch(ctx), 'watch')
  return bound(ctx, {
    redeem,
  })
})

const isInFlight = (operation: Operation | undefined): boolean =>
  operation?.state === 'intent' || operation?.state === 'retry'

/** Balances are those after the last answer; one that suppresses them wipes what INQUIRE had said. */
function afterRedemption(before: StoredInquiry, response: CashResponse): StoredInquiry {
  if (hidesBalances(response.responseCode) || before.responseCode === '0001')
    return { ...before, responseCode: '0001', available: undefined, balances: null }
  const facts = inquiryFacts(response)
  return {
    ...before,
    available: { miles: facts.availableCashMiles, cents: facts.availableCents },
    // Balances from before the redemption would be wrong on the paper: none is better.
    balances: balancesOf(response),
  }
}
