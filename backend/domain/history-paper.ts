import type { MemberTransaction } from '../../contracts/api/member-history.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../contracts/receipt.ts'
import { paperOf, type Paper } from './receipt-layout.ts'
import { receiptWords, type ReceiptWords } from './receipt-words.ts'
import { top, type DocumentFacts } from './return-receipt.ts'

export interface HistoryPaperFacts extends DocumentFacts {
  readonly columns: number
  readonly transactions: readonly MemberTransaction[]
}

/**
 * The last transactions of a member, for the member. It names nobody and has no balance (specification 3 §4.5 rule 4);
 * it has no barcode, since nothing can be found by it.
 */
export function composeHistory(facts: HistoryPaperFacts): ReceiptDocument {
  const words = receiptWords(facts.locale)
  const paper = paperOf(facts.columns)
  const { say } = words
  return {
    locale: facts.locale,
    title: say('history-title'),
    blocks: [
      ...top('history-heading', facts, words, paper),
      ...facts.transactions.flatMap((transaction) => [
        { kind: 'rule' } as const,
        ...rowsOf(transaction, facts, words, paper),
      ]),
      { kind: 'rule' },
      ...paper.text(say('history-hint'), 'center'),
    ],
  }
}

function rowsOf(
  { at, description, offer, activity, sponsor, miles }: MemberTransaction,
  { profile }: HistoryPaperFacts,
  words: ReceiptWords,
  paper: Paper,
): ReceiptBlock[] {
  const { say } = words
  const what = activity === null ? null : say(`history-activity-${activity}`)
  return [
    ...paper.row(
      at === null ? say('history-no-date') : words.dateTime(Date.parse(at), profile.timeZone),
      miles === null ? '' : words.miles(miles),
      { bold: true },
    ),
    ...[sponsor?.name, description ?? what, offer, description === null ? null : what].flatMap((text) =>
      text ? paper.text(text, 'left') : [],
    ),
  ]
}
