import type { Sale } from '../../contracts/api/sales.ts'
import type { Locale } from '../../contracts/locales.ts'
import { nameIn } from '../../contracts/names.ts'
import { columnsOf, plainText } from './receipt-layout.ts'
import { receiptWords } from './receipt-words.ts'
import { TENDER_TYPES } from './tenders/registry.ts'

/** What the customer's line display shows: two lines of at most twenty characters. */
export type CustomerLinesText = readonly [string, string]
const COLUMNS = 20

/**
 * A sale on two lines: the newest line and the total while it is rung, the newest tender and what is still due while it
 * is paid, then the change and thanks. Never a balance, of whatever kind: bystanders read it (specification 3 §4.5 rule
 * 4).
 */
export function customerLines(sale: Sale, locale: Locale): CustomerLinesText | null {
  const words = receiptWords(locale)
  const { say, money, amount } = words
  const { totals, tenders } = sale
  if (sale.state === 'cancelled' || sale.state === 'held') return null
  if (sale.state === 'completed') {
    const change = tenders.reduce((sum, tender) => sum + tender.changeCents, 0)
    return change > 0
      ? [beside(say('change'), money(change)), centred(say('display-thanks'))]
      : [beside(say('total'), money(totals.totalCents)), centred(say('display-thanks'))]
  }
  const tender = tenders.at(-1)
  if (tender) {
    const name = TENDER_TYPES[tender.kind].displayName(words)
    return [beside(name, money(tender.amountCents)), beside(say('display-amount-due'), money(totals.dueCents))]
  }
  const line = sale.lines.findLast(({ voided }) => !voided)
  if (!line) return null
  const item = nameIn(line.name, locale)
  const name = line.quantity === 1 ? item : `${line.quantity} ${item}`
  return [beside(name, amount(line.amountCents)), beside(say('total'), money(totals.totalCents))]
}

/** While nothing is rung. A name that is too long ends with a whole word. */
export const welcomeLines = (storeName: string, locale: Locale): CustomerLinesText => [
  centred(wholeWords(plainText(storeName))),
  centred(receiptWords(locale).say('display-welcome')),
]

/** The amount stays whole; the words give way. */
function beside(left: string, right: string): string {
  const room = COLUMNS - columnsOf(right) - 1
  const words = [...plainText(left)].slice(0, Math.max(0, room)).join('').trimEnd()
  return words + ' '.repeat(Math.max(1, COLUMNS - columnsOf(words) - columnsOf(right))) + right
}

function wholeWords(text: string): string {
  if (columnsOf(text) <= COLUMNS) return text
  const end = text.lastIndexOf(' ', COLUMNS)
  return end > 0 ? text.slice(0, end) : text
}

function centred(text: string): string {
  const cut = [...text].slice(0, COLUMNS).join('').trimEnd()
  return ' '.repeat(Math.floor((COLUMNS - columnsOf(cut)) / 2)) + cut
}
