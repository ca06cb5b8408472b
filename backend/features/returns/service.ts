import type { CommitReturn, ReturnableSale, ReturnQuote, ReturnWithoutRecord, SaleReturn, StoreCredit, UnrecordedQuote } from '../../../contracts/api/returns.ts'
import type { Item } from '../../../contracts/api/catalog.ts'
import type { ReceiptView } from '../../../contracts/api/sales.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { Locale } from '../../../contracts/locales.ts'
import { miles } from '../../../contracts/miles.ts'
import { cents, type Cents } from '../../../contracts/money.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import { isoOf, type Chance, type Clock } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import { saleLineOf, totalBasket, type BasketLine } from '../../domain/basket.ts'
import { looksLikePaymentCard } from '../../domain/payment-card.ts'
import { only, planRefunds, without, worthOf, type Pieces, type PlannedRefund } from '../../domain/returns.ts'
import { reversalDeadline, reversalOpen } from '../../domain/reversal-window.ts'
import { storeCreditCodeOf } from '../../domain/store-credit-code.ts'
import type { StoreTax } from '../../domain/tax.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Issuances } from '../../journal/issuances.ts'
import type { Redemptions } from '../../journal/redemptions.ts'
import type { Operation } from '../../journal/store.ts'
import type { Issuing } from '../issuance/service.ts'
import type { Receipts } from '../receipts/service.ts'
import type { SalesRepository } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import { basketLine, taxesOfSale, type SaleParts } from '../sales/view.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { ReturnPapers } from './papers.ts'
import type { RefundRow, ReturnLineRow, ReturnRow, ReturnsRepository, StoreCreditRow } from './repository.ts'

export interface ReturnsOptions {
  readonly repository: ReturnsRepository
  readonly sales: Sales
  readonly saleRows: SalesRepository
  readonly transact: Transact
  readonly issuing: Issuing
  readonly issuances: () => Issuances
  readonly redemptions: () => Redemptions
  readonly receipts: Receipts
  readonly papers: ReturnPapers
  readonly audit: AuditTrail
  readonly findBySku: (sku: string) => Item | undefined
  readonly clock: Clock
  readonly chance: Chance
  readonly profile: Profile
  readonly lane: Lane
  readonly taxes: readonly StoreTax[]
  readonly locale: () => Locale
}

export type Returns = ReturnType<typeof createReturns>

/** A return before it is committed: what would come back, and what would go back for it. */
interface Plan {
  readonly now: SaleParts
  readonly lines: readonly BasketLine[]
  readonly left: readonly BasketLine[]
  readonly totals: ReturnQuote['totals']
  readonly refunds: readonly PlannedRefund[]
}

/**
 * Goods that come back. A return is a transaction of its own, tied to its sale: what came back, what went back for it,
 * the miles that are taken back and its papers are one commit.
 */
export function createReturns(options: ReturnsOptions) {
  const { repository, sales, transact, issuing, receipts, papers, clock, profile, lane, taxes } = options

  function completed(saleId: string): SaleParts {
    const now = sales.parts(saleId)
    if (now.sale.state !== 'completed') throw new ProblemError('sale-not-completed')
    return now
  }

  function plan(saleId: string, pieces: readonly Pieces[]): Plan {
    const now = completed(saleId)
    const taken = repository.returned(saleId)
    const sold = now.lines.map(basketLine)
    for (const { number } of pieces) {
      if (!sold.some((line) => line.number === number && !line.voided)) throw new ProblemError('return-nothing')
    }
    const before = without(sold, taken)
    for (const { number } of pieces) {
      const asked = pieces.filter((piece) => piece.number === number).reduce((sum, { quantity }) => sum + quantity, 0)
      if (asked > (before.find((line) => line.number === number)?.quantity ?? 0)) throw new ProblemError('return-exceeds-sold')
    }
    const left = without(before, pieces)
    const totals = worthOf(before, left, taxesOfSale(now.sale, taxes))
    const refunds = planRefunds(totals.totalCents, {
      tenders: now.tenders.map(({ kind, amountCents }) => ({ kind, amountCents: cents(amountCents) })),
      refunds: repository.refundsOfSale(saleId).map((refund) => ({ kind: refund.kind, amountCents: cents(refund.amountCents), roundingCents: cents(refund.roundingCents) })),
      reversible: now.redemption?.state === 'approved' && reversalOpen(clock.now(), now.redemption.transDateTime ?? '', profile.timeZone),
    })
    if (!refunds) throw new ProblemError('return-not-covered')
    return { now, lines: only(sold, pieces), left, totals, refunds }
  }

  /** What can still be given back as miles, and until when (specification 3 §3). */
  function reversibleOf({ redemption }: SaleParts): ReturnQuote['reversible'] {
    if (redemption?.state !== 'approved') return null
    const closesAt = reversalDeadline(redemption.transDateTime ?? '', profile.timeZone)
    if (!(clock.now() < closesAt)) return null
    return { closesAt: isoOf(closesAt), miles: miles(redemption.miles ?? 0), amountCents: cents(redemption.amountCents ?? 0) }
  }

  const { approvalFromDollars } = profile.returns
  const needsApproval = (totalCents: number): boolean => approvalFromDollars !== undefined && totalCents >= Math.round(approvalFromDollars * 100)

  /** Store credit is worth something from the commit that issues it; its paper is printed with it. */
  function issueCredit(entry: { amountCents: number; returnId: string; operationId: string | null; at: number }): StoreCredit['code'] {
    const code = storeCreditCodeOf(options.chance.uuid())
    repository.issueCredit({ code, ...entry })
    receipts.enqueuePaper({ kind: 'store-credit', id: code }, papers.ofCredit(code, 0, options.locale()), false)
    return code
  }

  function insertLines(returnId: string, lines: readonly (BasketLine & { saleLineNumber: number | null })[]): void {
    for (const [index, line] of lines.entries()) {
      repository.insertLine(returnId, {
        number: index + 1, saleLineNumber: line.saleLineNumber, sku: line.sku, nameEn: line.name['en-CA'], nameFr: line.name['fr-CA'], quantity: line.quantity,
        unitPriceCents: line.unitPriceCents, taxCategory: line.taxCategory, departmentId: line.departmentId, categoryId: line.categoryId,
      })
    }
  }

  /** Writes how the money goes back; answers the redemption that is reversed with it, when one is. */
  function insertRefunds(row: ReturnRow, refunds: readonly GoingBack[], redemption: Operation | undefined, cardReference: string | null): Operation | undefined {
    let reversing: Operation | undefined
    for (const [index, planned] of refunds.entries()) {
      const refund = { number: index + 1, kind: planned.kind, amountCents: planned.amountCents, roundingCents: planned.roundingCents, reference: null, operationId: null, storeCreditCode: null } satisfies RefundRow
      switch (planned.kind) {
        case 'cash':
          repository.insertRefund(row.id, refund)
          break
        case 'card':
          repository.insertRefund(row.id, { ...refund, reference: cardReference })
          break
        case 'miles':
          if (!redemption) throw new Error('miles go back only to the redemption that they came from')
          repository.insertRefund(row.id, { ...refund, reference: redemption.confirmationNumber, operationId: redemption.id })
          reversing = options.redemptions().recordReversal(redemption)
          break
        case 'store-credit': {
          const code = issueCredit({ amountCents: planned.amountCents, returnId: row.id, operationId: null, at: row.at })
          repository.insertRefund(row.id, { ...refund, reference: code, storeCreditCode: code })
        }
      }
    }
    return reversing
  }

  /** Goods without a record as today's catalog sells them. */
  const unrecordedLines = (items: ReturnWithoutRecord['items']): BasketLine[] => items.map(({ sku, quantity }, index) => {
    const item = options.findBySku(sku)
    if (!item) throw new ProblemError('item-unknown')
    return { number: index + 1, sku, name: item.name, quantity, unitPriceCents: item.priceCents, taxCategory: item.taxCategory, departmentId: item.departmentId, categoryId: item.categoryId, voided: false }
  })

  function rowOf(id: string): ReturnRow {
    const row = repository.byId(id)
    if (!row) throw new ProblemError('not-found')
    return row
  }

  function creditOf(code: string): StoreCreditRow {
    const credit = repository.credit(code)
    if (!credit) throw new ProblemError('not-found')
    return credit
  }

  function viewOf(row: ReturnRow): SaleReturn {
    const rates = row.saleId === null ? taxes : taxesOfSale(sales.parts(row.saleId).sale, taxes)
    return {
      id: row.id, saleId: row.saleId, at: isoOf(row.at), reason: row.reason, totals: row.totals,
      lines: repository.lines(row.id).map((line) => saleLineOf(returnedLine(line), rates)),
      refunds: repository.refunds(row.id).map(({ kind, amountCents, roundingCents, reference }) => ({ kind, amountCents: cents(amountCents), roundingCents: cents(roundingCents), reference })),
    }
  }

  /** The paper of the return itself; call inside its transaction. */
  function enqueueReceipt(row: ReturnRow): void {
    const returned = viewOf(row)
    receipts.enqueuePaper({ kind: 'return', id: row.id }, papers.ofReturn(row, returned, 0, options.locale()), returned.refunds.some(({ kind }) => kind === 'cash'))
  }

  return {
    /** A completed sale with what is left of each line to return. */
    returnable(saleId: SaleId): ReturnableSale {
      const now = completed(saleId)
      const rates = taxesOfSale(now.sale, taxes)
      const taken = new Map(repository.returned(saleId).map(({ number, quantity }) => [number, quantity]))
      return {
        saleId, version: now.sale.version, completedAt: isoOf(now.sale.closedAt ?? now.sale.openedAt), last4: now.sale.memberLast4,
        lines: now.lines.filter((line) => line.voided === 0).map((line) => {
          const returnedQuantity = taken.get(line.number) ?? 0
          return { ...saleLineOf(basketLine(line), rates), returnedQuantity, leftQuantity: line.quantity - returnedQuantity }
        }),
        returns: repository.ofSale(saleId).map(({ id, at, totals }) => ({ id, at: isoOf(at), totalCents: totals.totalCents })),
      }
    },

    quote(saleId: SaleId, pieces: readonly Pieces[]): ReturnQuote {
      const { now, lines, left, totals, refunds } = plan(saleId, pieces)
      const rates = taxesOfSale(now.sale, taxes)
      return {
        saleId, version: now.sale.version, lines: lines.map((line) => saleLineOf(line, rates)), totals, refunds: [...refunds],
        reversible: reversibleOf(now), milesTaken: issuing.milesTaken({ sale: now, lines, left, totals }), needsApproval: needsApproval(totals.totalCents),
      }
    },

    /** Everything that the return does is one commit; the calls and the papers leave after it. `approvedBy`: the manager who stands for it, if any. */
    commit(command: CommitReturn, cashierId: string, approvedBy: string | null = null): SaleReturn {
      const { saleId } = command
      const { row, reversing } = transact(() => {
        const { now, lines, left, totals, refunds } = plan(saleId, command.lines)
        if (command.version !== now.sale.version) throw new ProblemError('sale-stale')
        if (!sameRefunds(refunds, command.refunds)) throw new ProblemError('return-changed')
        if (needsApproval(totals.totalCents) && approvedBy === null) throw new ProblemError('approval-required')
        const cardReference = command.cardReference ?? null
        if (cardReference === null && refunds.some(({ kind }) => kind === 'card')) throw new ProblemError('return-card-reference')
        if (cardReference !== null && looksLikePaymentCard(cardReference)) throw new ProblemError('reference-is-card')
        const { id, sequence } = sales.nextId()
        const at = clock.now()
        const committing: ReturnRow = { id, saleId, cashierId, approvedBy, reason: command.reason ?? null, at, totals }
        if (approvedBy !== null && approvedBy !== cashierId) options.audit.record({ kind: 'return-approved', actorId: approvedBy, subject: id, detail: { cashier: cashierId, totalCents: totals.totalCents } })
        repository.insert({ ...committing, sequence, lane: lane.id })
        insertLines(id, lines.map((line) => ({ ...line, saleLineNumber: line.number })))
        const giving = insertRefunds(committing, refunds, now.redemption, cardReference)
        issuing.goodsReturned({ returnId: id, sale: now, at, lines, left, totals, tenders: refunds.flatMap(({ kind }) => (kind === 'store-credit' ? [] : [kind])) })
        // Every screen that has not seen this return is out of date: a second tap finds nothing to act on.
        options.saleRows.touch(saleId)
        enqueueReceipt(committing)
        return { row: committing, reversing: giving }
      })
      if (reversing) options.redemptions().startReversal(reversing)
      options.issuances().wake()
      receipts.wake()
      sales.publish(saleId, 'command')
      return viewOf(row)
    },

    quoteUnrecorded(items: ReturnWithoutRecord['items']): UnrecordedQuote {
      const lines = unrecordedLines(items)
      const { subtotalCents, taxes: taxed, totalCents } = totalBasket(lines, taxes, [])
      return { lines: lines.map((line) => saleLineOf(line, taxes)), totals: { subtotalCents, taxes: taxed, totalCents } }
    },

    /** Goods of a sale that this lane does not know. Nobody can tell what was paid for them: store credit, at today's prices. */
    withoutRecord({ items, reason }: ReturnWithoutRecord, cashierId: string, managerId: string | null): SaleReturn {
      if (managerId === null) throw new ProblemError('approval-required')
      const lines = unrecordedLines(items)
      const { subtotalCents, taxes: taxed, totalCents } = totalBasket(lines, taxes, [])
      const row = transact(() => {
        const { id, sequence } = sales.nextId()
        const committing: ReturnRow = { id, saleId: null, cashierId, approvedBy: managerId, reason, at: clock.now(), totals: { subtotalCents, taxes: taxed, totalCents } }
        repository.insert({ ...committing, sequence, lane: lane.id })
        insertLines(id, lines.map((line) => ({ ...line, saleLineNumber: null })))
        insertRefunds(committing, storeCreditOf(totalCents), undefined, null)
        options.audit.record({ kind: 'return-without-record', actorId: managerId, subject: id, detail: { totalCents } })
        enqueueReceipt(committing)
        return committing
      })
      receipts.wake()
      return viewOf(row)
    },

    /**
     * The window had closed when the reversal arrived (0080): the miles stay redeemed, so their worth becomes store
     * credit, never cash (specification 3 §4.5 rule 7). Call inside the transaction of that arrow; wake the printer after it.
     */
    onReversalExpired(redemption: Operation): void {
      const refund = repository.reversedBy(redemption.id)
      if (refund) issueCredit({ amountCents: refund.amountCents, returnId: refund.returnId, operationId: redemption.id, at: clock.now() })
    },

    view: (id: SaleId): SaleReturn => viewOf(rowOf(id)),

    credit(code: StoreCredit['code']): StoreCredit {
      const credit = creditOf(code)
      return { code: credit.code, issuedAt: isoOf(credit.issuedAt), balanceCents: cents(credit.balanceCents) }
    },

    receipt: (id: SaleId): ReceiptView => receipts.view(rowOf(id).id),
    reprint(id: SaleId, actorId: string): { print: ReceiptView['print'] } {
      const row = rowOf(id)
      return receipts.reprint({ kind: 'return', id }, { actorId, composed: (copy, locale) => papers.ofReturn(row, viewOf(row), copy, locale) })
    },
    reprintCredit(code: StoreCredit['code'], actorId: string): { print: ReceiptView['print'] } {
      // Whoever knows a code can pay with it: the trail names the return that it was issued for.
      return receipts.reprint({ kind: 'store-credit', id: code }, { actorId, subject: creditOf(code).returnId, composed: (copy, locale) => papers.ofCredit(code, copy, locale) })
    },
  }
}

const returnedLine = (line: ReturnLineRow): BasketLine => basketLine({ ...line, voided: 0 })

/** How much goes back in which form, without why. */
type GoingBack = Omit<PlannedRefund, 'why'>

const storeCreditOf = (amountCents: Cents): GoingBack[] => (amountCents > 0 ? [{ kind: 'store-credit', amountCents, roundingCents: cents(0) }] : [])

const sameRefunds = (planned: readonly PlannedRefund[], shown: CommitReturn['refunds']): boolean =>
  planned.length === shown.length && planned.every(({ kind, amountCents }) => shown.some((refund) => refund.kind === kind && refund.amountCents === amountCents))
