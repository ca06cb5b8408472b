import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { testClock } from '../../../backend/core/http/testing.ts'
import type { Central } from './central.ts'
import { openSale, openLoyaltyHarness, type LoyaltyHarness, type LoyaltyHarnessOptions } from './loyalty-harness.ts'

export const FINE = '80000000011'
export const REDEEM = CASH_PATHS.redeem
export const REVERSE = CASH_PATHS.reverse

export function redemptionHarnesses(central: Central) {
  /**
   * Opens a loyalty harness with real time and an open sale. Calls time out after one second, so that a lost response
   * is noticed soon.
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
     * Creates the state after a crash: the redemption’s intent is on disk and marked as sent, and no response is
     * recorded.
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
