import { describe, expect, test } from 'vitest'
import type { Books } from './books.ts'
import type { Rule } from './finding.ts'
import { judge } from './judge.ts'
import { readPaper, type Paper } from './papers.ts'
import { move, papersOf, returned, sale, store, STREAM, tender } from './store.fixture.ts'

const CALM = store()
const rulesOf = (books: Books, papers: readonly Paper[]): Rule[] => judge(books, papers).map(({ rule }) => rule)
const but = (id: string, change: (sale: Books['sales'][number]) => Books['sales'][number]) =>
  CALM.sales.map((one) => (one.id === id ? change(one) : one))

/** What the store was told, and what stands in the books of lanes that printed; left out: the same. */
interface Told {
  readonly books: Books
  readonly printed?: Books
}

test('a store that lost nothing is found right', () => {
  expect(judge(CALM, papersOf(CALM))).toEqual([])
})

describe('a planted fault is found:', () => {
  const faults: readonly (readonly [string, Told, Rule])[] = [
    ['a sale dropped', { books: { ...CALM, sales: CALM.sales.slice(1) }, printed: CALM }, 'paper-in-books'],
    [
      'a sale told twice',
      { books: { ...CALM, facts: [...CALM.facts, ...CALM.facts.slice(0, 1)] }, printed: CALM },
      'told-once',
    ],
    [
      'an amount changed',
      { books: { ...CALM, sales: but('SOLD', (one) => ({ ...one, totalCents: 1_001 })) }, printed: CALM },
      'paper-in-books',
    ],
    [
      'a payment lost',
      { books: { ...CALM, sales: but('SOLD', (one) => ({ ...one, tenders: [] })) }, printed: CALM },
      'sale-paid',
    ],
    [
      'a number left out',
      { books: { ...CALM, streams: [{ name: STREAM['01'], lane: '01', applied: 3, seqs: [1, 3] }] }, printed: CALM },
      'gapless',
    ],
    [
      'fewer than are applied',
      { books: { ...CALM, streams: [{ name: STREAM['01'], lane: '01', applied: 3, seqs: [1, 2] }] }, printed: CALM },
      'gapless',
    ],
    [
      'a fact set aside',
      { books: { ...CALM, aside: [{ lane: '01', seq: 1, reason: 'x' }] }, printed: CALM },
      'nothing-aside',
    ],
    [
      'a view of the store that says so',
      { books: { ...CALM, wrong: ['voucher_wrong: {}'] }, printed: CALM },
      'own-views',
    ],
    [
      'a voucher overspent at another lane',
      { books: store({ vouchers: [...CALM.vouchers, move('redeemed', '01', 3, 501, 'CARD')] }) },
      'voucher',
    ],
    [
      'a voucher spent before it was worth it',
      { books: store({ vouchers: CALM.vouchers.map((one) => (one.kind === 'issued' ? { ...one, at: 9 } : one)) }) },
      'voucher',
    ],
    [
      'a voucher that paid and says nothing of it',
      { books: store({ vouchers: CALM.vouchers.slice(0, 1) }) },
      'voucher',
    ],
    [
      'a voucher of nowhere',
      {
        printed: CALM,
        books: store({ vouchers: [...CALM.vouchers, { ...move('issued', '02', 1, 100, 'PAID'), codeHash: 'd' }] }),
      },
      'voucher-paper',
    ],
    [
      'a return twice',
      { books: store({ returns: [...CALM.returns, ...[1, 2].map((n) => returned(`BACK${n}`, '01', 'SOLD'))] }) },
      'return-pieces',
    ],
    [
      'more given back than was paid',
      {
        books: store({
          returns: CALM.returns.map((one) => ({
            ...one,
            totalCents: 1_500,
            refunds: one.refunds.map((refund) => ({ ...refund, amountCents: 1_500 })),
          })),
        }),
      },
      'return-money',
    ],
    [
      'given back in another form than paid',
      {
        books: store({
          returns: CALM.returns.map((one) => ({
            ...one,
            refunds: one.refunds.map((refund) => ({ ...refund, paidBy: 'card' })),
          })),
        }),
      },
      'return-money',
    ],
    ['a return of a sale that nobody knows', { books: store({ returns: [returned('BACK', '02', 'NONE')] }) }, 'return'],
    [
      'a return that gave another sum',
      { books: { ...CALM, returns: CALM.returns.map((one) => ({ ...one, refunds: [] })) }, printed: CALM },
      'return',
    ],
    [
      'a held sale resumed twice',
      {
        books: store({
          sales: [
            ...CALM.sales,
            sale('AGAIN', '02', [tender({ kind: 'cash', amountCents: 1_000 })], { note: 'held 1' }),
          ],
        }),
      },
      'held-once',
    ],
    ['miles that nobody approved', { books: { ...CALM, operations: new Map() }, printed: CALM }, 'miles'],
    [
      'miles that paid twice',
      {
        books: store({
          sales: [...CALM.sales, sale('MORE', '01', [tender({ kind: 'miles', amountCents: 1_000, operationId: 'O' })])],
        }),
      },
      'miles',
    ],
    [
      'a Z of another sum',
      {
        books: {
          ...CALM,
          zs: CALM.zs.map((one) => ({
            ...one,
            totals: { ...one.totals, sales: { ...one.totals.sales, totalCents: one.totals.sales.totalCents + 1 } },
          })),
        },
        printed: CALM,
      },
      'z-sums',
    ],
    [
      'a Z of another payment',
      {
        books: {
          ...CALM,
          zs: CALM.zs.map((one) => ({
            ...one,
            totals: {
              ...one.totals,
              tenders: one.totals.tenders.map((kind) => ({ ...kind, netCents: kind.netCents + 1 })),
            },
          })),
        },
        printed: CALM,
      },
      'z-sums',
    ],
    [
      'a Z that leaves a payment out',
      {
        books: {
          ...CALM,
          zs: CALM.zs.map((one) => ({ ...one, totals: { ...one.totals, tenders: one.totals.tenders.slice(1) } })),
        },
        printed: CALM,
      },
      'z-sums',
    ],
    [
      'a sale in no Z',
      { books: { ...CALM, sales: but('SOLD', (one) => ({ ...one, shiftId: 2 })) }, printed: CALM },
      'z-sums',
    ],
    [
      'a grand total that forgot a sale',
      {
        books: { ...CALM, zs: CALM.zs.map((one) => ({ ...one, grandTotals: { ...one.grandTotals, sales: 0 } })) },
        printed: CALM,
      },
      'z-sums',
    ],
    ['a Z lost', { books: { ...CALM, zs: CALM.zs.slice(1) }, printed: CALM }, 'z-paper'],
    [
      'a Z number left out',
      { books: { ...CALM, zs: CALM.zs.map((one) => ({ ...one, number: 2 })) }, printed: CALM },
      'z-numbers',
    ],
  ]
  test.each(faults)('%s', (_name, { books, printed = books }, rule) => {
    expect(rulesOf(books, papersOf(printed))).toContain(rule)
  })

  const papers = papersOf(CALM)
  test.each<[string, Paper[], Rule]>([
    ['a sale without paper', papers.slice(1), 'sale-on-paper'],
    [
      'a sale on paper alone',
      [...papers, { kind: 'sale', lane: '01', isCopy: false, id: 'GHOST', totalCents: 1 }],
      'paper-in-books',
    ],
    ['a receipt printed twice as if it were the first', [...papers, ...papers.slice(0, 1)], 'paper-once'],
    [
      'a voucher on paper that was never issued',
      [...papers, { kind: 'voucher', lane: '02', isCopy: false, code: 'ABCDEFGH', valueCents: 100 }],
      'voucher-paper',
    ],
    [
      'a gift card printed twice as if it were the first',
      [...papers, ...papers.filter(({ kind }) => kind === 'voucher')],
      'paper-once',
    ],
    ['a Z without paper', papers.filter(({ kind }) => kind !== 'z'), 'z-paper'],
    [
      'a Z that says another sum on paper',
      papers.map((one) => (one.kind === 'z' ? { ...one, sales: { ...one.sales, totalCents: 1 } } : one)),
      'z-paper',
    ],
  ])('%s', (_name, printed, rule) => {
    expect(rulesOf(CALM, printed)).toContain(rule)
  })

  test('and a copy of a paper is no fault', () => {
    expect(judge(CALM, [...papers, ...papers.map((one) => ({ ...one, isCopy: true }))])).toEqual([])
  })
})

describe('papers are read as a person reads them:', () => {
  test('a receipt with its total beyond a thousand, and a copy of it', () => {
    const text = 'Subtotal   1,049.97\nTOTAL       $1,052.57\n\nCash   $1,052.55\n[Code 128: N10101000000014E3N]\n'
    expect(readPaper('01', text)).toEqual({
      lane: '01',
      isCopy: false,
      kind: 'sale',
      id: 'N10101000000014E3N',
      totalCents: 105_257,
    })
    expect(readPaper('01', `      COPY 1\n${text}`)).toMatchObject({ isCopy: true, kind: 'sale' })
  })
  test('a Z, whose returns have a total of their own', () => {
    const text =
      '      Z REPORT\n\n         Z 12\nSales (1,657)\nTOTAL   $91.55\nReturns (1)\nSubtotal  $1.00\nTOTAL   $14.99\n'
    expect(readPaper('02', text)).toMatchObject({
      kind: 'z',
      number: 12,
      sales: { count: 1_657, totalCents: 9_155 },
      returns: { count: 1, totalCents: 1_499 },
    })
  })
  test('a return, a gift card, and what is neither', () => {
    expect(
      readPaper('01', '       RETURN\n\nItems from sale N1AAAA\nRETURNED  $14.99\n[Code 128: N1BBBB]\n'),
    ).toMatchObject({
      kind: 'return',
      id: 'N1BBBB',
      ofSale: 'N1AAAA',
      totalCents: 1_499,
    })
    expect(readPaper('01', '      GIFT CARD\n\nValue  $25.00\n[Code 128: BJBXZJMVERJJKXJCN]\n')).toMatchObject({
      kind: 'voucher',
      code: 'BJBXZJMVERJJKXJCN',
      valueCents: 2_500,
    })
    expect(readPaper('01', '       DRAWER\nCash counted   $40.00\n')).toMatchObject({ kind: 'other' })
  })
})
