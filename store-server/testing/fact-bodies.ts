import type { Fact } from '../../contracts/store/protocol.ts'

/** Of each piece, in cents. */
export const PRICE = 1_000

/** A sale of so many pieces of one line at ten dollars, paid by card and then in cash. */
export const saleBody = (id: string, pieces: number, cardCents: number): Fact['body'] => {
  const tender = (number: number, kind: string, amountCents: number) => ({
    number,
    kind,
    amountCents,
    roundingCents: 0,
    tenderedCents: amountCents,
    changeCents: 0,
    reference: null,
    operationId: null,
    voucherId: null,
    voucherBalanceCents: null,
    takesBack: null,
    at: 1,
  })
  const line = {
    number: 1,
    sku: '1',
    names: { 'en-CA': 'Tea', 'fr-CA': 'Thé' },
    quantity: pieces,
    unitPriceCents: PRICE,
    regularPriceCents: null,
    taxCategory: 'zero-rated',
    departmentId: 'D',
    categoryId: null,
    note: null,
    minimumAge: null,
    voided: 0,
  }
  return {
    id,
    sequence: 1,
    version: 1,
    state: 'completed',
    cashier: { id: 'alex', name: 'Alex' },
    openedAt: 1,
    closedAt: 1,
    memberLast4: null,
    memberEntryMode: null,
    note: null,
    exemption: null,
    ageChecked: null,
    taxes: [],
    totals: {
      grossCents: pieces * PRICE,
      discountCents: 0,
      netCents: pieces * PRICE,
      totalCents: pieces * PRICE,
      taxes: [],
    },
    shiftId: 1,
    lines: [line],
    discounts: [],
    tenders: [tender(1, 'card', cardCents), tender(2, 'cash', pieces * PRICE - cardCents)],
  }
}

/** So many pieces of it come back as store credit for the card; `claimId`: what was asked of the store for it. */
export const returnBody = (id: string, saleId: string, claimId: string | null, pieces: number): Fact['body'] => ({
  id,
  sequence: 1,
  saleId,
  claimId,
  cashier: { id: 'alex', name: 'Alex' },
  approvedBy: null,
  reason: null,
  at: 2,
  subtotalCents: pieces * PRICE,
  taxes: [],
  totalCents: pieces * PRICE,
  shiftId: 1,
  lines: [
    {
      number: 1,
      saleLineNumber: 1,
      sku: '1',
      names: { 'en-CA': 'Tea', 'fr-CA': 'Thé' },
      quantity: pieces,
      unitPriceCents: PRICE,
      discountCents: 0,
      taxCategory: 'zero-rated',
      departmentId: 'D',
      categoryId: null,
    },
  ],
  refunds: [
    {
      number: 1,
      kind: 'store-credit',
      paidBy: 'card',
      amountCents: pieces * PRICE,
      roundingCents: 0,
      reference: null,
      operationId: null,
      voucherId: null,
    },
  ],
})
