import type { QuoteReturn, ReturnableSale, ReturnQuote } from '../../../contracts/api/returns.ts'
import { SaleId } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import { isoOf } from '../../clock.ts'
import { saleLineOf } from '../../domain/basket.ts'
import { isGiftCard } from '../../domain/gift-card.ts'
import type { QuotedGoods } from '../issuance/taking-back.ts'
import { discountsOf, pricedLines, sharesOf, taxesOfSale, type SaleParts } from '../sales/view.ts'
import type { ReturnApproval } from './approval.ts'
import type { ReturnsOptions } from './options.ts'
import type { ReturnPlans } from './plans.ts'

export interface ReturnQuotesOptions extends Pick<
  ReturnsOptions,
  'repository' | 'sales' | 'store' | 'issuing' | 'profile' | 'taxes'
> {
  readonly plans: ReturnPlans
  readonly approval: ReturnApproval
}

/** What can come back of a sale, and what would go back for it. Reads, and changes nothing. */
export function createReturnQuotes(options: ReturnQuotesOptions) {
  const { repository, sales, store, issuing, profile, taxes, plans, approval } = options

  /** The lines of a sale with what is left of each; a gift card stays sold. */
  function linesLeft(saleId: SaleId, now: SaleParts): ReturnableSale['lines'] {
    const rates = taxesOfSale(now.sale, taxes())
    const shares = sharesOf(now)
    const gone = plans.taken(saleId)
    return pricedLines(now)
      .filter((line) => !line.voided)
      .map((line) => {
        const returnedQuantity = gone.reduce(
          (sum, { number, quantity }) => (number === line.number ? sum + quantity : sum),
          0,
        )
        return {
          ...saleLineOf(line, rates),
          returnedQuantity,
          leftQuantity: isGiftCard(line) ? 0 : line.quantity - returnedQuantity,
          kept: isGiftCard(line),
          discounts: shares.flatMap((share) => (share.line === line.number ? [share.discount] : [])),
        }
      })
  }

  /** The returns of a sale so far: this lane's, then those of other lanes. */
  const returnsOf = (saleId: SaleId): ReturnableSale['returns'] => [
    ...repository.ofSale(saleId).map(({ id, at, totals: { totalCents } }) => ({ id, at: isoOf(at), totalCents })),
    ...store
      .elsewhere(saleId)
      .flatMap(({ returnId, at, totalCents }) =>
        returnId === null ? [] : [{ id: SaleId.parse(returnId), at: isoOf(at), totalCents: cents(totalCents) }],
      ),
  ]

  return {
    /** A completed sale with what is left of each line to return. Throws ProblemError `sale-not-completed`. */
    returnable(saleId: SaleId): ReturnableSale {
      const now = plans.completed(saleId)
      return {
        saleId,
        version: now.sale.version,
        completedAt: isoOf(now.sale.closedAt ?? now.sale.openedAt),
        ...(now.elsewhere ? { lane: now.elsewhere.lane } : {}),
        last4: now.sale.memberLast4,
        lines: linesLeft(saleId, now),
        discounts: discountsOf(now),
        returns: returnsOf(saleId),
      }
    },

    /** What a return would do, and the goods that its miles are asked for with. */
    quoted({ saleId, lines: pieces, exchangeWith }: QuoteReturn): { quote: ReturnQuote; goods: QuotedGoods } {
      const planned = plans.plan(saleId, pieces, exchangeWith)
      const { now, lines, left, earlier, totals, refunds, dueCents, paysCents } = planned
      const rates = taxesOfSale(now.sale, taxes())
      const goods: QuotedGoods = { sale: now, lines, left, earlier, totals }
      const quote: ReturnQuote = {
        saleId,
        version: now.sale.version,
        lines: lines.map((line) => saleLineOf(line, rates)),
        totals,
        refunds: [...refunds],
        reversible: plans.reversibleOf(now),
        milesTaken: issuing.milesTaken(goods),
        needsApproval:
          approval.neededFor(saleId, planned, null) !== null &&
          profile.approvals.actions.return.cashier === 'with-approval',
        exchange:
          exchangeWith === undefined
            ? null
            : {
                saleId: exchangeWith,
                version: sales.row(exchangeWith).version,
                paysCents: cents(paysCents),
                dueCents: cents(dueCents - paysCents),
              },
      }
      return { quote, goods }
    },
  }
}
