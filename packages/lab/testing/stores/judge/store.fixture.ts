import type { Books } from './books.ts'
import type { PrintedDocument } from './documents.ts'

const PERSON = { id: 'sam', name: 'Sam Okafor' }
const NAMES = { 'en-CA': 'Coffee', 'fr-CA': 'Café' }
export const STREAM = { '01': 'a'.repeat(32), '02': 'b'.repeat(32) }
type LaneId = keyof typeof STREAM
type Sale = Books['sales'][number]
type Tender = Sale['tenders'][number]

export const tender = (fields: Partial<Tender> & Pick<Tender, 'kind' | 'amountCents'>): Tender => ({
  number: 1,
  roundingCents: 0,
  tenderedCents: fields.amountCents,
  changeCents: 0,
  reference: null,
  operationId: null,
  voucherId: null,
  voucherBalanceCents: null,
  takesBack: null,
  at: 1,
  ...fields,
})
const goods = { sku: '1010', names: NAMES, taxCategory: 'zero-rated', departmentId: 'grocery', categoryId: null }

export function sale(id: string, lane: LaneId, tenders: readonly Tender[], fields: Partial<Sale> = {}): Sale {
  const totalCents = tenders.reduce((sum, { amountCents }) => sum + amountCents, 0)
  return {
    id,
    lane,
    sequence: 1,
    version: 1,
    state: 'completed',
    cashier: PERSON,
    openedAt: 1,
    closedAt: 2,
    memberLast4: null,
    memberEntryMode: null,
    note: null,
    exemption: null,
    ageChecked: null,
    taxes: [],
    totals: { totalCents },
    totalCents,
    shiftId: 1,
    lines: [
      {
        ...goods,
        number: 1,
        quantity: 2,
        unitPriceCents: 500,
        regularPriceCents: null,
        note: null,
        minimumAge: null,
        voided: 0,
      },
    ],
    discounts: [],
    tenders: [...tenders],
    redemption: null,
    issuance: null,
    offers: [],
    ...fields,
  }
}
export const returned = (id: string, lane: LaneId, saleId: string): Books['returns'][number] => ({
  id,
  lane,
  sequence: 2,
  saleId,
  claimId: null,
  cashier: PERSON,
  approvedBy: null,
  reason: null,
  at: 3,
  subtotalCents: 500,
  taxes: [],
  totalCents: 500,
  shiftId: 1,
  lines: [{ ...goods, number: 1, saleLineNumber: 1, quantity: 1, unitPriceCents: 500, discountCents: 0 }],
  refunds: [
    {
      number: 1,
      kind: 'cash',
      paidBy: 'cash',
      amountCents: 500,
      roundingCents: 0,
      reference: null,
      operationId: null,
      voucherId: null,
    },
  ],
})
export const move = (kind: string, lane: LaneId, at: number, amountCents: number, saleId: string) => ({
  codeHash: 'c'.repeat(64),
  last4: 'WXYZ',
  kind,
  lane,
  at,
  amountCents,
  saleId,
})
const sumsOf = (all: readonly { readonly totalCents: number }[]) => ({
  count: all.length,
  totalCents: all.reduce((total, { totalCents }) => total + totalCents, 0),
})
function zOf(lane: LaneId, sales: readonly Sale[], returns: Books['returns']): Books['zs'][number] {
  const [sold, back] = [sumsOf(sales), sumsOf(returns)]
  const [paid, refunded] = [sales.flatMap(({ tenders }) => tenders), returns.flatMap(({ refunds }) => refunds)]
  const kinds = [...new Set([...paid, ...refunded].map(({ kind }) => kind))]
  return {
    lane,
    number: 1,
    shifts: [{ id: 1 }],
    totals: {
      sales: sold,
      returns: back,
      tenders: kinds.map((kind) => ({ kind, netCents: sum(paid, kind) - sum(refunded, kind) })),
    },
    grandTotals: {
      sales: sold.count,
      salesCents: sold.totalCents,
      returns: back.count,
      returnsCents: back.totalCents,
    },
  }
}
const sum = (all: readonly { kind: string; amountCents: number }[], kind: string): number =>
  all.reduce((total, one) => total + (one.kind === kind ? one.amountCents : 0), 0)

/**
 * The books of a store of two lanes: a gift card sold at lane 01 pays a portion at lane 02, goods sold at 01 are
 * returned at 02, a sale was held, and miles paid a portion. `change` replaces records.
 */
export function store(change: Partial<Pick<Books, 'sales' | 'returns' | 'vouchers'>> = {}): Books {
  const sales = change.sales ?? [
    sale('SOLD', '01', [tender({ kind: 'cash', amountCents: 1_000 })], { note: 'held 1' }),
    sale('CARD', '01', [tender({ kind: 'cash', amountCents: 2_000 })]),
    sale('PAID', '02', [
      tender({ kind: 'gift-card', amountCents: 1_500, voucherId: 'V' }),
      tender({ kind: 'miles', amountCents: 1_000, operationId: 'O' }),
    ]),
  ]
  const returns = change.returns ?? [returned('BACK', '02', 'SOLD')]
  const vouchers = change.vouchers ?? [move('issued', '01', 1, 2_000, 'CARD'), move('redeemed', '02', 2, 1_500, 'PAID')]
  const facts = [
    ...sales.map(({ id, lane }) => ({ lane, kind: 'sale', subject: id })),
    ...returns.map(({ id, lane }) => ({ lane, kind: 'return', subject: id })),
  ].map((fact, index) => ({ ...fact, seq: index + 1 }))
  const at = <One extends { lane: string }>(all: readonly One[], lane: string): One[] =>
    all.filter((one) => one.lane === lane)
  return {
    streams: [{ name: STREAM['01'], lane: '01', applied: 2, seqs: [1, 2] }],
    quarantined: [],
    violations: [],
    facts,
    sales,
    returns,
    vouchers,
    zs: (['01', '02'] as const).map((lane) => zOf(lane, at(sales, lane), at(returns, lane))),
    operations: new Map([['O', OPERATION]]),
  }
}
const OPERATION = {
  id: 'O',
  kind: 'redemption',
  type: 'redeem',
  saleId: 'PAID',
  state: 'approved',
  createdAt: 1,
  changedAt: 1,
  approvedOnAttempt: 1,
  units: 1,
  amountCents: 1_000,
  miles: 95,
  pendingMiles: null,
  rejectedMiles: null,
  confirmationNumber: '1',
  transDateTime: null,
  responseCode: null,
  outcome: null,
  found: null,
  transactionId: null,
  entries: [],
  approval: null,
}

export function printedDocuments(books: Books): PrintedDocument[] {
  const paper = { isCopy: false }
  return [
    ...books.sales.map(({ id, lane, totalCents }) => ({ ...paper, lane, kind: 'sale' as const, id, totalCents })),
    ...books.returns.map(({ id, lane, saleId: ofSale, totalCents }) => ({
      ...paper,
      lane,
      kind: 'return' as const,
      id,
      ofSale,
      totalCents,
    })),
    ...books.vouchers.flatMap(({ kind, lane, amountCents: valueCents }) =>
      kind === 'issued' ? [{ ...paper, lane, kind: 'voucher' as const, code: 'ABCDWXYZ', valueCents }] : [],
    ),
    ...books.zs.map(({ lane, number, totals: { sales, returns } }) => ({
      ...paper,
      lane,
      kind: 'z' as const,
      number,
      sales,
      returns,
    })),
  ]
}
