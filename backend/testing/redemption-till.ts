import { CASH_PATHS } from '../../contracts/central/cash.ts'
import { testClock } from '../http/testing.ts'
import type { Centre } from './centre.ts'
import { openSale, openTill, type Till, type TillOptions } from './till.ts'

export const FINE = '80000000011'
export const REDEEM = CASH_PATHS.redeem
export const REVERSE = CASH_PATHS.reverse

/** Tills for the stories of redemptions and their reversals at this centre. */
export function redemptionTills(centre: Centre) {
  /**
   * A till on the centre's own wall clock, with an open sale S1. Each attempt has a second, so that a lost answer is
   * soon known.
   */
  async function till(options: Partial<TillOptions> = {}): Promise<Till> {
    const opened = await openTill({
      centre,
      clock: testClock(new Date().toISOString()),
      limits: { cashTimeoutMs: 1_000 },
      ...options,
    })
    if (!options.folder) openSale(opened.db, 'SALE00000001')
    return opened
  }

  return {
    till,

    cashOf: async (collector: string): Promise<number> => (await centre.balances(collector)).cash,

    /**
     * What a crash leaves behind: the intent with its bytes is on disk and counted as sent, and nothing else is known.
     */
    async crashAfterIntent(
      options: Partial<TillOptions> = {},
    ): Promise<{ folder: string; id: string; clock: ReturnType<typeof testClock> }> {
      const clock = testClock(new Date().toISOString())
      const before = await till({ clock, ...options })
      await centre.faults({ path: REDEEM, occurrence: 1, action: { kind: 'hang-before' } })
      const redeeming = before.redemptions.redeem(before.redemption('SALE00000001', FINE, 1))
      redeeming.catch(() => undefined)
      await centre.reached(REDEEM, 1)
      before.close()
      const [operation] = before.moves
      if (operation !== 'redemption intent') throw new Error(`the first arrow is ${operation}`)
      const reopened = await openTill({ centre, clock, folder: before.folder })
      const [intent] = reopened.journal.oldestOpen(1)
      if (!intent) throw new Error('the intent is not in the journal')
      reopened.close()
      return { folder: before.folder, id: intent.id, clock }
    },
  }
}
