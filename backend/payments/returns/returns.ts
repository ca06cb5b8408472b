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
import { type GrantedReservation, storeReturnsOf } from './store-returns.ts'
import type { VoucherReader } from '../vouchers/vouchers.ts'
import { cents } from '../../../contracts/core/money.ts'
import { isoOf } from '../../core/clock.ts'
import { saleLineOf } from '../../sales/sale/basket.ts'
import { isEmpties } from '../../catalog/charges.ts'
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
import { returnPolicyOf } from './store-rules.ts'
import { paymentsContract } from '../../../contracts/payments/payments.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { whoOf } from '../../sales/approvals/approvals.ts'

export type Returns = ReturnType<typeof returnsOf>

/**
 * Returns of goods. A return is a transaction of its own, linked to its sale. One commit contains its goods, refunds,
 * miles to take back and documents.
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

    /**
     * Returns what can be returned of a sale, after loading the sale from the store server. Throws ProblemError if the
     * load is required and fails.
     */
    async returnableAsked(saleId: SaleId): Promise<ReturnableSale> {
      await store.loadSaleForReturn(saleId)
      return quotes.returnable(saleId)
    },

    quote: (asked: QuoteReturn, cashierId: string): ReturnQuote => quotes.quoted(asked, cashierId).quote,

    async quoteAsked(asked: QuoteReturn, cashierId: string): Promise<ReturnQuote> {
      await store.loadSaleForReturn(asked.saleId)
      const { quote, goods } = quotes.quoted(asked, cashierId)
      return { ...quote, milesTaken: await issuing.quotedWithdrawal(goods, clock.now()) }
    },

    /**
     * Commits a return in one transaction; its calls are sent and its documents printed afterwards. `reservationId`:
     * the store server's reservation; null where none is required.
     */
    commit(command: CommitReturn, who: Who, reservationId: string | null = null): SaleReturn {
      const { saleId, exchange } = command
      const { row, completed } = transact((tx) => commits.commit(tx, command, who, reservationId))
      if (!store.isElsewhere(saleId)) sales.publish(saleId, 'command')
      if (exchange) tenders.announce(exchange.saleId, completed)
      return views.viewOf(row)
    },

    /**
     * Reserves a return at the store server if the sale requires it, after all other checks have passed; null
     * otherwise. A reservation that is not used is released.
     */
    reserve: async (command: CommitReturn, who: Who): Promise<GrantedReservation | null> =>
      store.requiresReservation(command.saleId) ? store.reserveUntilDone(commits.rehearse(command, who)) : null,

    unrecordedElsewhere: unrecorded.takenElsewhere,
    quoteUnrecorded: unrecorded.quote,
    withoutRecord: (command: ReturnWithoutRecord, who: Who, elsewhereCents = 0): SaleReturn =>
      views.viewOf(unrecorded.commit(command, who, elsewhereCents)),

    view: (id: SaleId, reader: VoucherReader): SaleReturn => views.viewOf(views.rowOf(id), reader),
    receipt: papers.receipt,
    reprint: papers.reprint,
  }
})

function linesLeft(ctx: Ctx, saleId: SaleId, now: SaleParts): ReturnableSale['lines'] {
  const rates = taxesOfSale(now.sale, storeTaxesOf(ctx)())
  const shares = sharesOf(now)
  const returned = returnPlansOf(ctx).taken(saleId)
  return pricedLines(now)
    .filter((line) => !line.voided && line.chargeOf === undefined)
    .map((line) => {
      const returnedQuantity = returned.reduce(
        (sum, { number, quantity }) => (number === line.number ? sum + quantity : sum),
        0,
      )
      return {
        ...saleLineOf(line, rates),
        returnedQuantity,
        leftQuantity: isGiftCard(line) || isEmpties(line) ? 0 : line.quantity - returnedQuantity,
        kept: isGiftCard(line) || isEmpties(line),
        discounts: shares.flatMap((share) => (share.line === line.number ? [share.discount] : [])),
      }
    })
}

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

function quoted(
  ctx: Ctx,
  { saleId, lines: pieces, exchangeWith, scanned }: QuoteReturn,
  cashierId: string,
): { quote: ReturnQuote; goods: QuotedGoods } {
  const plans = returnPlansOf(ctx)
  const planned = plans.plan(saleId, pieces, exchangeWith)
  const { now, lines, left, earlier, totals, refunds, dueCents, paysCents, evenCount } = planned
  const rates = taxesOfSale(now.sale, storeTaxesOf(ctx)())
  const goods: QuotedGoods = { sale: now, lines, left, earlier, totals }
  const rules = returnPolicyOf(ctx).checkPlan(planned, scanned, cashierId)
  const needed = returnApprovalOf(ctx).neededFor(saleId, planned, null, rules)
  const quote: ReturnQuote = {
    saleId,
    version: now.sale.version,
    lines: lines.map((line) => saleLineOf(line, rates)),
    totals,
    refunds: [...refunds],
    reversible: plans.reversibleOf(now),
    milesTaken: issuingOf(ctx).withdrawalOf(goods),
    needsApproval:
      needed?.actions.some((action) => ctx.profile.approvals.actions[action].cashier === 'with-approval') ?? false,
    brokenRules: [...rules.brokenRules],
    recalled: [...rules.recalled],
    exchange:
      exchangeWith === undefined
        ? null
        : {
            saleId: exchangeWith,
            version: salesOf(ctx).row(exchangeWith).version,
            paysCents: cents(paysCents),
            dueCents: cents(dueCents - paysCents),
            evenCount,
          },
  }
  return { quote, goods }
}

const returnQuotesOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    returnable,
    quoted,
  }),
)

export function returnsRoutes(ctx: Ctx, app: App): void {
  const returns = returnsOf(ctx)
  serve(app, paymentsContract['GET /sales/:id/returnable'], (request) => returns.returnableAsked(request.params.id))
  serve(app, paymentsContract['POST /returns/quote'], (request) =>
    returns.quoteAsked(request.body, signedIn(request).id),
  )
  serve(
    app,
    paymentsContract['POST /returns'],
    (request) => {
      return { return: returns.commit(request.body, whoOf(request), request.storeReservation) }
    },
    {
      before: async (request) => {
        const held = await returns.reserve(request.body, whoOf(request))
        request.storeReservation = held?.id ?? null
        return held?.done
      },
    },
  )
  serve(app, paymentsContract['POST /returns/without-record/quote'], (request) =>
    returns.quoteUnrecorded(request.body.items, signedIn(request).id),
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
