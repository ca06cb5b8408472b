import type { CollectorNumber } from '../../../../contracts/core/ids.ts'
import { BASKET, type LoadTerminal } from './terminal.ts'
import { since } from './meter.ts'

/** Times of one sale in milliseconds, from the start of its redemption until it is completed. */
export interface TimedSale {
  /**
   * Time from the choice of units to the completed sale, without the response time of the simulated loyalty service.
   */
  readonly ms: number
  readonly commits: number
  /** Time in which commits waited for the disk; included in `ms`. */
  readonly syncMs: number
  /**
   * The journal’s own share of the redemption: the time from the choice of units to the outcome, without the response
   * time of the simulated loyalty service and the disk syncs.
   */
  readonly addedMs: number
}

/**
 * Serves customers one after the other: three items, a card, one unit of miles, the rest by card. Only redemption and
 * payment are timed; ringing, INQUIRE, ISSUE and printing are finished before the next customer.
 */
export async function redeemAndPay(
  { checkout, cardReads, meter, until }: LoadTerminal,
  collectors: readonly CollectorNumber[],
): Promise<TimedSale[]> {
  const timed: TimedSale[] = []
  for (const collector of collectors) {
    for (const { sku } of BASKET) checkout.sales.ringSku(sku, 1)
    const known = until(({ member }) => member?.state === 'known')
    checkout.members.identify(cardReads.hold(collector, 'SWIPE'))
    const { id, version } = await known
    const issued = until((sale) => sale.id === id && sale.issuance?.state === 'confirmed')

    const before = meter.read()
    const from = performance.now()
    const redeemed = await checkout.milesTender.redeem(id, version, 1)
    const redeemedMs = performance.now() - from
    const redeeming = since(before, meter.read())
    const paid = checkout.tenders.add(id, {
      kind: 'card',
      version: redeemed.version,
      amountCents: redeemed.totals.dueCents,
      reference: 'LOAD',
    })
    const paidMs = performance.now() - from
    const all = since(before, meter.read())

    if (redeemed.redemption?.state !== 'approved' || paid.state !== 'completed')
      throw new Error(`the redemption is ${redeemed.redemption?.state}, the sale ${paid.state}`)
    timed.push({
      ms: paidMs - all.answerMs,
      commits: all.commits,
      syncMs: all.syncMs,
      addedMs: redeemedMs - redeeming.answerMs - redeeming.syncMs,
    })
    await issued
    await checkout.receipts.whenPrinted()
  }
  return timed
}
