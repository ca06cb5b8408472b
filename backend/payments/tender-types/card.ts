import type { TenderType } from './type.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import type { CardReceiptLine, ReceiptCard } from '../../../contracts/payments/tenders/card-terminal.ts'
import type { Paper, ReceiptTexts } from '../../core/paper/layout.ts'

export const card: TenderType = {
  opensDrawer: false,
  pool: 'card',
  goesBack: { kind: 'card', why: 'paid-by-card' },
  displayName: ({ t }) => t('card'),
  receiptRows: ({ amountCents, reference }, _context, { t, money }, paper) => [
    ...paper.row(t('card'), money(amountCents)),
    ...(reference ? paper.detail(t('card-reference'), reference) : []),
  ],
  givenBackRows: ({ tender: { amountCents, reference } }, { t, money }, paper) => [
    ...paper.row(t('refund-card'), money(amountCents)),
    ...(reference ? paper.detail(t('card-reference'), reference) : []),
  ],
}

/** A payment by the card terminal that is connected to the lane. Refunds go to the same card. */
export const cardTerminal: TenderType = {
  opensDrawer: false,
  pool: 'card-terminal',
  goesBack: { kind: 'card-terminal', why: 'paid-by-card-terminal' },
  displayName: ({ t }) => t('card'),
  receiptRows: ({ amountCents, card }, _context, words, paper) => [
    ...paper.row(words.t('card'), words.money(amountCents)),
    ...(card ? cardRows(card, words, paper) : []),
  ],
  givenBackRows: ({ tender: { amountCents, card } }, words, paper) => [
    ...paper.row(words.t('refund-card'), words.money(amountCents)),
    ...(card ? cardRows(card, words, paper) : []),
  ],
}

function cardRows(
  { scheme, lastFour, entryMode, authorisationCode, lines }: ReceiptCard,
  words: ReceiptTexts,
  paper: Paper,
): ReceiptBlock[] {
  const { t } = words
  const name = [scheme, lastFour === null ? null : `•••• ${lastFour}`].filter((part) => part !== null).join(' ')
  return [
    ...(name === '' ? [] : paper.detail(t('card-used'), name)),
    ...(entryMode === null ? [] : paper.detail(t('card-entry'), t(`card-entry-${entryMode}`))),
    ...(authorisationCode === null ? [] : paper.detail(t('card-authorisation'), authorisationCode)),
    ...lines.flatMap((line) => terminalLine(line, words, paper)),
  ]
}

/**
 * Keys of the card terminal's receipt lines that are not printed: the lane prints their data itself, in the language of
 * the receipt, or does not need them.
 */
const PRINTED_ABOVE = new Set([
  'title',
  'cardholderHeader',
  'filler',
  'pan',
  'cardType',
  'paymentMethod',
  'paymentMethodVariant',
  'posEntryMode',
  'authCode',
  'totalAmount',
])
/**
 * Matches a money amount in a line of the card terminal. Such a line is not printed: its amount may differ from the
 * charge, e.g. after a partial approval.
 */
const AMOUNT = /\d[.,]\d\d\b/
const LABELS = { txRef: 'card-transaction', mid: 'card-merchant', tid: 'card-terminal-id' } as const
const isLabelled = (key: string | null): key is keyof typeof LABELS => key !== null && Object.hasOwn(LABELS, key)

function terminalLine({ key, text, value }: CardReceiptLine, { t }: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  if ((key !== null && PRINTED_ABOVE.has(key)) || AMOUNT.test(`${text} ${value ?? ''}`)) return []
  if (key === 'approved') return paper.detail(t('card-approved'), '')
  return paper.detail(isLabelled(key) ? t(LABELS[key]) : text, value ?? '')
}
