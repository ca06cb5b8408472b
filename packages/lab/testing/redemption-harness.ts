import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { testClock } from '../../../backend/core/http/testing.ts'
import type { Central } from './central.ts'
import { openSale, openLoyaltyHarness, type LoyaltyHarness, type LoyaltyHarnessOptions } from './loyalty-harness.ts'

export const FINE = '80000000011'
export const REDEEM = CASH_PATHS.redeem
export const REVERSE = CASH_PATHS.reverse

/** Harnesses for the scenarios of redemptions and their reversals at these central services. */
export function redemptionHarnesses(central: Central) {
  /**
   * A loyalty harness on the loyalty service's own wall clock, with an open sale S1. Each attempt has a second, so that
   * a lost answer is soon known.
   */
  async function harness(options: Partial<LoyaltyHarnessOptions> = {}): Promise<LoyaltyHarness> {
    const opened = await openLoyaltyHarness({
      central,
      clock: testClock(new Date().toISOString()),
      limits: { cashTimeoutMs: 1_000 },
      ...options,
    })
    if (!options.folder) openSale(opened.db, 'SALE00000001')
    return opened
  }

  return {
    harness,

    cashOf: async (collector: string): Promise<number> => (await central.balances(collector)).cash,

    /**
     * What a crash leaves behind: the intent with its bytes is on disk and counted as sent, and nothing else is known.
     */
    async crashAfterIntent(
      options: Partial<LoyaltyHarnessOptions> = {},
    ): Promise<{ folder: string; id: string; clock: ReturnType<typeof testClock> }> {
      const clock = testClock(new Date().toISOString())
      const before = await harness({ clock, ...options })
      await central.faults({ path: REDEEM, occurrence: 1, action: { kind: 'hang-before' } })
      const redeeming = before.redemptions.redeem(before.redemption('SALE00000001', FINE, 1))
      redeeming.catch(() => undefined)
      await central.reached(REDEEM, 1)
      before.close()
      const [operation] = before.moves
      if (operation !== 'redemption intent') throw new Error(`the first transition is ${operation}`)
      const reopened = await openLoyaltyHarness({ central, clock, folder: before.folder })
      const [intent] = reopened.journal.oldestOpen(1)
      if (!intent) throw new Error('the intent is not in the journal')
      reopened.close()
      return { folder: before.folder, id: intent.id, clock }
    },
  }
}
