import type { ReceiptBlock } from '../../../contracts/receipt.ts'
import type { ReceiptCard } from '../../../contracts/tenders/card-terminal.ts'
import type { ReceiptWords } from '../receipt-words.ts'
import type { Paper } from '../receipt-layout.ts'
import type { TenderType } from './type.ts'

/** A card that the lane's own terminal read. Goods bring it back to the same card. */
export const cardTerminal: TenderType = {
  wire: 'CREDIT',
  opensDrawer: false,
  pool: 'card-terminal',
  goesBack: { kind: 'card-terminal', why: 'paid-by-card-terminal' },
  displayName: ({ say }) => say('card'),
  receiptRows: ({ amountCents, card }, _context, words, paper) => [
    ...paper.row(words.say('card'), words.money(amountCents)),
    ...(card ? cardRows(card, words, paper) : []),
  ],
  givenBackRows: ({ tender: { amountCents, card } }, words, paper) => [
    ...paper.row(words.say('refund-card'), words.money(amountCents)),
    ...(card ? cardRows(card, words, paper) : []),
  ],
}

function cardRows({ scheme, lastFour, authorisationCode, lines }: ReceiptCard, words: ReceiptWords, paper: Paper) {
  const name = [scheme, lastFour === null ? null : `•••• ${lastFour}`].filter((part) => part !== null).join(' ')
  return [
    ...(name === '' ? [] : paper.detail(words.say('card-used'), name)),
    ...(authorisationCode === null ? [] : paper.detail(words.say('card-authorisation'), authorisationCode)),
    ...lines.flatMap(({ text, value }): ReceiptBlock[] =>
      value === null ? paper.detail(text, '') : paper.detail(text, value),
    ),
  ]
}
