import { describe, expect, test } from 'vitest'
import type { Books } from './books.ts'
import type { Rule } from './finding.ts'
import { judge } from './judge.ts'
import { parseDocument, type PrintedDocument } from './documents.ts'
import { move, printedDocuments, returned, sale, store, STREAM, tender } from './store.fixture.ts'

const SOUND = store()
const rulesOf = (books: Books, papers: readonly PrintedDocument[]): Rule[] =>
  judge(books, papers).map(({ rule }) => rule)
const but = (id: string, change: (sale: Books['sales'][number]) => Books['sales'][number]) =>
  SOUND.sales.map((one) => (one.id === id ? change(one) : one))

interface Faulty {
  readonly books: Books
  readonly printed?: Books
}

test('the judge finds no error in a store without losses', () => {
  expect(judge(SOUND, printedDocuments(SOUND))).toEqual([])
})

describe('the judge, which compares the books of a store with the printed documents,', () => {
  const faults: readonly (readonly [string, Faulty, Rule])[] = [
    ['a missing sale', { books: { ...SOUND, sales: SOUND.sales.slice(1) }, printed: SOUND }, 'printed-in-books'],
    [
      'a sale pushed twice',
      { books: { ...SOUND, facts: [...SOUND.facts, ...SOUND.facts.slice(0, 1)] }, printed: SOUND },
      'pushed-once',
    ],
    [
      'a changed amount',
      { books: { ...SOUND, sales: but('SOLD', (one) => ({ ...one, totalCents: 1_001 })) }, printed: SOUND },
      'printed-in-books',
    ],
    [
      'a missing payment',
      { books: { ...SOUND, sales: but('SOLD', (one) => ({ ...one, tenders: [] })) }, printed: SOUND },
      'sale-paid',
    ],
    [
      'a gap in the sequence',
      { books: { ...SOUND, streams: [{ name: STREAM['01'], lane: '01', applied: 3, seqs: [1, 3] }] }, printed: SOUND },
      'no-gaps',
    ],
    [
      'fewer facts than are applied',
      { books: { ...SOUND, streams: [{ name: STREAM['01'], lane: '01', applied: 3, seqs: [1, 2] }] }, printed: SOUND },
      'no-gaps',
    ],
    [
      'a quarantined fact',
      { books: { ...SOUND, quarantined: [{ lane: '01', seq: 1, reason: 'x' }] }, printed: SOUND },
      'none-quarantined',
    ],
    [
      'a row in a view of violations',
      { books: { ...SOUND, violations: ['voucher_wrong: {}'] }, printed: SOUND },
      'violation-views',
    ],
    [
      'a voucher overspent at another lane',
      { books: store({ vouchers: [...SOUND.vouchers, move('redeemed', '01', 3, 501, 'CARD')] }) },
      'voucher',
    ],
    [
      'a voucher spent before it was issued',
      { books: store({ vouchers: SOUND.vouchers.map((one) => (one.kind === 'issued' ? { ...one, at: 9 } : one)) }) },
      'voucher',
    ],
    [
      'a voucher payment without its voucher entry',
      { books: store({ vouchers: SOUND.vouchers.slice(0, 1) }) },
      'voucher',
    ],
    [
      'a voucher that was never printed',
      {
        printed: SOUND,
        books: store({ vouchers: [...SOUND.vouchers, { ...move('issued', '02', 1, 100, 'PAID'), codeHash: 'd' }] }),
      },
      'voucher-printed',
    ],
    [
      'a return made twice',
      { books: store({ returns: [...SOUND.returns, ...[1, 2].map((n) => returned(`BACK${n}`, '01', 'SOLD'))] }) },
      'return-pieces',
    ],
    [
      'a refund above the payment',
      {
        books: store({
          returns: SOUND.returns.map((one) => ({
            ...one,
            totalCents: 1_500,
            refunds: one.refunds.map((refund) => ({ ...refund, amountCents: 1_500 })),
          })),
        }),
      },
      'return-money',
    ],
    [
      'a refund in another form than the payment',
      {
        books: store({
          returns: SOUND.returns.map((one) => ({
            ...one,
            refunds: one.refunds.map((refund) => ({ ...refund, paidBy: 'card' })),
          })),
        }),
      },
      'return-money',
    ],
    ['a return of an unknown sale', { books: store({ returns: [returned('BACK', '02', 'NONE')] }) }, 'return'],
    [
      'a return with another refund total',
      { books: { ...SOUND, returns: SOUND.returns.map((one) => ({ ...one, refunds: [] })) }, printed: SOUND },
      'return',
    ],
    [
      'a held sale resumed twice',
      {
        books: store({
          sales: [
            ...SOUND.sales,
            sale('AGAIN', '02', [tender({ kind: 'cash', amountCents: 1_000 })], { note: 'held 1' }),
          ],
        }),
      },
      'held-once',
    ],
    ['miles without an approval', { books: { ...SOUND, operations: new Map() }, printed: SOUND }, 'miles'],
    [
      'miles used for two payments',
      {
        books: store({
          sales: [
            ...SOUND.sales,
            sale('MORE', '01', [tender({ kind: 'miles', amountCents: 1_000, operationId: 'O' })]),
          ],
        }),
      },
      'miles',
    ],
    [
      'a Z with a wrong total',
      {
        books: {
          ...SOUND,
          zs: SOUND.zs.map((one) => ({
            ...one,
            totals: { ...one.totals, sales: { ...one.totals.sales, totalCents: one.totals.sales.totalCents + 1 } },
          })),
        },
        printed: SOUND,
      },
      'z-sums',
    ],
    [
      'a Z with a wrong payment total',
      {
        books: {
          ...SOUND,
          zs: SOUND.zs.map((one) => ({
            ...one,
            totals: {
              ...one.totals,
              tenders: one.totals.tenders.map((kind) => ({ ...kind, netCents: kind.netCents + 1 })),
            },
          })),
        },
        printed: SOUND,
      },
      'z-sums',
    ],
    [
      'a Z without a payment type',
      {
        books: {
          ...SOUND,
          zs: SOUND.zs.map((one) => ({ ...one, totals: { ...one.totals, tenders: one.totals.tenders.slice(1) } })),
        },
        printed: SOUND,
      },
      'z-sums',
    ],
    [
      'a sale in no Z',
      { books: { ...SOUND, sales: but('SOLD', (one) => ({ ...one, shiftId: 2 })) }, printed: SOUND },
      'z-sums',
    ],
    [
      'a grand total without a sale',
      {
        books: { ...SOUND, zs: SOUND.zs.map((one) => ({ ...one, grandTotals: { ...one.grandTotals, sales: 0 } })) },
        printed: SOUND,
      },
      'z-sums',
    ],
    ['a missing Z', { books: { ...SOUND, zs: SOUND.zs.slice(1) }, printed: SOUND }, 'z-printed'],
    [
      'a gap in the Z numbers',
      { books: { ...SOUND, zs: SOUND.zs.map((one) => ({ ...one, number: 2 })) }, printed: SOUND },
      'z-numbers',
    ],
  ]
  test.each(faults)('finds %s in the books', (_name, { books, printed = books }, rule) => {
    expect(rulesOf(books, printedDocuments(printed))).toContain(rule)
  })

  const papers = printedDocuments(SOUND)
  test.each<[string, PrintedDocument[], Rule]>([
    ['a sale that was not printed', papers.slice(1), 'sale-printed'],
    [
      'a receipt without a sale',
      [...papers, { kind: 'sale', lane: '01', isCopy: false, id: 'GHOST', totalCents: 1 }],
      'printed-in-books',
    ],
    ['a receipt printed twice as an original', [...papers, ...papers.slice(0, 1)], 'one-original'],
    [
      'a printed voucher that was never issued',
      [...papers, { kind: 'voucher', lane: '02', isCopy: false, code: 'ABCDEFGH', valueCents: 100 }],
      'voucher-printed',
    ],
    [
      'a gift card printed twice as an original',
      [...papers, ...papers.filter(({ kind }) => kind === 'voucher')],
      'one-original',
    ],
    ['a Z that was not printed', papers.filter(({ kind }) => kind !== 'z'), 'z-printed'],
    [
      'a printed Z with a wrong total',
      papers.map((one) => (one.kind === 'z' ? { ...one, sales: { ...one.sales, totalCents: 1 } } : one)),
      'z-printed',
    ],
  ])('finds %s among the printed documents', (_name, printed, rule) => {
    expect(rulesOf(SOUND, printed)).toContain(rule)
  })

  test('finds no error in the copy of a document', () => {
    expect(judge(SOUND, [...papers, ...papers.map((one) => ({ ...one, isCopy: true }))])).toEqual([])
  })
})

describe('the reader of printed documents', () => {
  test('parses a receipt with a total above a thousand dollars, and its copy', () => {
    const text = 'Subtotal   1,049.97\nTOTAL       $1,052.57\n\nCash   $1,052.55\n[Code 128: N10101000000014E3N]\n'
    expect(parseDocument('01', text)).toEqual({
      lane: '01',
      isCopy: false,
      kind: 'sale',
      id: 'N10101000000014E3N',
      totalCents: 105_257,
    })
    expect(parseDocument('01', `      COPY 1\n${text}`)).toMatchObject({ isCopy: true, kind: 'sale' })
  })
  test('parses a Z report with separate totals of sales and returns', () => {
    const text =
      '      Z REPORT\n\n         Z 12\nSales (1,657)\nTOTAL   $91.55\nReturns (1)\nSubtotal  $1.00\nTOTAL   $14.99\n'
    expect(parseDocument('02', text)).toMatchObject({
      kind: 'z',
      number: 12,
      sales: { count: 1_657, totalCents: 9_155 },
      returns: { count: 1, totalCents: 1_499 },
    })
  })
  test('parses a return, a gift card, and other documents', () => {
    expect(
      parseDocument('01', '       RETURN\n\nItems from sale N1AAAA\nRETURNED  $14.99\n[Code 128: N1BBBB]\n'),
    ).toMatchObject({
      kind: 'return',
      id: 'N1BBBB',
      ofSale: 'N1AAAA',
      totalCents: 1_499,
    })
    expect(parseDocument('01', '      GIFT CARD\n\nValue  $25.00\n[Code 128: BJBXZJMVERJJKXJCN]\n')).toMatchObject({
      kind: 'voucher',
      code: 'BJBXZJMVERJJKXJCN',
      valueCents: 2_500,
    })
    expect(parseDocument('01', '       DRAWER\nCash counted   $40.00\n')).toMatchObject({ kind: 'other' })
  })
})
