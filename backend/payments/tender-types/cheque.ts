import type { TenderType } from './type.ts'

/** A cheque is refunded as store credit, never cash, because the bank may still refuse the cheque. */
export const cheque: TenderType = {
  opensDrawer: true,
  pool: 'cheque',
  goesBack: { kind: 'store-credit', why: 'paid-by-cheque' },
  displayName: ({ say }) => say('cheque'),
  receiptRows: ({ amountCents, reference }, _context, { say, money }, paper) => [
    ...paper.row(say('cheque'), money(amountCents)),
    ...(reference ? paper.detail(say('cheque-number'), reference) : []),
  ],
  givenBackRows: ({ tender: { amountCents, reference } }, { say, money }, paper) => [
    ...paper.row(say('cheque-back'), money(amountCents)),
    ...(reference ? paper.detail(say('cheque-number'), reference) : []),
  ],
}
