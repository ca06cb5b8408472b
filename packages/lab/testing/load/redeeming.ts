import type { CollectorNumber } from '../../../../contracts/core/ids.ts'
import { cents } from '../../../../contracts/core/money.ts'
import { openEngine } from './engine.ts'
import { openModelLine } from './line.ts'
import { since } from './meter.ts'

/** A measured round of redemptions, each from its intent to its approval; times in milliseconds. */
export interface Redeemed {
  readonly redemptions: number
  /**
   * Time from the choice of units to the recorded approval, without the response time of the simulated loyalty service.
   */
  readonly ms: number
  readonly commits: number
  readonly syncMs: number
}

/**
 * Measures the journal’s share of a redemption without the sale: intent, send, approval. One unit of miles per
 * collector, one redemption after the other.
 */
export async function openRedeeming(folder: string, collectors: readonly CollectorNumber[]) {
  const engine = await openEngine(folder, openModelLine(collectors))
  const { transact, redemptions, cash, seal, meter } = engine
  return {
    async round(): Promise<Redeemed> {
      const plans = transact(() =>
        collectors.map((collectorNumber) => ({
          saleId: engine.openSale(),
          collectorHash: seal.keyedHash(collectorNumber),
          units: 1,
          amountCents: 1000,
          miles: 95,
          check: () => undefined,
          request: () =>
            cash.redeemRequest({ collectorNumber, entryMode: 'SWIPE' }, cents(4197), cents(1000), Date.now(), 'en-CA'),
        })),
      )
      const before = meter.read()
      const from = performance.now()
      for (const plan of plans) {
        const { state } = await redemptions.redeem(plan)
        if (state !== 'approved') throw new Error(`the redemption is ${state}`)
      }
      const ms = performance.now() - from
      const { commits, syncMs, answerMs } = since(before, meter.read())
      return { redemptions: plans.length, ms: ms - answerMs, commits, syncMs }
    },
    close: engine.close,
  }
}
