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
import { StaffId, type SaleId } from '../../../contracts/ids.ts'
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
import type { Operation } from '../../outbox/journal.ts'
import type { CardTransactions } from '../card-payments/transactions.ts'
import type { DomainEvents } from '../domain-events.ts'
import type { Issuing, QuotedGoods } from '../issuance/service.ts'
import type { Receipts } from '../receipts/service.ts'
import type { SalesRepository } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import { basketLine, discountsOf, pricedLines, sharesOf, taxesOfSale } from '../sales/view.ts'
import type { Custody } from '../shifts/custody.ts'
import type { Guard, Who } from '../approvals/guard.ts'
import type { ApprovalFacts } from '../approvals/request.ts'
import type { AuditTrail } from '../staff/audit.ts'
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

  const { completed, plan, reversibleOf } = createReturnPlans(options)

  const isLarge = (sumCents: number): boolean =>
    sumCents >= Math.round((profile.approvals.returnFromDollars ?? 0) * 100)

  /** The limit is of all that comes back of a sale, whenever: of each return by itself, two would beat it. */
  const returnedBefore = (saleId: SaleId): Cents =>
    cents(repository.ofSale(saleId).reduce((sum, { totals }) => sum + totals.totalCents, 0))

  /**
   * No sale says which goods without a record belong together: the limit is of what one person takes back so on one day
   * of the store. Not in one shift: whoever counts the drawer begins another.
   */
  const unrecordedBefore = (cashierId: string): Cents =>
    repository.unrecordedCents({
      lane: lane.id,
      cashierId,
      from: startOf(dayAt(clock.now(), profile.timeZone), profile.timeZone),
    })

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
    redemption: Operation | undefined,
    cardReference: string | null,
  ): VoucherRow | null {
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
          repository.insertRefund(tx, row.id, refund)
          break
        case 'card-terminal':
          repository.insertRefund(tx, row.id, refund)
          giveCardsBack(tx, row, amountCents)
          break
        case 'card':
          repository.insertRefund(tx, row.id, { ...refund, reference: cardReference })
          break
        case 'miles':
          if (!redemption) throw new Error('miles go back only to the redemption that they came from')
          repository.insertRefund(tx, row.id, {
            ...refund,
            reference: redemption.confirmationNumber,
            operationId: redemption.id,
          })
          options.reversals.order(tx, redemption)
          break
        case 'store-credit':
          if (!credit) throw new Error('store credit was issued before it is named')
          repository.insertRefund(tx, row.id, { ...refund, reference: credit.last4, voucherId: credit.id })
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
    const rates = row.saleId === null ? taxes() : taxesOfSale(sales.row(row.saleId), taxes())
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
    const { now, lines, left, totals, refunds, dueCents, paysCents } = plan(saleId, pieces, exchangeWith)
    const rates = taxesOfSale(now.sale, taxes())
    const goods: QuotedGoods = { sale: now, lines, left, totals }
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
      const taken = new Map(repository.returned(saleId).map(({ number, quantity }) => [number, quantity]))
      return {
        saleId,
        version: now.sale.version,
        completedAt: isoOf(now.sale.closedAt ?? now.sale.openedAt),
        last4: now.sale.memberLast4,
        lines: pricedLines(now)
          .filter((line) => !line.voided)
          .map((line) => {
            const returnedQuantity = taken.get(line.number) ?? 0
            return {
              ...saleLineOf(line, rates),
              returnedQuantity,
              leftQuantity: isGiftCard(line) ? 0 : line.quantity - returnedQuantity,
              kept: isGiftCard(line),
              discounts: shares.flatMap((share) => (share.line === line.number ? [share.discount] : [])),
            }
          }),
        discounts: discountsOf(now),
        returns: repository
          .ofSale(saleId)
          .map(({ id, at, totals }) => ({ id, at: isoOf(at), totalCents: totals.totalCents })),
      }
    },

    quote: (asked: QuoteReturn): ReturnQuote => quoted(asked).quote,

    /** As `quote`, with the miles that the program itself says it would take, where it answers. */
    async quoteAsked(asked: QuoteReturn): Promise<ReturnQuote> {
      const { quote, goods } = quoted(asked)
      return { ...quote, milesTaken: await issuing.milesTakenAsked(goods, clock.now()) }
    },

    /** Everything that the return does is one commit; the calls and the documents leave after it. */
    commit(command: CommitReturn, who: Who): SaleReturn {
      const { saleId, exchange } = command
      const { actorId: cashierId } = who
      const { row, completed } = transact((tx) => {
        const { now, lines, left, totals, refunds, paysCents } = plan(saleId, command.lines, exchange?.saleId)
        if (command.version !== now.sale.version) throw new ProblemError('sale-stale')
        if (!sameRefunds(refunds, command.refunds)) throw new ProblemError('return-changed')
        const cardReference = command.cardReference ?? null
        if (cardReference === null && refunds.some(({ kind }) => kind === 'card'))
          throw new ProblemError('return-card-reference')
        if (cardReference !== null && looksLikePaymentCard(cardReference)) throw new ProblemError('reference-is-card')
        const earlierCents = returnedBefore(saleId)
        const asked = isLarge(earlierCents + totals.totalCents)
          ? goodsOf(saleId, lines, totals.totalCents, refunds, earlierCents)
          : null
        const approvedBy = asked && options.guard.word('return', who, asked).approvedBy
        const { id, sequence } = sales.nextId()
        const at = clock.now()
        const committing: ReturnRow = { id, saleId, cashierId, approvedBy, reason: command.reason ?? null, at, totals }
        if (approvedBy !== null && approvedBy !== cashierId)
          options.audit.record(tx, {
            kind: 'return-approved',
            actorId: approvedBy,
            subject: id,
            detail: { cashier: cashierId, totalCents: totals.totalCents },
          })
        repository.insert(tx, { ...committing, sequence, lane: lane.id, shiftId: options.custody.enter(tx, cashierId) })
        insertLines(
          tx,
          id,
          lines.map((line) => ({ ...line, saleLineNumber: line.number })),
        )
        const credit = insertRefunds(tx, committing, refunds, now.redemption, cardReference)
        events.emit('return.committed', tx, {
          returnId: id,
          sale: now,
          at,
          lines,
          left,
          totals,
          tenders: refunds.flatMap(({ kind }) => (kind === 'store-credit' ? [] : [kind])),
        })
        // Every screen that has not seen this return is out of date: a second tap finds nothing to act on.
        options.saleRows.touch(tx, saleId)
        enqueueReceipt(tx, committing)
        const completing = exchange !== undefined && credit !== null && payAtOnce(tx, exchange, credit, paysCents)
        // What an exchange has used up needs no paper.
        if (credit) vouchers.enqueueDocument(tx, credit.id)
        // Asked last: nobody is called for a return that the open sale of an exchange refuses.
        if (asked) options.guard.need('return', who, asked)
        return { row: committing, completed: completing }
      })
      sales.publish(saleId, 'command')
      if (exchange) options.tenders.announce(exchange.saleId, completed)
      return viewOf(row, servedBy(row))
    },

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
    withoutRecord({ items, reason }: ReturnWithoutRecord, who: Who): SaleReturn {
      const { actorId: cashierId } = who
      const lines = unrecordedLines(items)
      const { subtotalCents, taxes: taxed, totalCents } = totalBasket(lines, taxes(), [])
      const row = transact((tx) => {
        const earlierCents = unrecordedBefore(cashierId)
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
        const credit = insertRefunds(tx, committing, storeCreditOf(totalCents), undefined, null)
        events.emit('return.committed', tx, {
          returnId: id,
          sale: null,
          at: committing.at,
          lines,
          left: [],
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
