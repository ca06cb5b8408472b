import type {
  CommitReturn,
  QuoteReturn,
  ReturnableSale,
  ReturnQuote,
  ReturnWithoutRecord,
  SaleReturn,
  UnrecordedQuote,
} from '../../../contracts/api/returns.ts'
import type { Item } from '../../../contracts/api/catalog.ts'
import type { ReceiptView } from '../../../contracts/api/sales.ts'
import { SaleId, StaffId } from '../../../contracts/ids.ts'
import type { Locale } from '../../../contracts/locales.ts'
import { cents, type Cents } from '../../../contracts/money.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { Transact, Tx } from '../../db/transact.ts'
import { lineAmount, lineDiscount, saleLineOf, totalBasket, type BasketLine } from '../../domain/basket.ts'
import { isGiftCard } from '../../domain/gift-card.ts'
import { looksLikePaymentCard } from '../../domain/payment-card.ts'
import { dayAt } from '../../domain/reconciliation.ts'
import { startOf } from '../../domain/report-days.ts'
import type { PlannedRefund } from '../../domain/returns.ts'
import type { StoreTaxes } from '../../domain/tax.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Reversals } from '../../loyalty/reverse.ts'
import type { CardTransactions } from '../card-payments/transactions.ts'
import type { DomainEvents } from '../domain-events.ts'
import type { Issuing, QuotedGoods } from '../issuance/service.ts'
import type { Receipts } from '../receipts/service.ts'
import type { SalesRepository } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import { basketLine, discountsOf, pricedLines, sharesOf, taxesOfSale, type SaleParts } from '../sales/view.ts'
import type { Custody } from '../shifts/custody.ts'
import type { Guard, Who } from '../approvals/guard.ts'
import type { ApprovalFacts } from '../approvals/request.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { Claimed, HeldClaim, StoreReturns } from '../store-returns/service.ts'
import type { StoreReturnRows } from '../store-returns/rows.ts'
import type { Tenders } from '../tenders/service.ts'
import type { VoucherRow } from '../vouchers/repository.ts'
import type { VoucherReader, Vouchers } from '../vouchers/service.ts'
import type { ReturnDocuments } from './documents.ts'
import { createReturnPlans, creditOf, type GoingBack } from './plans.ts'
import type { RefundRow, ReturnLineRow, ReturnRow, ReturnsRepository } from './repository.ts'

export interface ReturnsOptions {
  readonly repository: ReturnsRepository
  readonly sales: Sales
  readonly saleRows: SalesRepository
  readonly transact: Transact
  readonly events: DomainEvents
  readonly issuing: Pick<Issuing, 'milesTaken' | 'milesTakenAsked'>
  readonly reversals: Pick<Reversals, 'order' | 'events'>
  /** The store's word on sales that are the store's, and what stands here of those of other lanes. */
  readonly store: StoreReturns
  readonly storeRows: StoreReturnRows
  readonly receipts: Receipts
  readonly cards: Pick<CardTransactions, 'refund'>
  readonly documents: ReturnDocuments
  readonly vouchers: Vouchers
  readonly tenders: Pick<Tenders, 'apply' | 'announce' | 'creditLateReversal'>
  readonly custody: Pick<Custody, 'enter' | 'require'>
  readonly audit: AuditTrail
  readonly guard: Pick<Guard, 'need' | 'needAll' | 'word'>
  readonly findBySku: (sku: string) => Item | undefined
  readonly clock: Clock
  readonly profile: Profile
  readonly lane: Lane
  readonly taxes: StoreTaxes
  readonly locale: () => Locale
}

export type Returns = ReturnType<typeof createReturns>

/**
 * Goods that come back. A return is a transaction of its own, tied to its sale: what came back, what went back for it,
 * the miles that are taken back and its documents are one commit.
 */
export function createReturns(options: ReturnsOptions) {
  const { repository, sales, transact, events, issuing, receipts, documents, vouchers, clock, profile, lane, taxes } =
    options

  const { store, storeRows } = options
  const { completed, partsOf, taken, plan, reversibleOf } = createReturnPlans(options)

  const isLarge = (sumCents: number): boolean =>
    sumCents >= Math.round((profile.approvals.returnFromDollars ?? 0) * 100)

  /** The limit is of all that comes back of a sale, whenever: of each return by itself, two would beat it. */
  const returnedBefore = (saleId: SaleId): Cents =>
    cents(
      repository.ofSale(saleId).reduce((sum, { totals }) => sum + totals.totalCents, 0) +
        store.elsewhere(saleId).reduce((sum, { totalCents }) => sum + totalCents, 0),
    )

  /**
   * No sale says which goods without a record belong together: the limit is of what one person takes back so on one day
   * of the store. Not in one shift: whoever counts the drawer begins another.
   */
  const startOfToday = (): number => startOf(dayAt(clock.now(), profile.timeZone), profile.timeZone)
  const unrecordedBefore = (cashierId: string, elsewhereCents: number): Cents =>
    cents(repository.unrecordedCents({ lane: lane.id, cashierId, from: startOfToday() }) + elsewhereCents)

  function insertLines(
    tx: Tx,
    returnId: string,
    lines: readonly (BasketLine & { saleLineNumber: number | null })[],
  ): void {
    for (const [index, line] of lines.entries()) {
      repository.insertLine(tx, returnId, {
        number: index + 1,
        saleLineNumber: line.saleLineNumber,
        sku: line.sku,
        name: line.name,
        quantity: line.quantity,
        unitPriceCents: line.unitPriceCents,
        discountCents: lineDiscount(line),
        taxCategory: line.taxCategory,
        departmentId: line.departmentId,
        categoryId: line.categoryId,
      })
    }
  }

  /**
   * Writes how the money goes back, and has its redemption reversed. Answers the store credit that it issues: one for
   * all that goes back so.
   */
  function insertRefunds(
    tx: Tx,
    row: ReturnRow,
    refunds: readonly GoingBack[],
    now: SaleParts | null,
    cardReference: string | null,
  ): VoucherRow | null {
    const insertRefund = now?.elsewhere ? storeRows.insertRefund : repository.insertRefund
    const creditCents = creditOf(refunds)
    const credit =
      creditCents > 0 ? vouchers.issue(tx, 'store-credit', creditCents, { returnId: row.id, operationId: null }) : null
    for (const [index, planned] of refunds.entries()) {
      const { kind, paidBy, amountCents, roundingCents } = planned
      const refund = {
        number: index + 1,
        kind,
        paidBy,
        amountCents,
        roundingCents,
        reference: null,
        operationId: null,
        voucherId: null,
      } satisfies RefundRow
      switch (kind) {
        case 'cash':
          insertRefund(tx, row.id, refund)
          break
        case 'card-terminal':
          insertRefund(tx, row.id, refund)
          giveCardsBack(tx, row, amountCents)
          break
        case 'card':
          insertRefund(tx, row.id, { ...refund, reference: cardReference })
          break
        case 'miles': {
          const redemption = now?.elsewhere ? storeRows.reversed(tx, row.id, now) : now?.redemption
          if (!redemption) throw new Error('miles go back only to the redemption that they came from')
          insertRefund(tx, row.id, {
            ...refund,
            reference: redemption.confirmationNumber,
            operationId: redemption.id,
          })
          options.reversals.order(tx, redemption, {}, {}, now?.redemption?.id)
          break
        }
        case 'store-credit':
          if (!credit) throw new Error('store credit was issued before it is named')
          insertRefund(tx, row.id, { ...refund, reference: credit.last4, voucherId: credit.id })
      }
    }
    return credit
  }

  /** Each card that paid gets back what it paid, in the order of the payments, until all has gone back. */
  function giveCardsBack(tx: Tx, { id, saleId }: ReturnRow, amountCents: number): void {
    if (saleId === null) throw new Error('goods without a record go back as store credit')
    let left = amountCents
    for (const payment of options.saleRows.cards.ofSale(saleId)) {
      if (payment.kind !== 'payment' || !payment.approval) continue
      const part = Math.min(
        left,
        payment.approval.amountCents - options.saleRows.cards.refundedCents(payment.reference),
      )
      if (part <= 0) continue
      options.cards.refund(tx, payment, part, id)
      left -= part
    }
    if (left !== 0) throw new Error('no card gets back more than it paid')
  }

  /** The credit of a return pays an open sale in the same commit. Answers whether it completed that sale. */
  function payAtOnce(
    tx: Tx,
    { saleId, version }: NonNullable<CommitReturn['exchange']>,
    { id }: VoucherRow,
    paysCents: number,
  ): boolean {
    vouchers.remember(id, saleId)
    return options.tenders.apply(tx, saleId, { kind: 'voucher', version, voucherId: id, amountCents: cents(paysCents) })
  }

  /** Goods without a record as today's catalog sells them. */
  const unrecordedLines = (items: ReturnWithoutRecord['items']): BasketLine[] =>
    items.map(({ sku, quantity }, index) => {
      const item = options.findBySku(sku)
      if (!item) throw new ProblemError('item-unknown')
      return {
        number: index + 1,
        sku,
        name: item.name,
        quantity,
        unitPriceCents: item.priceCents,
        taxCategory: item.taxCategory,
        departmentId: item.departmentId,
        categoryId: item.categoryId,
        voided: false,
      }
    })

  function rowOf(id: string): ReturnRow {
    const row = repository.byId(id)
    if (!row) throw new ProblemError('not-found')
    return row
  }

  /** Who made a return reads it as its own; what they may approve makes no difference there. */
  const servedBy = ({ cashierId }: Pick<ReturnRow, 'cashierId'>): VoucherReader => ({
    id: StaffId.parse(cashierId),
    role: 'cashier',
  })

  function viewOf(row: ReturnRow, reader: VoucherReader): SaleReturn {
    const rates = row.saleId === null ? taxes() : taxesOfSale(partsOf(row.saleId).sale, taxes())
    return {
      id: row.id,
      saleId: row.saleId,
      at: isoOf(row.at),
      reason: row.reason,
      totals: row.totals,
      lines: repository.lines(row.id).map((line) => saleLineOf(returnedLine(line), rates)),
      refunds: repository.refunds(row.id).map(({ kind, paidBy, amountCents, roundingCents, reference }) => ({
        kind,
        paidBy,
        amountCents: cents(amountCents),
        roundingCents: cents(roundingCents),
        reference,
      })),
      vouchers: vouchers.ofReturn(row.id, reader),
    }
  }

  /** The paper of the return itself. */
  function enqueueReceipt(tx: Tx, row: ReturnRow): void {
    const returned = viewOf(row, servedBy(row))
    receipts.enqueueDocument(
      tx,
      { kind: 'return', id: row.id },
      documents.ofReturn(row, returned, 0, options.locale()),
      returned.refunds.some(({ kind }) => kind === 'cash'),
    )
  }

  /** What a return would do, and the goods that its miles are asked for with. */
  function quoted({ saleId, lines: pieces, exchangeWith }: QuoteReturn): { quote: ReturnQuote; goods: QuotedGoods } {
    const { now, lines, left, earlier, totals, refunds, dueCents, paysCents } = plan(saleId, pieces, exchangeWith)
    const rates = taxesOfSale(now.sale, taxes())
    const goods: QuotedGoods = { sale: now, lines, left, earlier, totals }
    const quote: ReturnQuote = {
      saleId,
      version: now.sale.version,
      lines: lines.map((line) => saleLineOf(line, rates)),
      totals,
      refunds: [...refunds],
      reversible: reversibleOf(now),
      milesTaken: issuing.milesTaken(goods),
      needsApproval:
        isLarge(returnedBefore(saleId) + totals.totalCents) &&
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
  }

  /** Writes a return, and has done what follows from it. `claimId`: the store's word, where that is needed. */
  function commitNow(tx: Tx, command: CommitReturn, who: Who, claimId: string | null): Committed {
    const { saleId, exchange } = command
    const { actorId: cashierId } = who
    const planned = plan(saleId, command.lines, exchange?.saleId)
    const { now, lines, left, earlier, totals, refunds, paysCents } = planned
    if (command.version !== now.sale.version) throw new ProblemError('sale-stale')
    if (!sameRefunds(refunds, command.refunds)) throw new ProblemError('return-changed')
    // The store has got the sale since it was looked at.
    if (claimId === null && store.governs(saleId)) throw new ProblemError('return-changed')
    const cardReference = cardReferenceOf(command, refunds)
    const earlierCents = returnedBefore(saleId)
    const asked = isLarge(earlierCents + totals.totalCents)
      ? goodsOf(saleId, lines, totals.totalCents, refunds, earlierCents)
      : null
    const approvedBy = asked && options.guard.word('return', who, asked).approvedBy
    const { id, sequence } = sales.nextId()
    const at = clock.now()
    const row: ReturnRow = { id, saleId, cashierId, approvedBy, reason: command.reason ?? null, at, totals }
    if (approvedBy !== null && approvedBy !== cashierId)
      options.audit.record(tx, {
        kind: 'return-approved',
        actorId: approvedBy,
        subject: id,
        detail: { cashier: cashierId, totalCents: totals.totalCents },
      })
    const shiftId = options.custody.enter(tx, cashierId)
    // Of a sale of another lane the row has none: what it would say stands beside it.
    const own = now.elsewhere ? { saleId: null, approvedBy: approvedBy ?? cashierId, reason: row.reason ?? '-' } : {}
    repository.insert(tx, { ...row, ...own, sequence, lane: lane.id, shiftId })
    if (claimId !== null) store.commit(tx, claimId, id)
    if (now.elsewhere) storeRows.insertReturn(tx, { ...row, saleId }, lines)
    insertLines(
      tx,
      id,
      lines.map((line) => ({ ...line, saleLineNumber: line.number })),
    )
    const credit = insertRefunds(tx, row, refunds, now, cardReference)
    events.emit('return.committed', tx, {
      returnId: id,
      sale: now,
      at,
      lines,
      left,
      earlier,
      totals,
      tenders: refunds.flatMap(({ kind }) => (kind === 'store-credit' ? [] : [kind])),
    })
    // Every screen that has not seen this return is out of date: a second tap finds nothing to act on.
    if (!now.elsewhere) options.saleRows.touch(tx, saleId)
    enqueueReceipt(tx, row)
    const completed = exchange !== undefined && credit !== null && payAtOnce(tx, exchange, credit, paysCents)
    // What an exchange has used up needs no paper.
    if (credit) vouchers.enqueueDocument(tx, credit.id)
    // Asked last: nobody is called for a return that the open sale of an exchange refuses.
    if (asked) options.guard.need('return', who, asked)
    return { row, completed, claimed: claimedOf(row, saleId, lines, refunds) }
  }

  /** The whole return, taken back again: what it would claim. Throws what the return itself would throw. */
  function rehearsed(command: CommitReturn, who: Who): Claimed {
    try {
      return transact((tx) => {
        throw new Rehearsed(commitNow(tx, command, who, store.pretend(tx, command.saleId)).claimed)
      })
    } catch (error) {
      if (error instanceof Rehearsed) return error.claimed
      throw error
    }
  }

  // The window had closed when the reversal arrived (0080): the miles stay redeemed, so their worth becomes store
  // credit, never cash (specification 3 §4.5 rule 7), of the return that had it reversed, or of its sale.
  options.reversals.events.on('redemption.reversal-expired', (tx, redemption) => {
    const refund = repository.reversedBy(redemption.id)
    if (!refund) return options.tenders.creditLateReversal(tx, redemption)
    const source = { returnId: refund.returnId, operationId: redemption.id }
    vouchers.enqueueDocument(tx, vouchers.issue(tx, 'store-credit', refund.amountCents, source).id)
  })

  return {
    /** A completed sale with what is left of each line to return. */
    returnable(saleId: SaleId): ReturnableSale {
      const now = completed(saleId)
      const rates = taxesOfSale(now.sale, taxes())
      const shares = sharesOf(now)
      const gone = taken(saleId)
      return {
        saleId,
        version: now.sale.version,
        completedAt: isoOf(now.sale.closedAt ?? now.sale.openedAt),
        ...(now.elsewhere ? { lane: now.elsewhere.lane } : {}),
        last4: now.sale.memberLast4,
        lines: pricedLines(now)
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
          }),
        discounts: discountsOf(now),
        returns: [
          ...repository.ofSale(saleId).map(({ id, at, totals }) => ({ id, at: isoOf(at), ...totals })),
          ...store
            .elsewhere(saleId)
            .flatMap(({ returnId, at, totalCents }) =>
              returnId === null ? [] : [{ id: SaleId.parse(returnId), at: isoOf(at), totalCents: cents(totalCents) }],
            ),
        ].map(({ id, at, totalCents }) => ({ id, at, totalCents })),
      }
    },

    /** As `returnable`, with what the store knows of the sale. Throws ProblemError where the store must be asked. */
    async returnableAsked(saleId: SaleId): Promise<ReturnableSale> {
      await store.knowToReturn(saleId)
      return this.returnable(saleId)
    },

    quote: (asked: QuoteReturn): ReturnQuote => quoted(asked).quote,

    /** As `quote`, with the miles that the program itself says it would take, where it answers. */
    async quoteAsked(asked: QuoteReturn): Promise<ReturnQuote> {
      await store.knowToReturn(asked.saleId)
      const { quote, goods } = quoted(asked)
      return { ...quote, milesTaken: await issuing.milesTakenAsked(goods, clock.now()) }
    },

    /**
     * Everything that the return does is one commit; the calls and the documents leave after it. `claimId`: the store's
     * word, where the sale is the store's.
     */
    commit(command: CommitReturn, who: Who, claimId: string | null = null): SaleReturn {
      const { saleId, exchange } = command
      const { row, completed } = transact((tx) => commitNow(tx, command, who, claimId))
      if (!store.isElsewhere(saleId)) sales.publish(saleId, 'command')
      if (exchange) options.tenders.announce(exchange.saleId, completed)
      return viewOf(row, servedBy(row))
    },

    /**
     * Asks the store for the right to make the return, where its sale is the store's: everything else that could refuse
     * it is asked first. A right that was not used is released.
     */
    claim: async (command: CommitReturn, who: Who): Promise<HeldClaim | null> =>
      store.governs(command.saleId) ? store.hold(rehearsed(command, who)) : null,

    /** What the same person took back without a record at other lanes today, in cents; 0 where the store is away. */
    unrecordedElsewhere: (who: Who): Promise<number> => store.unrecordedCents(who.actorId, startOfToday()),

    quoteUnrecorded(items: ReturnWithoutRecord['items']): UnrecordedQuote {
      const lines = unrecordedLines(items)
      const { subtotalCents, taxes: taxed, totalCents } = totalBasket(lines, taxes(), [])
      return {
        lines: lines.map((line) => saleLineOf(line, taxes())),
        totals: { subtotalCents, taxes: taxed, totalCents },
      }
    },

    /**
     * Goods of a sale that this lane does not know. Nobody can tell what was paid for them: store credit, at today's
     * prices.
     */
    withoutRecord({ items, reason }: ReturnWithoutRecord, who: Who, elsewhereCents = 0): SaleReturn {
      const { actorId: cashierId } = who
      const lines = unrecordedLines(items)
      const { subtotalCents, taxes: taxed, totalCents } = totalBasket(lines, taxes(), [])
      const row = transact((tx) => {
        const earlierCents = unrecordedBefore(cashierId, elsewhereCents)
        const word = options.guard.needAll(
          isLarge(earlierCents + totalCents) ? ['return-unrecorded', 'return'] : ['return-unrecorded'],
          who,
          goodsOf(null, lines, totalCents, storeCreditOf(totalCents), earlierCents),
        )
        // Where the store lets its cashiers decide alone, it is their own word.
        const approvedBy = word.approvedBy ?? cashierId
        const { id, sequence } = sales.nextId()
        const committing: ReturnRow = {
          id,
          saleId: null,
          cashierId,
          approvedBy,
          reason,
          at: clock.now(),
          totals: { subtotalCents, taxes: taxed, totalCents },
        }
        repository.insert(tx, { ...committing, sequence, lane: lane.id, shiftId: options.custody.enter(tx, cashierId) })
        insertLines(
          tx,
          id,
          lines.map((line) => ({ ...line, saleLineNumber: null })),
        )
        const credit = insertRefunds(tx, committing, storeCreditOf(totalCents), null, null)
        events.emit('return.committed', tx, {
          returnId: id,
          sale: null,
          at: committing.at,
          lines,
          left: [],
          earlier: [],
          totals: committing.totals,
          tenders: [],
        })
        options.audit.record(tx, {
          kind: 'return-without-record',
          actorId: approvedBy,
          subject: id,
          detail: { cashier: cashierId, totalCents },
        })
        enqueueReceipt(tx, committing)
        if (credit) vouchers.enqueueDocument(tx, credit.id)
        return committing
      })
      return viewOf(row, servedBy(row))
    },

    view: (id: SaleId, reader: VoucherReader): SaleReturn => viewOf(rowOf(id), reader),

    receipt: (id: SaleId): ReceiptView => receipts.view(rowOf(id).id),
    reprint(id: SaleId, who: Who): { print: ReceiptView['print'] } {
      const row = rowOf(id)
      return receipts.reprint(
        { kind: 'return', id },
        {
          actorId: who.actorId,
          who,
          composed: (copy, locale) => documents.ofReturn(row, viewOf(row, servedBy(row)), copy, locale),
        },
      )
    },
  }
}

interface Committed {
  readonly row: ReturnRow
  /** Whether it completed the open sale that it paid. */
  readonly completed: boolean
  readonly claimed: Claimed
}

/** Takes a return back that was only to show that nothing refuses it. */
class Rehearsed extends Error {
  readonly claimed: Claimed
  constructor(claimed: Claimed) {
    super('rehearsed')
    this.claimed = claimed
  }
}

/** What the store is asked for. */
const claimedOf = (
  { at, totals }: Pick<ReturnRow, 'at' | 'totals'>,
  saleId: SaleId,
  lines: readonly BasketLine[],
  refunds: readonly GoingBack[],
): Claimed => ({
  saleId,
  at,
  lines: lines.map(({ number, quantity }) => ({ number, quantity })),
  refunds: refunds.map(({ kind, paidBy, amountCents, roundingCents }) => ({
    kind,
    paidBy: paidBy ?? kind,
    amountCents,
    roundingCents,
  })),
  totalCents: totals.totalCents,
})

/** The number of the refund slip, where the card gets something. Throws ProblemError where it is missing or wrong. */
function cardReferenceOf(command: CommitReturn, refunds: readonly GoingBack[]): string | null {
  const reference = command.cardReference ?? null
  if (reference === null && refunds.some(({ kind }) => kind === 'card')) throw new ProblemError('return-card-reference')
  if (reference !== null && looksLikePaymentCard(reference)) throw new ProblemError('reference-is-card')
  return reference
}

const returnedLine = (line: ReturnLineRow): BasketLine =>
  basketLine({ ...line, regularPriceCents: null, note: null, minimumAge: null, voided: 0 }, line.discountCents)

/** What goes back and what comes for it, as a supervisor reads it. */
const goodsOf = (
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

const storeCreditOf = (amountCents: Cents): GoingBack[] =>
  amountCents > 0 ? [{ kind: 'store-credit', paidBy: null, amountCents, roundingCents: cents(0) }] : []

const sameRefunds = (planned: readonly PlannedRefund[], shown: CommitReturn['refunds']): boolean =>
  planned.length === shown.length &&
  planned.every(({ kind, paidBy, amountCents }) =>
    shown.some((refund) => refund.kind === kind && refund.paidBy === paidBy && refund.amountCents === amountCents),
  )
