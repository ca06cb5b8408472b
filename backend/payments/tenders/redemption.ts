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
import { type Ctx, perLane } from '../../core/context.ts'

export type MilesTender = ReturnType<typeof milesTenderOf>

/** Paying with miles: what a screen may ask for, and what an approval does to the sale. */
export const milesTenderOf = perLane((ctx: Ctx) => {
  const { transact, clock } = ctx
  const sales = salesOf(ctx)
  const repository = saleRowsOf(ctx)
  const members = membersOf(ctx)
  const tenders = tendersOf(ctx)
  const redemptions = redemptionsOf(ctx)
  const journal = ctx.outbox.journal
  const cash = cashClientOf(ctx)
  const taxes = storeTaxesOf(ctx)
  const locale = receiptLocaleOf(ctx)
  // The tender line, what the paper may say, and the end of a sale that it pays whole.
  redemptions.events.on('redemption.approved', (tx, operation, response) => {
    const { saleId } = operation
    const before = inquiryOf(sales.row(saleId))
    if (before) repository.setInquiry(tx, saleId, 'known', JSON.stringify(afterRedemption(before, response)))
    tenders.applyRedemption(tx, saleId, operation)
  })

  function show({ saleId, state }: Operation): void {
    // Reversed for a return of another lane's sale: no sale of this lane is shown.
    if (repository.byId(saleId) === undefined) return
    if (state === 'approved' && sales.row(saleId).state === 'completed') tenders.announce(saleId, true)
    else {
      const sale = sales.publish(saleId, 'redemption')
      // A payment with miles was given back: the collector may redeem another amount of what is there again.
      if (state === 'reversed' && sale.state === 'open') members.askAgain(saleId)
    }
  }

  /** What may be redeemed is known when INQUIRE has answered of this basket, and the card has not all of its amount. */
  function refuseWhileOthersAct(now: SaleParts): void {
    sales.refuseUnchecked(now)
    if (openCardPayment(now.cards)) throw new ProblemError('sale-held-by-card')
    if (now.sale.memberState === 'pending' || isAged(now.inquiry, totalsOf(now, taxes()).totalCents))
      throw new ProblemError('inquiry-pending')
  }

  return {
    /**
     * Redeems this many units on the sale and answers it when the outcome is known. `claim` commits with the intent.
     */
    async redeem(
      saleId: Sale['id'],
      version: number,
      units: number,
      claim: (tx: Tx) => void = () => undefined,
    ): Promise<Sale> {
      const now = sales.parts(saleId)
      const { sale } = now
      const collectorNumber = members.collectorOf(sale)
      if (sale.state !== 'open') throw new ProblemError('sale-not-open')
      sales.refuseEarlierEpoch(now)
      if (isInFlight(now.redemption)) throw new ProblemError('redemption-in-flight')
      if (!collectorNumber || !sale.memberHash || !sale.memberEntryMode) throw new ProblemError('member-missing')
      // A keyed number may earn; it is never sent to REDEEM (specification 3 §4.5 rule 1).
      if (sale.memberEntryMode === 'KEYED') throw new ProblemError('redemption-not-allowed')
      refuseWhileOthersAct(now)
      const card = { collectorNumber, entryMode: sale.memberEntryMode }
      const choiceNow = redemptionChoiceOf(now, taxes())
      const unitCents = choiceNow?.unitCents ?? 0
      const unitMiles = choiceNow?.unitMiles ?? 0
      let latest = now
      await redemptions.redeem({
        saleId,
        collectorHash: sale.memberHash,
        units,
        amountCents: units * unitCents,
        miles: units * unitMiles,
        request: () =>
          cash.redeemRequest(
            card,
            totalsOf(latest, taxes()).totalCents,
            cents(units * unitCents),
            clock.now(),
            locale(),
          ),
        check(tx) {
          latest = sales.parts(saleId)
          if (latest.sale.state !== 'open') throw new ProblemError('sale-not-open')
          if (isInFlight(latest.redemption)) throw new ProblemError('redemption-in-flight')
          refuseStale(latest.sale, version)
          refuseWhileOthersAct(latest)
          const choice = redemptionChoiceOf(latest, taxes())
          if (!choice) throw new ProblemError('redemption-not-allowed')
          if (units > choice.maxUnits || choice.unitCents !== unitCents)
            throw new ProblemError('redemption-units-invalid')
          // From here on every screen that has not seen this redemption is out of date: a second tap finds nothing to
          // act on.
          repository.touch(tx, saleId)
          tenders.serve(tx, saleId)
          claim(tx)
        },
      })
      return sales.view(saleId)
    },

    /** From now on the screens see every change of a redemption. */
    watch(): void {
      const showCommitted = (_tx: Tx, operation: Operation): void => {
        if (operation.kind !== 'redemption') return
        transact.afterCommit(() => {
          show(operation)
        })
      }
      journal.events.on('operation.opened', showCommitted)
      journal.events.on('operation.moved', showCommitted)
    },
  }
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
