import type { ReturnReason } from '../../../contracts/api/returns.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { Names } from '../../../contracts/locales.ts'
import { cents, type Cents } from '../../../contracts/money.ts'
import { lineAmount, type BasketLine } from '../../domain/basket.ts'
import { receiptWords } from '../../domain/receipt-words.ts'
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
  const { returnFromDollars } = profile.approvals
  /** Null: every return is large. */
  const limitCents = returnFromDollars === undefined ? null : cents(Math.round(returnFromDollars * 100))
  const isLarge = (sumCents: number): boolean => sumCents >= (limitCents ?? 0)

  /** The limit is of all that comes back of a sale, whenever: of each return by itself, two would beat it. */
  const returnedBefore = (saleId: SaleId): Cents =>
    cents(
      repository.ofSale(saleId).reduce((sum, { totals }) => sum + totals.totalCents, 0) +
        store.elsewhere(saleId).reduce((sum, { totalCents }) => sum + totalCents, 0),
    )

  return {
    isLarge,
    limitCents,
    /** What a word is asked for; null where a return of this sale is too small to need one. */
    neededFor(
      saleId: SaleId,
      { lines, totals, refunds }: Pick<Plan, 'lines' | 'totals' | 'refunds'>,
      reason: ReturnReason | null,
    ) {
      const earlierCents = returnedBefore(saleId)
      return isLarge(earlierCents + totals.totalCents)
        ? goodsOf(saleId, lines, totals.totalCents, refunds, earlierCents, {
            reason: reason && perLocale((locale) => receiptWords(locale).say(`return-reason-${reason}`)),
            limitCents,
          })
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
  why: { readonly reason: Names | null; readonly limitCents: Cents | null },
): ApprovalFacts => ({
  of: 'goods',
  saleId,
  totalCents,
  items: lines.map((line) => ({ name: line.name, quantity: line.quantity, amountCents: lineAmount(line) })),
  refunds: refunds.map(({ kind, amountCents }) => ({ kind, amountCents })),
  earlierCents,
  ...why,
})
