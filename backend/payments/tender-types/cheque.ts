import type { TenderType } from './type.ts'

/** A cheque is refunded as store credit, never cash, because the bank may still refuse the cheque. */
export const cheque: TenderType = {
  opensDrawer: true,
  pool: 'cheque',
  goesBack: { kind: 'store-credit', why: 'paid-by-cheque' },
  displayName: ({ t }) => t('cheque'),
  receiptRows: ({ amountCents, reference }, _context, { t, money }, paper) => [
    ...paper.row(t('cheque'), money(amountCents)),
    ...(reference ? paper.detail(t('cheque-number'), reference) : []),
  ],
  givenBackRows: ({ tender: { amountCents, reference } }, { t, money }, paper) => [
    ...paper.row(t('cheque-back'), money(amountCents)),
    ...(reference ? paper.detail(t('cheque-number'), reference) : []),
  ],
}
