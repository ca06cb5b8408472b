import { GIFT_CARD_DEPARTMENT, GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import type { Fact } from '../../../contracts/store/protocol.ts'

export const PRICE = 1_000

const TENDER = {
  number: 1,
  kind: 'cash',
  amountCents: 0,
  roundingCents: 0,
  tenderedCents: 0,
  changeCents: 0,
  reference: null,
  operationId: null,
  voucherId: null,
  voucherBalanceCents: null,
  takesBack: null,
  at: 1,
}
const LINE = {
  number: 1,
  sku: '1',
  names: { 'en-CA': 'Tea', 'fr-CA': 'Thé' },
  quantity: 1,
  unitPriceCents: PRICE,
  regularPriceCents: null,
  taxCategory: 'zero-rated',
  departmentId: 'D',
  categoryId: null,
  note: null,
  minimumAge: null,
  voided: 0,
}

/** Fact of a sale with one line at ten dollars per piece: `cardCents` is paid by card, and the rest in cash. */
export const saleBody = (id: string, pieces: number, cardCents: number): Fact['body'] => {
  const tender = (number: number, kind: string, amountCents: number) => ({
    ...TENDER,
    number,
    kind,
    amountCents,
    tenderedCents: amountCents,
  })
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
    lines: [{ ...LINE, quantity: pieces }],
    discounts: [],
    tenders: [tender(1, 'card', cardCents), tender(2, 'cash', pieces * PRICE - cardCents)],
  }
}

export function giftCardSaleBody(id: string, amountCents: number): Fact['body'] {
  const sums = { grossCents: amountCents, discountCents: 0, netCents: amountCents, totalCents: amountCents, taxes: [] }
  const names = { 'en-CA': 'Gift card', 'fr-CA': 'Carte-cadeau' }
  return {
    ...saleBody(id, 1, 0),
    totals: sums,
    lines: [{ ...LINE, sku: GIFT_CARD_SKU, names, unitPriceCents: amountCents, departmentId: GIFT_CARD_DEPARTMENT }],
    tenders: [{ ...TENDER, amountCents, tenderedCents: amountCents }],
  }
}

/** Fact of a return as store credit for the part paid by card. `claimId`: the store's reservation. */
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

export function zBody(
  lane: string,
  number: number,
  atMs: number,
  totalCents: number,
  differences: readonly number[],
): Fact['body'] {
  const at = new Date(atMs).toJSON()
  const nothing = { count: 0, grossCents: 0, discountCents: 0, netCents: 0, taxes: [], totalCents: 0 }
  const counts = { cancelled: 0, voidedLines: 0, priceChanges: 0, discounts: 0, copies: 0 }
  const totals = {
    ...counts,
    sales: { ...nothing, totalCents, firstId: null, lastId: null },
    returns: nothing,
    departments: [],
    tenders: [],
    openSales: { beforeCents: 0, afterCents: 0 },
    movements: [],
    miles: { redeemed: 0, redeemedCents: 0, issued: 0, unsent: 0, undecided: 0 },
  }
  const drawer = { drawerOf: null, openedAt: at, closedAt: at, closedBy: 'sam', reason: null }
  const money = { floatCents: 0, expectedCents: 0, countedCents: 0, broughtCents: 0, toSafeCents: 0 }
  const shifts = differences.map((differenceCents, index) => ({ id: index + 1, ...drawer, ...money, differenceCents }))
  const staff = { id: 'sam', name: 'Sam Okafor' }
  const heads = { journal: { seq: 0, hash: '' }, audit: { seq: 0, hash: '' } }
  const grandTotals = { sales: 0, salesCents: 0, returns: 0, returnsCents: 0 }
  const made = { number, lane, storeName: 'Store', at, from: null, closedBy: staff }
  return { number, at: atMs, staff, report: { ...made, shifts, totals, grandTotals, ...heads } }
}

export const operationBody = (id: string, saleId: string, state: string): Fact['body'] => ({
  id,
  kind: 'redemption',
  type: 'redeem',
  saleId,
  state,
  createdAt: 1,
  changedAt: 2,
  approvedOnAttempt: 1,
  units: 1,
  amountCents: 1_000,
  miles: 95,
  pendingMiles: null,
  rejectedMiles: null,
  confirmationNumber: 'C1',
  transDateTime: null,
  responseCode: null,
  outcome: null,
  found: null,
  approval: null,
})

export const entryBody = (
  codeHash: string,
  kind: string,
  amountCents: number,
  source: { saleId?: string; returnId?: string; operationId?: string },
): Fact['body'] => ({
  id: 1,
  voucherId: 'V1',
  voucherKind: 'gift-card',
  last4: 'ABCD',
  codeHash,
  at: 1,
  kind,
  amountCents,
  returnId: null,
  operationId: null,
  saleId: null,
  ...source,
})
