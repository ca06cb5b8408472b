import type { TenderType } from './type.ts'

export const card: TenderType = {
  wire: 'CREDIT',
  opensDrawer: false,
  pool: 'card',
  goesBack: { kind: 'card', why: 'paid-by-card' },
  displayName: ({ say }) => say('card'),
  receiptRows: ({ amountCents, reference }, _context, { say, money }, paper) => [
    ...paper.row(say('card'), money(amountCents)),
    ...(reference ? paper.detail(say('card-reference'), reference) : []),
  ],
  givenBackRows: ({ tender: { amountCents, reference } }, { say, money }, paper) => [
    ...paper.row(say('refund-card'), money(amountCents)),
    ...(reference ? paper.detail(say('card-reference'), reference) : []),
  ],
}
