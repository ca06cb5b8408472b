import type { CollectorNumber } from '../../../../contracts/core/ids.ts'
import { BASKET, type LoadTerminal } from './terminal.ts'
import { since } from './meter.ts'

/** One redemption and the end of its sale; times in milliseconds. */
export interface Lived {
  /** From the cashier's choice of units to the completed sale, without the far end's own work. */
  readonly ms: number
  readonly commits: number
  /** The part of `ms` that commits waited for the disk. */
  readonly syncMs: number
  /**
   * What the journal adds to the redemption alone: from the choice to the known outcome, less the answer's own time and
   * the syncs.
   */
  readonly addedMs: number
}

/**
 * Customers one after the other: three items, a card, one unit of miles, the rest by card. Only redeeming and paying
 * are timed; ringing, INQUIRE, the ISSUE that follows and the paper are over before the next customer comes.
 */
export async function redeemAndPay(
  { checkout, cardReads, meter, until }: LoadTerminal,
  collectors: readonly CollectorNumber[],
): Promise<Lived[]> {
  const lived: Lived[] = []
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
    lived.push({
      ms: paidMs - all.answerMs,
      commits: all.commits,
      syncMs: all.syncMs,
      addedMs: redeemedMs - redeeming.answerMs - redeeming.syncMs,
    })
    await issued
    await checkout.receipts.settled()
  }
  return lived
}
