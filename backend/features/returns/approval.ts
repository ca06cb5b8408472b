import type { SaleId } from '../../../contracts/ids.ts'
import { cents, type Cents } from '../../../contracts/money.ts'
import { lineAmount, type BasketLine } from '../../domain/basket.ts'
import type { ApprovalFacts } from '../approvals/request.ts'
import type { ReturnsOptions } from './options.ts'
import type { GoingBack, Plan } from './plans.ts'

export type ReturnApproval = ReturnType<typeof createReturnApproval>

/** From which sum on a return is large enough for somebody's word, and what they read of it. */
export function createReturnApproval({
  repository,
  store,
  profile,
}: Pick<ReturnsOptions, 'repository' | 'store' | 'profile'>) {
  const isLarge = (sumCents: number): boolean =>
    sumCents >= Math.round((profile.approvals.returnFromDollars ?? 0) * 100)

  /** The limit is of all that comes back of a sale, whenever: of each return by itself, two would beat it. */
  const returnedBefore = (saleId: SaleId): Cents =>
    cents(
      repository.ofSale(saleId).reduce((sum, { totals }) => sum + totals.totalCents, 0) +
        store.elsewhere(saleId).reduce((sum, { totalCents }) => sum + totalCents, 0),
    )

  return {
    isLarge,
    /** What a word is asked for; null where a return of this sale is too small to need one. */
    neededFor(saleId: SaleId, { lines, totals, refunds }: Pick<Plan, 'lines' | 'totals' | 'refunds'>) {
      const earlierCents = returnedBefore(saleId)
      return isLarge(earlierCents + totals.totalCents)
        ? goodsOf(saleId, lines, totals.totalCents, refunds, earlierCents)
        : null
    },
  }
}

/** What goes back and what comes for it, as a supervisor reads it. */
export const goodsOf = (
  saleId: SaleId | null,
  lines: readonly BasketLine[],
  totalCents: Cents,
  refunds: readonly Pick<GoingBack, 'kind' | 'amountCents'>[],
  earlierCents: Cents,
): ApprovalFacts => ({
  of: 'goods',
  saleId,
  totalCents,
  items: lines.map((line) => ({ name: line.name, quantity: line.quantity, amountCents: lineAmount(line) })),
  refunds: refunds.map(({ kind, amountCents }) => ({ kind, amountCents })),
  earlierCents,
})
