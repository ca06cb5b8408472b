import type { Closing } from '../../contracts/api/day-end.ts'
import type { ReceiptDocument } from '../../contracts/receipt.ts'
import { dayOf, difference, type DayFacts } from './day-end-papers.ts'
import { paperOf } from './receipt-layout.ts'
import { receiptWords } from './receipt-words.ts'
import { top } from './return-receipt.ts'

/** A day or a month of the lane: what its Zs come to. */
export function composeClosing(facts: DayFacts<Closing>): ReceiptDocument {
  const words = receiptWords(facts.locale)
  const paper = paperOf(facts.columns)
  const { say, money, count } = words
  const { report } = facts
  const { period, zs, grandTotals } = report
  const heading = period.length === 'YYYY-MM'.length ? 'closing-month' : 'closing-day'
  const day = dayOf(facts, words, paper)
  const numbers = zs.map(({ first, last }) =>
    first === last ? String(first) : say('closing-run', { first: String(first), last: String(last) }),
  )
  return {
    locale: facts.locale,
    title: `${say(heading)} ${period}`,
    blocks: [
      ...top(heading, facts, words, paper),
      ...paper.text(period, 'center', { bold: true, size: 'large' }),
      ...(report.isOver ? [] : paper.text(say('closing-so-far'), 'center', { bold: true })),
      ...paper.text(say('closing-numbers', { numbers: numbers.join(', ') }), 'left'),
      ...day.span(),
      ...day.goods(),
      ...day.tenders(day.openSales()),
      ...day.departments(),
      ...day.drawers([
        ...paper.row(say('closing-drawers', { count: count(report.shifts) }), money(report.countedCents)),
        ...difference(report.differenceCents, words, paper),
      ]),
      ...day.counts(),
      ...day.section(say('z-grand')),
      ...day.amounts([
        [say('z-grand-sales', { count: count(grandTotals.sales) }), grandTotals.salesCents],
        [say('z-grand-returns', { count: count(grandTotals.returns) }), grandTotals.returnsCents],
      ]),
    ],
  }
}
