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
import { collectorMutexOf } from '../../store/collector-lock.ts'
import { cashClientOf } from '../../loyalty/services/cash.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart } from '../../core/lifecycle.ts'

function show(ctx: Ctx, { saleId, state }: Operation): void {
  const sales = salesOf(ctx)
  if (saleRowsOf(ctx).byId(saleId) === undefined) return
  if (state === 'approved' && sales.row(saleId).state === 'completed') tendersOf(ctx).announce(saleId, true)
  else {
    const sale = sales.publish(saleId, 'redemption')
    // The miles were given back: send INQUIRE again, so that the collector can redeem miles again.
    if (state === 'reversed' && sale.state === 'open') membersOf(ctx).inquireAfterMove(saleId)
  }
}

/** A redemption that the sale allows. `request` builds its request with the time of the call. */
type Checked = Omit<NewRedemption, 'request'> & { readonly request: () => NewRedemption['request'] }

/**
 * Checks the newest state of the sale and returns the redemption to make. Throws ProblemError `sale-not-open`,
 * `sale-stale`, `sale-before-restore`, `redemption-in-flight`, `member-missing`, `age-check-open`, `sale-held-by-card`,
 * `inquiry-pending`, `redemption-not-allowed` or `redemption-units-invalid`.
 */
function checked(ctx: Ctx, saleId: Sale['id'], version: number, units: number): Checked {
  const sales = salesOf(ctx)
  // Check this first: a second tap has an outdated version, and should report the redemption in flight.
  if (isInFlight(sales.parts(saleId).redemption)) throw new ProblemError('redemption-in-flight')
  const now = sales.forCommand(saleId, version)
  const { sale } = now
  sales.refuseEarlierEpoch(now)
  const collectorNumber = collectorOf(ctx, sale)
  if (!collectorNumber || !sale.memberHash || !sale.memberEntryMode) throw new ProblemError('member-missing')
  // A keyed collector number may earn miles; it is never sent to REDEEM (specification 3 §4.5 rule 1).
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
 * Redeems units of miles: checks the sale and records the intent in one transaction, sends it, and applies the approval
 * in its own commit (`redemption.approved`). Returns the sale when the outcome is known. `markDone` runs in the
 * transaction of the intent, so that the API command is not repeated.
 */
async function redeem(
  ctx: Ctx,
  saleId: Sale['id'],
  version: number,
  units: number,
  markDone: (tx: Tx) => void = () => undefined,
): Promise<Sale> {
  const sales = salesOf(ctx)
  // Check the redemption now, so that a refused one does not wait for the collector's lock, which a reversal may hold
  // for long.
  const asked = checked(ctx, saleId, version, units)
  await collectorMutexOf(ctx).run(Buffer.from(asked.collectorHash).toString('hex'), 'live', async () => {
    const operation = ctx.transact((tx) => {
      const redemption = checked(ctx, saleId, version, units)
      // The value of a unit may have changed while this command waited for the lock.
      if (redemption.amountCents !== asked.amountCents) throw new ProblemError('redemption-units-invalid')
      saleRowsOf(ctx).touch(tx, saleId)
      sales.freezePrices(tx, saleId)
      tendersOf(ctx).serve(tx, saleId)
      markDone(tx)
      return recordRedemption(ctx, tx, { ...redemption, request: redemption.request() })
    })
    await sendRedemption(ctx, operation)
  })
  return sales.view(saleId)
}

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

export const milesTenderOf = perLane((ctx: Ctx) => {
  // After an approval, adds the tender line, updates the printable balances, and completes a fully paid sale.
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

/**
 * Returns the stored INQUIRE with the balances of the REDEEM answer. If one of the two answers hides balances, none are
 * kept.
 */
function afterRedemption(before: StoredInquiry, response: CashResponse): StoredInquiry {
  if (hidesBalances(response.responseCode) || before.responseCode === '0001')
    return { ...before, responseCode: '0001', available: undefined, balances: null }
  const facts = inquiryFacts(response)
  return {
    ...before,
    available: { miles: facts.availableCashMiles, cents: facts.availableCents },
    // Print no balances if the answer contains no balances: the older ones are wrong after the redemption.
    balances: balancesOf(response),
  }
}
