import type {
  CommitReturn,
  QuoteReturn,
  ReturnQuote,
  ReturnWithoutRecord,
  ReturnableSale,
  SaleReturn,
} from '../../../contracts/payments/returns.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Who } from '../../sales/approvals/guard.ts'
import { type HeldClaim, storeReturnsOf } from './store-returns.ts'
import type { VoucherReader } from '../vouchers/vouchers.ts'
import { cents } from '../../../contracts/core/money.ts'
import { isoOf } from '../../core/clock.ts'
import { saleLineOf } from '../../sales/sale/basket.ts'
import { isGiftCard } from '../../catalog/gift-card.ts'
import type { QuotedGoods } from '../../loyalty/issuance/miles-returned.ts'
import { type SaleParts, discountsOf, pricedLines, sharesOf, taxesOfSale } from '../../sales/sale/sale-parts.ts'
import { returnPlansOf } from './return-plans.ts'
import { returnApprovalOf, returnViewsOf } from './return-options.ts'
import { returnReceiptsOf, returnCommitsOf } from './return-commit.ts'
import { returnsWithoutRecordOf } from './without-record.ts'
import { salesOf } from '../../sales/sales.ts'
import { tendersOf } from '../tenders/tenders.ts'
import { issuingOf } from '../../loyalty/issuance/issuance.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { returnRowsOf } from '../rows/returns.sql.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import type { App } from '../../core/http/app.ts'
import { paymentsContract } from '../../../contracts/payments/payments.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'

export type Returns = ReturnType<typeof returnsOf>

/**
 * Goods that come back. A return is a transaction of its own, tied to its sale: what came back, what went back for it,
 * the miles that are taken back and its documents are one commit.
 */
export const returnsOf = perLane((ctx: Ctx) => {
  const { transact, clock } = ctx
  const sales = salesOf(ctx)
  const store = storeReturnsOf(ctx)
  const tenders = tendersOf(ctx)
  const issuing = issuingOf(ctx)
  const views = returnViewsOf(ctx)
  const papers = returnReceiptsOf(ctx)
  const quotes = returnQuotesOf(ctx)
  const commits = returnCommitsOf(ctx)
  const unrecorded = returnsWithoutRecordOf(ctx)

  return {
    returnable: quotes.returnable,

    /** As `returnable`, with what the store knows of the sale. Throws ProblemError where the store must be asked. */
    async returnableAsked(saleId: SaleId): Promise<ReturnableSale> {
      await store.knowToReturn(saleId)
      return quotes.returnable(saleId)
    },

    quote: (asked: QuoteReturn): ReturnQuote => quotes.quoted(asked).quote,

    /** As `quote`, with the miles that the program itself says it would take, where it answers. */
    async quoteAsked(asked: QuoteReturn): Promise<ReturnQuote> {
      await store.knowToReturn(asked.saleId)
      const { quote, goods } = quotes.quoted(asked)
      return { ...quote, milesTaken: await issuing.milesTakenAsked(goods, clock.now()) }
    },

    /**
     * Everything that the return does is one commit; the calls and the documents leave after it. `claimId`: the store's
     * word, where the sale is the store's.
     */
    commit(command: CommitReturn, who: Who, claimId: string | null = null): SaleReturn {
      const { saleId, exchange } = command
      const { row, completed } = transact((tx) => commits.commit(tx, command, who, claimId))
      if (!store.isElsewhere(saleId)) sales.publish(saleId, 'command')
      if (exchange) tenders.announce(exchange.saleId, completed)
      return views.viewOf(row)
    },

    /**
     * Asks the store for the right to make the return, where its sale is the store's: everything else that could refuse
     * it is asked first. A right that was not used is released.
     */
    claim: async (command: CommitReturn, who: Who): Promise<HeldClaim | null> =>
      store.governs(command.saleId) ? store.hold(commits.rehearse(command, who)) : null,

    unrecordedElsewhere: unrecorded.takenElsewhere,
    quoteUnrecorded: unrecorded.quote,
    withoutRecord: (command: ReturnWithoutRecord, who: Who, elsewhereCents = 0): SaleReturn =>
      views.viewOf(unrecorded.commit(command, who, elsewhereCents)),

    view: (id: SaleId, reader: VoucherReader): SaleReturn => views.viewOf(views.rowOf(id), reader),
    receipt: papers.receipt,
    reprint: papers.reprint,
  }
})

/** The lines of a sale with what is left of each; a gift card stays sold. */
function linesLeft(ctx: Ctx, saleId: SaleId, now: SaleParts): ReturnableSale['lines'] {
  const rates = taxesOfSale(now.sale, storeTaxesOf(ctx)())
  const shares = sharesOf(now)
  const gone = returnPlansOf(ctx).taken(saleId)
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
const earlierReturnsOf = (ctx: Ctx, saleId: SaleId): ReturnableSale['returns'] => [
  ...returnRowsOf(ctx)
    .ofSale(saleId)
    .map(({ id, at, totals: { totalCents } }) => ({ id, at: isoOf(at), totalCents })),
  ...storeReturnsOf(ctx)
    .elsewhere(saleId)
    .flatMap(({ returnId, at, totalCents }) =>
      returnId === null ? [] : [{ id: SaleId.parse(returnId), at: isoOf(at), totalCents: cents(totalCents) }],
    ),
]

/** A completed sale with what is left of each line to return. Throws ProblemError `sale-not-completed`. */
function returnable(ctx: Ctx, saleId: SaleId): ReturnableSale {
  const now = returnPlansOf(ctx).completed(saleId)
  return {
    saleId,
    version: now.sale.version,
    completedAt: isoOf(now.sale.closedAt ?? now.sale.openedAt),
    ...(now.elsewhere ? { lane: now.elsewhere.lane } : {}),
    last4: now.sale.memberLast4,
    lines: linesLeft(ctx, saleId, now),
    discounts: discountsOf(now),
    returns: earlierReturnsOf(ctx, saleId),
  }
}

/** What a return would do, and the goods that its miles are asked for with. */
function quoted(
  ctx: Ctx,
  { saleId, lines: pieces, exchangeWith }: QuoteReturn,
): { quote: ReturnQuote; goods: QuotedGoods } {
  const plans = returnPlansOf(ctx)
  const planned = plans.plan(saleId, pieces, exchangeWith)
  const { now, lines, left, earlier, totals, refunds, dueCents, paysCents } = planned
  const rates = taxesOfSale(now.sale, storeTaxesOf(ctx)())
  const goods: QuotedGoods = { sale: now, lines, left, earlier, totals }
  const quote: ReturnQuote = {
    saleId,
    version: now.sale.version,
    lines: lines.map((line) => saleLineOf(line, rates)),
    totals,
    refunds: [...refunds],
    reversible: plans.reversibleOf(now),
    milesTaken: issuingOf(ctx).milesTaken(goods),
    needsApproval:
      returnApprovalOf(ctx).neededFor(saleId, planned, null) !== null &&
      ctx.profile.approvals.actions.return.cashier === 'with-approval',
    exchange:
      exchangeWith === undefined
        ? null
        : {
            saleId: exchangeWith,
            version: salesOf(ctx).row(exchangeWith).version,
            paysCents: cents(paysCents),
            dueCents: cents(dueCents - paysCents),
          },
  }
  return { quote, goods }
}

/** What can come back of a sale, and what would go back for it. Reads, and changes nothing. */
const returnQuotesOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    returnable,
    quoted,
  }),
)

/** Goods that come back, and the store credit that goes out for them. */
export function returnsRoutes(ctx: Ctx, app: App): void {
  const returns = returnsOf(ctx)
  serve(app, paymentsContract['GET /sales/:id/returnable'], (request) => returns.returnableAsked(request.params.id))
  serve(app, paymentsContract['POST /returns/quote'], (request) => returns.quoteAsked(request.body))
  serve(
    app,
    paymentsContract['POST /returns'],
    (request) => {
      return { return: returns.commit(request.body, whoOf(request), request.storeClaim) }
    },
    {
      before: async (request) => {
        const held = await returns.claim(request.body, whoOf(request))
        request.storeClaim = held?.id ?? null
        return held?.done
      },
    },
  )
  serve(app, paymentsContract['POST /returns/without-record/quote'], (request) =>
    returns.quoteUnrecorded(request.body.items),
  )
  serve(
    app,
    paymentsContract['POST /returns/without-record'],
    (request) => {
      return {
        return: returns.withoutRecord(request.body, whoOf(request), request.unrecordedElsewhere),
      }
    },
    {
      before: async (request) => {
        request.unrecordedElsewhere = await returns.unrecordedElsewhere(whoOf(request))
        return undefined
      },
    },
  )
  serve(app, paymentsContract['GET /returns/:id'], (request) => ({
    return: returns.view(request.params.id, signedIn(request)),
  }))
  serve(app, paymentsContract['GET /returns/:id/receipt'], (request) => returns.receipt(request.params.id))
  serve(app, paymentsContract['POST /returns/:id/reprint'], (request) =>
    returns.reprint(request.params.id, whoOf(request), request.body?.locale),
  )
}
