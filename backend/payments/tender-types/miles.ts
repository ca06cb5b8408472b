import type { TenderType } from './type.ts'

export const miles: TenderType = {
  // Miles are named as a tender only in RECORD, by the name in the store's profile (specification 3 §4.3).
  opensDrawer: false,
  pool: 'miles',
  goesBack: { kind: 'miles', why: 'miles-whole' },
  displayName: ({ say }) => say('display-miles'),
  receiptRows: (tender, { redemption }, words, paper) => {
    const { say, money } = words
    const confirmation = redemption?.confirmationNumber || tender.reference
    return [
      ...paper.row(say('paid-with-miles'), money(tender.amountCents)),
      ...(redemption
        ? paper.detail(say('redeemed-units', { count: redemption.units, miles: words.miles(redemption.miles) }), '')
        : []),
      ...(confirmation ? paper.detail(say('confirmation'), confirmation, { bold: true }) : []),
    ]
  },
  givenBackRows: ({ tender: { amountCents, reference }, tooLate }, { say, money }, paper) => [
    ...paper.row(say(tooLate ? 'refund-store-credit' : 'refund-miles'), money(amountCents)),
    ...(reference ? paper.detail(say('confirmation'), reference) : []),
    ...paper.text(say(tooLate ? 'payment-back-too-late' : 'payment-back-miles'), 'left'),
  ],
}
