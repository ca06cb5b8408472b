import { describe, expect, test } from 'vitest'
import type { SaleReturn } from '../../../contracts/payments/returns.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { composeReturnReceipt } from './return-receipt.ts'
import { taxesOf } from '../../catalog/tax.ts'
import { composeVoucher, withCode, type VoucherFacts } from '../receipts/voucher-receipt.ts'
import type { DocumentFacts } from '../../core/paper/document.ts'

const PAPER: DocumentFacts = {
  profile: {
    mode: 'production',
    timeZone: 'America/Toronto',
    store: {
      id: 'S',
      name: 'Milepost Store',
      address: ['123 Front Street West'],
      taxNumbers: ['GST/HST 123456789 RT0001'],
    },
    receipt: { header: [], footer: { 'en-CA': ['Thank you.'], 'fr-CA': ['Merci.'] } },
  },
  locale: 'en-CA',
  lane: '01',
  cashierName: 'Alex Tremblay',
  at: Date.UTC(2026, 10, 21, 2, 54),
  copy: 0,
  columns: 42,
}
const RETURNED: SaleReturn = {
  id: SaleId.parse('N1010100000043K7QZ'),
  saleId: SaleId.parse('N1010100000042K7QZ'),
  at: '2026-11-21T02:54:00.000Z',
  reason: null,
  lines: [
    {
      number: 1,
      sku: '1021',
      name: { 'en-CA': 'Laundry detergent', 'fr-CA': 'Détersif' },
      quantity: 2,
      unitPriceCents: cents(1999),
      regularPriceCents: null,
      discountCents: cents(0),
      note: null,
      amountCents: cents(3998),
      taxCodes: ['HST'],
      voided: false,
    },
  ],
  totals: { subtotalCents: cents(3998), taxes: [{ code: 'HST', amountCents: cents(520) }], totalCents: cents(4518) },
  refunds: [
    { kind: 'card', paidBy: 'card', amountCents: cents(1000), roundingCents: cents(0), reference: 'T-9' },
    { kind: 'cash', paidBy: 'cash', amountCents: cents(518), roundingCents: cents(2), reference: null },
    { kind: 'miles', paidBy: 'miles', amountCents: cents(2000), roundingCents: cents(0), reference: '7F3K20881' },
    { kind: 'store-credit', paidBy: 'miles', amountCents: cents(1000), roundingCents: cents(0), reference: 'NPQR' },
  ],
  vouchers: [],
}
const receipt = (change: Partial<Parameters<typeof composeReturnReceipt>[0]> = {}): ReceiptDocument =>
  composeReturnReceipt({ ...PAPER, returned: RETURNED, taxes: taxesOf(undefined, 'ON'), last4: '0011', ...change })
const CODE = 'ABCDEFGHJKMNPQRTABAK'
const credit = (change: Partial<VoucherFacts> = {}): ReceiptDocument =>
  withCode(
    composeVoucher({
      ...PAPER,
      kind: 'store-credit',
      code: CODE,
      balanceCents: cents(1000),
      issuedFor: RETURNED.id,
      forReturn: true,
      isShared: false,
      ...change,
    }),
    CODE,
  )

const textOf = (document: ReceiptDocument): string[] =>
  document.blocks.flatMap((block) => {
    if (block.kind !== 'text' && block.kind !== 'row') return block.kind === 'barcode' ? [`|${block.data}|`] : []
    const text = block.kind === 'text' ? block.text : block.right === '' ? block.left : `${block.left} … ${block.right}`
    expect([...text.replace(' … ', ' ')].length, text).toBeLessThanOrEqual(block.size === 'large' ? 21 : 42)
    return [text]
  })

test('a return receipt lists the goods and the form of each refund', () => {
  expect(textOf(receipt()).slice(3)).toEqual([
    'RETURN',
    '2026-11-20 21:54 … Lane 01',
    'Cashier: Alex Tremblay',
    'Items from sale N1010100000042K7QZ',
    'Laundry detergent',
    '2 × 19.99 … H 39.98',
    'Subtotal (2 items) … 39.98',
    'HST 13% (H) … H  5.20',
    'RETURNED … $45.18',
    'Card refund … $10.00',
    '  Reference … T-9',
    'Cash rounding … $0.02',
    'Cash refund … $5.20',
    'Miles returned … $20.00',
    '  Confirmation number … 7F3K20881',
    'Store credit … $10.00',
    '  Code … •••• NPQR',
    'Member … •••• ••• 0011',
    'Miles earned on these items are deducted.',
    '|N1010100000043K7QZ|',
  ])
})

test('the receipt of a return without a record and without a collector has the reason and no miles', () => {
  const text = textOf(receipt({ returned: { ...RETURNED, saleId: null, reason: 'gift' }, last4: null })).join('\n')
  expect(text).toContain('Items without a receipt\nReason: gift')
  expect(text).not.toMatch(/deducted|Member/)
})

test('a store credit document has its code as text and as a barcode', () => {
  expect(textOf(credit()).slice(3)).toEqual([
    'STORE CREDIT',
    '2026-11-20 21:54 … Lane 01',
    'Cashier: Alex Tremblay',
    'For return N1010100000043K7QZ',
    'Value … $10.00',
    'Code … ABCD-EFGH-JKMN-PQRT-ABAK',
    'Valid at lane 01 of this store. Treat as',
    'cash.',
    'Not redeemable for cash, except where the',
    'law requires it.',
    '|ABCDEFGHJKMNPQRTABAK|',
  ])
})

test('the document of a voucher that is valid at every lane names no single lane', () => {
  const text = textOf(credit({ isShared: true })).join(' ')
  expect(text).toContain('Valid at every lane of this store.')
  expect(text).not.toContain('Valid at lane')
})

describe.each(Locale.options)('documents of returns in %s', (locale) => {
  test.each([
    ['a return', receipt],
    ['a store credit', credit],
  ])('mark copies and training mode, for %s', (_what, compose) => {
    const copied = textOf(compose({ locale, copy: 2, profile: { ...PAPER.profile, mode: 'training' } })).join('\n')
    expect(copied).toMatch(/(COPY|COPIE) 2/)
    expect(copied).toMatch(/TRAINING|FORMATION/)
    expect(textOf(compose({ locale })).join('\n')).not.toMatch(/COPY|COPIE|TRAINING|FORMATION/)
  })
})
