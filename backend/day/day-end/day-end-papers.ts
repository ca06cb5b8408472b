import type { Closing, XReport, ZReport } from '../../../contracts/day/day-end.ts'
import { tenderRows } from '../../../contracts/day/tender-rows.ts'
import type { MovementKind, Shift } from '../../../contracts/day/shifts.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import type { TaxCode } from '../../../contracts/core/regions.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { type Paper, type ReceiptTexts, paperOf, receiptTexts } from '../../core/paper/layout.ts'
import { TENDER_TYPES } from '../../payments/tender-types/registry.ts'
import { type DocumentFacts, top, rule, space } from '../../core/paper/document.ts'

export interface MovementFacts extends DocumentFacts {
  readonly kind: MovementKind
  readonly amountCents: number
  readonly reason: string
  readonly approvedBy: string | null
}

export function composeMovement(facts: MovementFacts): ReceiptDocument {
  const words = receiptTexts(facts.locale)
  const paper = paperOf(facts.columns)
  const { t, money } = words
  return {
    locale: facts.locale,
    title: t(`movement-${facts.kind}`),
    blocks: [
      ...top('movement-heading', facts, words, paper),
      rule,
      ...paper.row(t(`movement-${facts.kind}`), facts.kind === 'no-sale' ? '' : money(facts.amountCents), {
        bold: true,
      }),
      ...paper.text(t('movement-reason', { reason: facts.reason }), 'left'),
      ...(facts.approvedBy === null ? [] : paper.text(t('movement-approved', { name: facts.approvedBy }), 'left')),
      ...signature(words, paper),
    ],
  }
}

export function composeShift(facts: DocumentFacts & { readonly shift: Shift }): ReceiptDocument {
  const words = receiptTexts(facts.locale)
  const paper = paperOf(facts.columns)
  const { t, money } = words
  const { shift } = facts
  const when = (at: string): string => words.dateTime(Date.parse(at), facts.profile.timeZone)
  const compared = (
    label: 'cash' | 'card' | 'cheque' | 'manufacturer-coupon',
    one: NonNullable<Shift['result']>['cash'],
  ): ReceiptBlock[] =>
    one.countedCents === null
      ? []
      : [
          ...paper.row(t('shift-expected', { what: t(label) }), money(one.expectedCents)),
          ...paper.row(t('shift-counted', { what: t(label) }), money(one.countedCents)),
          ...difference(one.differenceCents, words, paper),
        ]
  const { result } = shift
  return {
    locale: facts.locale,
    title: t('shift-title', { number: String(shift.id) }),
    blocks: [
      ...top('shift-heading', facts, words, paper),
      ...paper.row(t('shift-title', { number: String(shift.id) }), ''),
      ...paper.row(t('shift-from'), when(shift.openedAt)),
      ...(shift.closedAt === null ? [] : paper.row(t('shift-to'), when(shift.closedAt))),
      rule,
      ...paper.row(t('shift-float'), money(shift.floatCents)),
      ...(result
        ? [
            ...compared('cash', result.cash),
            ...compared('card', result.cardSlips),
            ...compared('cheque', result.cheques),
            ...compared('manufacturer-coupon', result.coupons),
          ]
        : []),
      ...(shift.reason === null ? [] : paper.text(t('movement-reason', { reason: shift.reason }), 'left')),
      ...(shift.leftCents === null ? [] : paper.row(t('shift-left'), money(shift.leftCents))),
      ...(shift.toSafeCents === null ? [] : paper.row(t('shift-to-safe'), money(shift.toSafeCents), { bold: true })),
      ...signature(words, paper),
    ],
  }
}

export interface DayFacts<Report> extends DocumentFacts {
  readonly report: Report
  readonly departmentName: (id: string) => string
}

export function composeZ(facts: DayFacts<ZReport>): ReceiptDocument {
  const words = receiptTexts(facts.locale)
  const paper = paperOf(facts.columns)
  const { t, money } = words
  const { report } = facts
  const { grandTotals, journal, audit } = report
  const day = dayOf(facts, words, paper)
  return {
    locale: facts.locale,
    title: t('z-title', { number: String(report.number) }),
    blocks: [
      ...top('z-heading', facts, words, paper),
      ...paper.text(t('z-title', { number: String(report.number) }), 'center', { bold: true, size: 'large' }),
      ...day.span(),
      ...day.goods(),
      ...day.tenders(day.openSales()),
      ...day.departments(),
      ...day.drawers(
        report.shifts.flatMap((shift) => [
          ...paper.row(t('shift-title', { number: String(shift.id) }), money(shift.countedCents)),
          ...difference(shift.differenceCents, words, paper),
        ]),
      ),
      ...day.counts(),
      ...day.section(t('z-grand')),
      ...day.amounts([
        [t('z-grand-sales', { count: words.count(grandTotals.sales) }), grandTotals.salesCents],
        [t('z-grand-returns', { count: words.count(grandTotals.returns) }), grandTotals.returnsCents],
      ]),
      rule,
      ...paper.row(t('z-journal', { seq: String(journal.seq) }), readable(journal.hash)),
      ...paper.row(t('z-audit', { seq: String(audit.seq) }), readable(audit.hash)),
    ],
  }
}

/** The first 64 bits of a hash in hex: enough to compare by eye. The stored report has the whole hash. */
const readable = (hash: string): string => hash.slice(0, 16).replaceAll(/(.{4})(?=.)/g, '$1-')

/** Composes the X report: the totals so far, without a number. Until every drawer is closed, it contains no cash. */
export function composeX(facts: DayFacts<XReport>): ReceiptDocument {
  const words = receiptTexts(facts.locale)
  const paper = paperOf(facts.columns)
  const { t } = words
  const day = dayOf(facts, words, paper)
  return {
    locale: facts.locale,
    title: t('x-heading'),
    blocks: [
      ...top('x-heading', facts, words, paper),
      ...day.span(),
      ...day.goods(),
      ...day.tenders(facts.report.totals.cashHidden ? paper.text(t('x-cash-hidden'), 'left') : day.openSales()),
      ...day.departments(),
      ...day.drawers([]),
      ...day.counts(),
    ],
  }
}

export function dayOf(
  facts: DayFacts<Pick<XReport, 'from' | 'at'> & { readonly totals: Omit<XReport['totals'], 'cashHidden'> }>,
  words: ReceiptTexts,
  paper: Paper,
) {
  const { t, money, count } = words
  const { report } = facts
  const { totals } = report
  const when = (at: string): string => words.dateTime(Date.parse(at), facts.profile.timeZone)
  const amounts = (rows: readonly (readonly [string, number])[]): ReceiptBlock[] =>
    rows.flatMap(([label, amountCents]) => paper.row(label, money(amountCents)))
  const counts = (rows: readonly (readonly [string, number])[]): ReceiptBlock[] =>
    rows.flatMap(([label, value]) => paper.row(label, count(value)))
  const taxRows = (taxes: typeof totals.sales.taxes): (readonly [string, number])[] =>
    taxes.map(({ code, amountCents }) => [taxName(code, words), amountCents])
  const section = (title: string): ReceiptBlock[] => [rule, ...paper.text(title, 'left', { bold: true })]
  return {
    amounts,
    section,
    span: (): ReceiptBlock[] => [
      ...(report.from === null ? [] : paper.row(t('shift-from'), when(report.from))),
      ...paper.row(t('shift-to'), when(report.at)),
    ],
    goods: (): ReceiptBlock[] => [
      ...section(t('z-sales', { count: count(totals.sales.count) })),
      ...(totals.sales.firstId === null ? [] : paper.row(t('z-first'), totals.sales.firstId)),
      ...(totals.sales.lastId === null ? [] : paper.row(t('z-last'), totals.sales.lastId)),
      ...amounts([
        [t('z-gross'), totals.sales.grossCents],
        [t('discount'), 0 - totals.sales.discountCents],
        [t('subtotal'), totals.sales.netCents],
        ...taxRows(totals.sales.taxes),
      ]),
      ...paper.row(t('total'), money(totals.sales.totalCents), { bold: true }),
      ...(totals.giftCards.count === 0
        ? []
        : paper.row(t('z-gift-cards', { count: count(totals.giftCards.count) }), money(totals.giftCards.amountCents))),
      ...(totals.deposits.count === 0
        ? []
        : paper.row(t('z-deposits', { count: count(totals.deposits.count) }), money(totals.deposits.amountCents))),
      ...(totals.empties.count === 0
        ? []
        : paper.row(t('z-empties', { count: count(totals.empties.count) }), money(0 - totals.empties.amountCents))),
      ...(totals.cashOuts.count === 0
        ? []
        : paper.row(t('z-cash-outs', { count: count(totals.cashOuts.count) }), money(totals.cashOuts.amountCents))),
      ...section(t('z-returns', { count: count(totals.returns.count) })),
      ...amounts([[t('subtotal'), totals.returns.netCents], ...taxRows(totals.returns.taxes)]),
      ...paper.row(t('total'), money(totals.returns.totalCents), { bold: true }),
      ...(totals.deposits.returnedCents === 0
        ? []
        : paper.row(t('z-deposits-returned'), money(totals.deposits.returnedCents))),
    ],
    tenders: (more: readonly ReceiptBlock[]): ReceiptBlock[] => [
      ...section(t('z-tenders')),
      ...tenderRows(totals).flatMap(({ kind, netCents, taken, givenBack, roundingCents }) => [
        ...paper.row(`${tenderName(kind, words)} (${count(taken.count - givenBack.count)})`, money(netCents)),
        ...(roundingCents === 0 ? [] : paper.detail(t('cash-rounding'), money(roundingCents))),
      ]),
      ...more,
    ],
    openSales: (): ReceiptBlock[] =>
      totals.openSales === null
        ? []
        : amounts([
            [t('z-open-before'), totals.openSales.beforeCents],
            [t('z-open-after'), totals.openSales.afterCents],
          ]),
    departments: (): ReceiptBlock[] => [
      ...section(t('z-departments')),
      ...amounts(totals.departments.map(({ id, netCents }) => [facts.departmentName(id), netCents])),
    ],
    drawers: (counted: readonly ReceiptBlock[]): ReceiptBlock[] => {
      const rows = [
        ...totals.movements.flatMap((moved) =>
          paper.row(`${t(`movement-${moved.kind}`)} (${count(moved.count)})`, money(moved.amountCents)),
        ),
        ...counted,
      ]
      return rows.length === 0 ? [] : [...section(t('z-drawers')), ...rows]
    },
    counts: (): ReceiptBlock[] => [
      ...section(t('z-counts')),
      ...counts([
        [t('z-cancelled'), totals.cancelled],
        [t('z-voided'), totals.voidedLines],
        [t('z-prices'), totals.priceChanges],
        [t('z-discounts'), totals.discounts],
        [t('z-copies'), totals.copies],
      ]),
      ...section(t('z-miles')),
      ...counts([
        [t('z-redeemed'), totals.miles.redeemed],
        [t('z-issued'), totals.miles.issued],
        [t('z-unsent'), totals.miles.unsent],
        [t('z-undecided'), totals.miles.undecided],
      ]),
    ],
  }
}

/** Name of a tax on a Z, which distinguishes taxes that share a name on receipts. */
export const taxName = (code: TaxCode, { t }: ReceiptTexts): string =>
  t(code === 'HST-FEDERAL' ? 'z-hst-federal' : `tax-name-${code}`)

/**
 * Name of a tender on a Z. Card slips that were typed in are counted in the drawer, and payments of the card terminal
 * are not: they are two rows with two names.
 */
export function tenderName(kind: TenderKind, words: ReceiptTexts): string {
  if (kind === 'card') return words.t('z-card-slips')
  return kind === 'card-terminal' ? words.t('z-card-terminal') : TENDER_TYPES[kind].displayName(words)
}

export const difference = (cents: number, { t, money }: ReceiptTexts, paper: Paper): ReceiptBlock[] =>
  paper.detail(cents === 0 ? t('shift-exact') : t(cents > 0 ? 'shift-over' : 'shift-short'), money(Math.abs(cents)), {
    bold: cents !== 0,
  })

const signature = ({ t }: ReceiptTexts, paper: Paper): ReceiptBlock[] => [
  space,
  space,
  ...paper.text('_'.repeat(Math.min(30, paper.columns)), 'left'),
  ...paper.text(t('signature'), 'left'),
]

export function composeClosing(facts: DayFacts<Closing>): ReceiptDocument {
  const words = receiptTexts(facts.locale)
  const paper = paperOf(facts.columns)
  const { t, money, count } = words
  const { report } = facts
  const { period, zs, grandTotals } = report
  const heading = period.length === 'YYYY-MM'.length ? 'closing-month' : 'closing-day'
  const day = dayOf(facts, words, paper)
  const numbers = zs.map(({ first, last }) =>
    first === last ? String(first) : t('closing-run', { first: String(first), last: String(last) }),
  )
  return {
    locale: facts.locale,
    title: `${t(heading)} ${period}`,
    blocks: [
      ...top(heading, facts, words, paper),
      ...paper.text(period, 'center', { bold: true, size: 'large' }),
      ...(report.isOver ? [] : paper.text(t('closing-so-far'), 'center', { bold: true })),
      ...paper.text(t('closing-numbers', { numbers: numbers.join(', ') }), 'left'),
      ...day.span(),
      ...day.goods(),
      ...day.tenders(day.openSales()),
      ...day.departments(),
      ...day.drawers([
        ...paper.row(t('closing-drawers', { count: count(report.shifts) }), money(report.countedCents)),
        ...difference(report.differenceCents, words, paper),
      ]),
      ...day.counts(),
      ...day.section(t('z-grand')),
      ...day.amounts([
        [t('z-grand-sales', { count: count(grandTotals.sales) }), grandTotals.salesCents],
        [t('z-grand-returns', { count: count(grandTotals.returns) }), grandTotals.returnsCents],
      ]),
    ],
  }
}
