import type { Sale } from '../../../contracts/sales/sales.ts'
import type { CashResponse } from '../../../contracts/central/cash.ts'
import { cents } from '../../../contracts/core/money.ts'
import { balancesOf } from '../../loyalty/member/balances.ts'
import { inquiryFacts } from '../../loyalty/calls/redemption.ts'
import { hidesBalances } from '../../core/central/response-codes.ts'
import type { Tx } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import { openCardPayment } from '../../sales/sale-rows.sql.ts'
import { refuseStale, salesOf } from '../../sales/sales.ts'
import {
  inquiryOf,
  isAged,
  redemptionChoiceOf,
  totalsOf,
  type SaleParts,
  type StoredInquiry,
} from '../../sales/sale-view.ts'
import { saleRowsOf } from '../../sales/sales.sql.ts'
import { membersOf } from '../../loyalty/member/member.ts'
import { tendersOf } from './tenders.ts'
import { redemptionsOf } from '../../loyalty/calls/redeem.ts'
import { cashClientOf } from '../../loyalty/services/cash.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

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

/** What may be redeemed is known when INQUIRE has answered of this basket, and the card has not all of its amount. */
function refuseWhileOthersAct(ctx: Ctx, now: SaleParts): void {
  salesOf(ctx).refuseUnchecked(now)
  if (openCardPayment(now.cards)) throw new ProblemError('sale-held-by-card')
  if (now.sale.memberState === 'pending' || isAged(now.inquiry, totalsOf(now, storeTaxesOf(ctx)()).totalCents))
    throw new ProblemError('inquiry-pending')
}

/**
 * Redeems this many units on the sale and answers it when the outcome is known. `claim` commits with the intent.
 */
async function redeem(
  ctx: Ctx,
  saleId: Sale['id'],
  version: number,
  units: number,
  claim: (tx: Tx) => void = () => undefined,
): Promise<Sale> {
  const sales = salesOf(ctx)
  const taxes = storeTaxesOf(ctx)
  const now = sales.parts(saleId)
  const { sale } = now
  const collectorNumber = membersOf(ctx).collectorOf(sale)
  if (sale.state !== 'open') throw new ProblemError('sale-not-open')
  sales.refuseEarlierEpoch(now)
  if (isInFlight(now.redemption)) throw new ProblemError('redemption-in-flight')
  if (!collectorNumber || !sale.memberHash || !sale.memberEntryMode) throw new ProblemError('member-missing')
  // A keyed number may earn; it is never sent to REDEEM (specification 3 §4.5 rule 1).
  if (sale.memberEntryMode === 'KEYED') throw new ProblemError('redemption-not-allowed')
  refuseWhileOthersAct(ctx, now)
  const card = { collectorNumber, entryMode: sale.memberEntryMode }
  const choiceNow = redemptionChoiceOf(now, taxes())
  const unitCents = choiceNow?.unitCents ?? 0
  const unitMiles = choiceNow?.unitMiles ?? 0
  let latest = now
  await redemptionsOf(ctx).redeem({
    saleId,
    collectorHash: sale.memberHash,
    units,
    amountCents: units * unitCents,
    miles: units * unitMiles,
    request: () =>
      cashClientOf(ctx).redeemRequest(
        card,
        totalsOf(latest, taxes()).totalCents,
        cents(units * unitCents),
        ctx.clock.now(),
        receiptLocaleOf(ctx)(),
      ),
    check(tx) {
      latest = sales.parts(saleId)
      if (latest.sale.state !== 'open') throw new ProblemError('sale-not-open')
      if (isInFlight(latest.redemption)) throw new ProblemError('redemption-in-flight')
      refuseStale(latest.sale, version)
      refuseWhileOthersAct(ctx, latest)
      const choice = redemptionChoiceOf(latest, taxes())
      if (!choice) throw new ProblemError('redemption-not-allowed')
      if (units > choice.maxUnits || choice.unitCents !== unitCents) throw new ProblemError('redemption-units-invalid')
      // From here on every screen that has not seen this redemption is out of date: a second tap finds nothing to
      // act on.
      saleRowsOf(ctx).touch(tx, saleId)
      tendersOf(ctx).serve(tx, saleId)
      claim(tx)
    },
  })
  return sales.view(saleId)
}

/** From now on the screens see every change of a redemption. */
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
  return bound(ctx, {
    redeem,
    watch,
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
