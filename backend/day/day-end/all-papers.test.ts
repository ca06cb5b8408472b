import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CountResult, Shift } from '../../../contracts/day/shifts.ts'
import type { ZReport } from '../../../contracts/day/day-end.ts'
import { SaleId, StaffId } from '../../../contracts/core/ids.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { columnsOf } from '../../core/paper/layout.ts'
import type { DocumentFacts } from '../../core/paper/document.ts'
import { taxesOf } from '../../catalog/tax.ts'
import { saleLineOf, totalBasket, type BasketLine } from '../../sales/sale/basket.ts'
import { composeHistory } from '../../loyalty/member/history-view.ts'
import { composeSignInSlip } from '../../loyalty/member/sign-in-slip.ts'
import { composeGiftReceipt, composePaymentBack } from '../../payments/receipts/receipt-blocks.ts'
import { composeReceipt } from '../../payments/receipts/receipt.ts'
import { composeVoucher } from '../../payments/receipts/voucher-receipt.ts'
import { composeReturnReceipt } from '../../payments/returns/return-receipt.ts'
import { testPage } from '../../operations/devices/devices.routes.ts'
import { composeMovement, composeShift, composeX, composeZ } from './day-end-papers.ts'
import { dayTotals } from './day-totals.fixture.ts'

/** Texts that a person, the profile or the catalog may supply: long ones, and ones of a single long run of letters. */
const anyText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 90 }),
  fc.string({ unit: fc.constantFrom('a', 'É', '’', ' ', 'œ'), minLength: 1, maxLength: 90 }),
)
const amount = fc.integer({ min: 0, max: 99_999_999 }).map(cents)
const facts = fc.record({
  text: anyText,
  amount,
  quantity: fc.integer({ min: 1, max: 999 }),
  locale: fc.constantFrom(...Locale.options),
  columns: fc.constantFrom(32, 42, 48),
  copy: fc.nat(3),
  kind: fc.constantFrom(...TenderKind.options),
  totals: dayTotals,
})
type Any = typeof facts extends fc.Arbitrary<infer One> ? One : never
const ID = SaleId.parse('N1010100000042K7QZ')
const SAM = StaffId.parse('sam')
const AT = '2026-11-21T02:54:00.000Z'

const commonOf = ({ text, locale, columns, copy }: Any): DocumentFacts => ({
  profile: {
    mode: 'training',
    timeZone: 'America/Toronto',
    store: { id: 'S', name: text, address: [text], phone: text, taxNumbers: [text] },
    receipt: { header: [text], footer: { 'en-CA': [text], 'fr-CA': [text] } },
  },
  locale,
  lane: '01',
  cashierName: text,
  at: Date.parse(AT),
  copy,
  columns,
})

function* papersOfSales(any: Any): Generator<ReceiptDocument> {
  const common = commonOf(any)
  const taxes = taxesOf(undefined, 'QC')
  const line: BasketLine = {
    number: 1,
    sku: 'K',
    name: { 'en-CA': any.text, 'fr-CA': any.text },
    quantity: any.quantity,
    unitPriceCents: cents(Math.min(any.amount, 999_999)),
    taxCategory: 'standard',
    departmentId: 'd',
    categoryId: null,
    voided: false,
    note: any.text,
  }
  const lines = [saleLineOf(line, taxes)]
  const totals = totalBasket([line], taxes, [])
  const tender = {
    kind: any.kind,
    amountCents: any.amount,
    roundingCents: cents(-2),
    tenderedCents: any.amount,
    changeCents: cents(3),
    reference: any.text,
  }
  yield composeReceipt({
    ...common,
    saleId: ID,
    completedAt: common.at,
    lines,
    totals,
    tenders: [tender],
    redemption: null,
    member: { last4: '0011', entryMode: 'SWIPE' },
    balances: { responseCode: '0000', cashMiles: any.amount, availableCents: any.amount },
    earnedMiles: any.amount,
    note: any.text,
    taxes,
  })
  yield composeGiftReceipt({ ...common, saleId: ID, lines })
  yield composePaymentBack({ ...common, saleId: ID, tender, voucherLeftCents: any.amount, tooLate: true })
  yield composeVoucher({
    ...common,
    kind: 'gift-card',
    code: 'ABCDEFGHJKMNPQRTABAK',
    balanceCents: any.amount,
    issuedFor: ID,
    forReturn: false,
    isShared: true,
  })
  const { subtotalCents, totalCents } = totals
  yield composeReturnReceipt({
    ...common,
    taxes,
    last4: '0011',
    returned: {
      id: ID,
      saleId: ID,
      at: AT,
      reason: any.text,
      lines,
      totals: { subtotalCents, taxes: totals.taxes, totalCents },
      refunds: [{ kind: 'cash', paidBy: 'cash', amountCents: any.amount, roundingCents: cents(2), reference: null }],
      vouchers: [],
    },
  })
  const at = { at: AT, description: any.text, offer: null, activity: 'ISSUANCE', cashPart: 1, dreamPart: 1 } as const
  yield composeHistory({
    ...common,
    transactions: [{ ...at, sponsor: { name: any.text, colour: 'blue' }, miles: any.amount }],
  })
  const page = 'https://sign-in.example/device'
  const waiting = { userCode: 'WDJB-MJHT', page, pageWithCode: `${page}?code=WDJB-MJHT`, expiresAt: AT }
  yield composeSignInSlip({ ...common, waiting })
}

function* papersOfTheDay(any: Any): Generator<ReceiptDocument> {
  const common = commonOf(any)
  const { amount: one, totals, text } = any
  const compared = { expectedCents: one, countedCents: one, differenceCents: cents(0 - one) }
  const result: CountResult = {
    cash: compared,
    cardSlips: compared,
    cheques: compared,
    coupons: compared,
    number: 1,
    needsReason: true,
  }
  const shift: Shift = {
    id: 999_999,
    state: 'closed',
    drawerOf: null,
    openedAt: AT,
    openedBy: text,
    floatCents: one,
    floatCounted: true,
    countedAt: AT,
    closedAt: AT,
    closedBy: text,
    countedCents: one,
    takenCents: one,
    recount: [],
    result,
    reason: text,
    leftCents: one,
    toSafeCents: one,
    zNumber: null,
  }
  yield composeShift({ ...common, shift })
  yield composeMovement({ ...common, kind: 'drop', amountCents: one, reason: text, approvedBy: text })
  const departmentName = (id: string): string => `${id} ${text}`
  yield composeX({
    ...common,
    departmentName,
    report: { at: AT, from: AT, openShifts: [], totals: { ...totals, cashHidden: false } },
  })
  const head = { seq: 9_999_999, hash: 'f'.repeat(64) }
  const grandTotals = { sales: 9_999_999, salesCents: one, returns: 1, returnsCents: one }
  const shifts: ZReport['shifts'] = [
    {
      id: 999_999,
      drawerOf: null,
      openedAt: AT,
      closedAt: AT,
      closedBy: SAM,
      floatCents: one,
      expectedCents: one,
      countedCents: one,
      differenceCents: cents(0 - one),
      broughtCents: one,
      toSafeCents: one,
      reason: text,
    },
  ]
  const closedBy = { id: SAM, name: text }
  const z = { number: 99_999, lane: '01', storeName: text, at: AT, from: AT, closedBy, shifts, totals, grandTotals }
  yield composeZ({ ...common, departmentName, report: { ...z, journal: head, audit: head } })
}

const widthOf = (block: ReceiptBlock): number => {
  if (block.kind !== 'text' && block.kind !== 'row') return 0
  const text = block.kind === 'text' ? block.text : `${block.left}${block.right === '' ? '' : ` ${block.right}`}`
  return columnsOf(text) * (block.size === 'large' ? 2 : 1)
}

test('no line of a sale’s or day’s document is wider than its paper (32, 42 or 48 columns), for any content', () => {
  fc.assert(
    fc.property(facts, (any) => {
      for (const { title, blocks } of [...papersOfSales(any), ...papersOfTheDay(any)])
        for (const block of blocks)
          expect(widthOf(block), `${title}: ${JSON.stringify(block)}`).toBeLessThanOrEqual(any.columns)
    }),
    { numRuns: 100 },
  )
})

test.each(Locale.options)(
  'on paper of 32 columns, the test page in %s has a ruler line of exactly 32 columns',
  (locale) => {
    const store = { id: 'S', name: 'Northstar Market', address: [], taxNumbers: [] }
    const { blocks } = testPage({ profile: { store, timeZone: 'UTC' }, lane: '01', locale, columns: 32, at: 0 })
    expect(blocks.flatMap((block) => (block.kind === 'text' ? [columnsOf(block.text)] : []))).toContain(32)
  },
)
