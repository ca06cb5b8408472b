import { ReturnReason, type Refund, type SaleReturn } from '../../contracts/api/returns.ts'
import { maskCollectorNumber } from '../../contracts/ids.ts'
import type { Locale } from '../../contracts/locales.ts'
import type { Profile } from '../../contracts/profile.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../contracts/receipt.ts'
import { paperOf, type Paper } from './receipt-layout.ts'
import { receiptWords, type ReceiptWords } from './receipt-words.ts'
import { basket, copyMark, header, trainingMark, type Copy } from './receipt.ts'
import type { StoreTax } from './tax.ts'

/** What every paper says of where and when it was printed. */
export interface DocumentFacts {
  readonly profile: Pick<Profile, 'mode' | 'store' | 'receipt' | 'timeZone'>
  readonly locale: Locale
  readonly lane: string
  readonly cashierName: string
  /** Epoch ms. */
  readonly at: number
  readonly copy: Copy
}

export interface ReturnReceiptFacts extends DocumentFacts {
  readonly returned: SaleReturn
  readonly taxes: readonly StoreTax[]
  /** Of the collector whose miles are taken back; null when there are none to take. */
  readonly last4: string | null
}

export const COLUMNS = 42
const rule: ReceiptBlock = { kind: 'rule' }
const space: ReceiptBlock = { kind: 'space' }

/** The paper of a return: what came back and in which form the money went. Its barcode is the return's own id. */
export function composeReturnReceipt(facts: ReturnReceiptFacts): ReceiptDocument {
  const words = receiptWords(facts.locale)
  const paper = paperOf(COLUMNS)
  const { say, money } = words
  const { returned } = facts
  return {
    locale: facts.locale,
    title: `${say('return-title')} ${returned.id}`,
    blocks: [
      ...top('return-heading', facts, words, paper),
      ...paper.text(
        returned.saleId === null ? say('return-without-record') : say('return-of', { id: returned.saleId }),
        'left',
      ),
      ...(returned.reason === null
        ? []
        : paper.text(say('return-reason', { reason: reasonWords(returned.reason, words) }), 'left')),
      rule,
      ...basket(
        { lines: returned.lines, totals: returned.totals, taxes: facts.taxes, locale: facts.locale },
        words,
        paper,
      ),
      rule,
      ...paper.row(say('return-total'), money(returned.totals.totalCents), { bold: true, size: 'large' }),
      space,
      ...returned.refunds.flatMap((refund) => refundRows(refund, words, paper)),
      ...(facts.last4 === null
        ? []
        : [
            rule,
            ...paper.row(say('collector'), maskCollectorNumber(facts.last4)),
            ...paper.text(say('miles-taken-back'), 'left'),
          ]),
      ...bottom(returned.id, facts, words, paper),
    ],
  }
}

/** The head of a paper that is not a sale's. */
export function top(
  heading:
    | 'return-heading'
    | 'store-credit-heading'
    | 'gift-card-heading'
    | 'gift-heading'
    | 'payment-back-heading'
    | 'movement-heading'
    | 'shift-heading'
    | 'x-heading'
    | 'z-heading'
    | 'closing-day'
    | 'closing-month'
    | 'history-heading',
  facts: DocumentFacts,
  words: ReceiptWords,
  paper: Paper,
): ReceiptBlock[] {
  const { say } = words
  return [
    ...header(facts, words, paper),
    ...trainingMark(facts, words, paper),
    ...copyMark(facts, words, paper),
    space,
    ...paper.text(say(heading), 'center', { bold: true, size: 'large' }),
    space,
    ...paper.row(words.dateTime(facts.at, facts.profile.timeZone), say('lane', { lane: facts.lane })),
    ...paper.text(say('cashier', { name: facts.cashierName }), 'left'),
  ]
}

/** Its end, with the barcode. */
export const bottom = (barcode: string, facts: DocumentFacts, words: ReceiptWords, paper: Paper): ReceiptBlock[] => [
  ...trainingMark(facts, words, paper),
  space,
  { kind: 'barcode', symbology: 'code128', data: barcode },
]

/** A reason of the list in the customer's language; what a manager wrote as it was written. */
function reasonWords(reason: string, { say }: ReceiptWords): string {
  const listed = ReturnReason.safeParse(reason)
  return listed.success ? say(`return-reason-${listed.data}`) : reason
}

function refundRows(
  { kind, amountCents, roundingCents, reference }: Refund,
  { say, money }: ReceiptWords,
  paper: Paper,
): ReceiptBlock[] {
  const row = (label: string, value: string): ReceiptBlock[] => paper.row(label, value)
  switch (kind) {
    case 'card':
      return [
        ...row(say('refund-card'), money(amountCents)),
        ...(reference ? paper.detail(say('card-reference'), reference) : []),
      ]
    case 'card-terminal':
      return row(say('refund-card'), money(amountCents))
    case 'cash':
      return [
        ...(roundingCents === 0 ? [] : row(say('cash-rounding'), money(roundingCents))),
        ...paper.row(say('refund-cash'), money(amountCents + roundingCents), { bold: true }),
      ]
    case 'miles':
      return [
        ...row(say('refund-miles'), money(amountCents)),
        ...(reference ? paper.detail(say('confirmation'), reference) : []),
      ]
    case 'store-credit':
      return [
        ...row(say('refund-store-credit'), money(amountCents)),
        ...(reference ? paper.detail(say('voucher-code'), `•••• ${reference}`) : []),
      ]
  }
}
