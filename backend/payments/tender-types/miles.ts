import type { TenderType } from './type.ts'

export const miles: TenderType = {
  // Miles are named as a tender only in RECORD, by the name in the store's profile (specification 3 §4.3).
  opensDrawer: false,
  pool: 'miles',
  goesBack: { kind: 'miles', why: 'miles-whole' },
  displayName: ({ t }) => t('display-miles'),
  receiptRows: (tender, { redemption }, words, paper) => {
    const { t, money } = words
    const confirmation = redemption?.confirmationNumber || tender.reference
    return [
      ...paper.row(t('paid-with-miles'), money(tender.amountCents)),
      ...(redemption
        ? paper.detail(t('redeemed-units', { count: redemption.units, miles: words.miles(redemption.miles) }), '')
        : []),
      ...(confirmation ? paper.detail(t('confirmation'), confirmation, { bold: true }) : []),
    ]
  },
  givenBackRows: ({ tender: { amountCents, reference }, tooLate }, { t, money }, paper) => [
    ...paper.row(t(tooLate ? 'refund-store-credit' : 'refund-miles'), money(amountCents)),
    ...(reference ? paper.detail(t('confirmation'), reference) : []),
    ...paper.text(t(tooLate ? 'payment-back-too-late' : 'payment-back-miles'), 'left'),
  ],
}
