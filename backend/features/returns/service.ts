import type {
  CommitReturn,
  QuoteReturn,
  ReturnableSale,
  ReturnQuote,
  ReturnWithoutRecord,
  SaleReturn,
} from '../../../contracts/api/returns.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { Who } from '../approvals/guard.ts'
import type { HeldClaim } from '../store-returns/service.ts'
import type { VoucherReader } from '../vouchers/service.ts'
import { createReturnApproval } from './approval.ts'
import { createReturnCommits } from './commit.ts'
import type { ReturnsOptions } from './options.ts'
import { createReturnPlans } from './plans.ts'
import { createReturnQuotes } from './quotes.ts'
import { createReturnReceipts } from './receipts.ts'
import { createRefunds } from './refunds.ts'
import { createReturnViews } from './view.ts'
import { createReturnsWithoutRecord } from './without-record.ts'

export type Returns = ReturnType<typeof createReturns>

/**
 * Goods that come back. A return is a transaction of its own, tied to its sale: what came back, what went back for it,
 * the miles that are taken back and its documents are one commit.
 */
export function createReturns(options: ReturnsOptions) {
  const { sales, transact, store, tenders } = options
  const plans = createReturnPlans(options)
  const approval = createReturnApproval(options)
  const views = createReturnViews({ ...options, plans })
  const papers = createReturnReceipts({ ...options, views })
  const parts = { ...options, plans, approval, papers, refunds: createRefunds(options) }
  const quotes = createReturnQuotes(parts)
  const commits = createReturnCommits(parts)
  const unrecorded = createReturnsWithoutRecord(parts)

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
      return { ...quote, milesTaken: await options.issuing.milesTakenAsked(goods, options.clock.now()) }
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
}
