import type { TenderType } from './type.ts'

export const cash: TenderType = {
  wire: 'CASH',
  opensDrawer: true,
  pool: 'cash',
  goesBack: { kind: 'cash', why: 'paid-in-cash' },
  displayName: ({ say }) => say('cash'),
  receiptRows: (tender, { tenders }, { say, money }, paper) => [
    ...(tender.roundingCents === 0 ? [] : paper.row(say('cash-rounding'), money(tender.roundingCents))),
    ...paper.row(say('cash'), money(tender.tenderedCents)),
    // One change for the customer: a row of nothing after an earlier payment would read as another.
    ...(tender.changeCents !== 0 || tender === tenders.findLast(({ kind }) => kind === 'cash')
      ? paper.row(say('change'), money(tender.changeCents), { bold: true })
      : []),
  ],
  // As it lay in the drawer: rounded, and without the change.
  givenBackRows: ({ tender }, { say, money }, paper) =>
    paper.row(say('refund-cash'), money(tender.tenderedCents - tender.changeCents), { bold: true }),
}
