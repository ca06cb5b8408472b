import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Refund } from '../../contracts/payments/returns.ts'
import { SaleId } from '../../contracts/core/ids.ts'
import { Locale } from '../../contracts/core/locales.ts'
import { cents, miles } from '../../contracts/core/money.ts'
import type { ReceiptDocument } from '../../contracts/core/receipt.ts'
import type { TaxCategory } from '../../contracts/core/regions.ts'
import { saleLineOf, totalBasket, type BasketLine } from '../../backend/sales/sale/basket.ts'
import { cashTender } from '../../backend/payments/tender-types/cash.ts'
import { composeReceipt, type ReceiptFacts } from '../../backend/payments/receipts/receipt.ts'
import type { ReceiptTender } from '../../backend/payments/tender-types/type.ts'
import { composeReturnReceipt, type ReturnReceiptFacts } from '../../backend/payments/returns/return-receipt.ts'
import { composeVoucher, withCode } from '../../backend/payments/receipts/voucher-receipt.ts'
import { taxesOf } from '../../backend/catalog/tax.ts'
import { pageOf } from '../../backend/core/paper/page.ts'
import { composeInvoice } from '../../backend/payments/delivery/invoice.ts'
import { letterPages } from '../../backend/core/paper/letter.ts'
import { pdfOf, pdfOfPages } from '../../backend/core/paper/pdf.ts'
import { pngOf, svgOf } from '../../backend/core/paper/svg.ts'

/**
 * Renders sample receipts as SVG, PDF and PNG into build/receipts: `npm run lab -- receipts`. They include the miles
 * balances, as on paper.
 */
const FOLDER = join(import.meta.dirname, '../../build/receipts')
const WIDE = 42
/** Columns of paper of 58 mm. */
const NARROW = 32
const LOGO = {
  width: 128,
  height: 80,
  dots: Uint8Array.from({ length: 128 * 80 }, (_, at) => mark(Math.floor((at % 128) / 2), Math.floor(at / 256))),
}

function mark(x: number, y: number): 0 | 1 {
  const board = y >= 4 && y < 20 && x >= 8 && x < 56 - Math.abs(y - 12)
  const post = x >= 26 && x < 32 && y < 40
  return board || post ? 1 : 0
}

const lineOf = (
  number: number,
  en: string,
  fr: string,
  quantity: number,
  price: number,
  taxCategory: TaxCategory = 'standard',
): BasketLine => ({
  number,
  sku: `SKU-${number}`,
  name: { 'en-CA': en, 'fr-CA': fr },
  quantity,
  unitPriceCents: cents(price),
  taxCategory,
  departmentId: 'grocery',
  categoryId: null,
  voided: false,
})
const BASKET = [
  lineOf(1, 'Sparkling water 355 mL', 'Eau pétillante 355 ml', 3, 125),
  lineOf(2, 'Whole milk 2 L', 'Lait entier 2 L', 1, 549, 'zero-rated'),
  lineOf(
    3,
    'Paperback: The Tin Flute, annotated edition',
    'Livre de poche : Bonheur d’occasion, édition annotée',
    1,
    1699,
    'book',
  ),
  lineOf(4, 'Garden hose', 'Boyau d’arrosage', 1, 3999),
]
const CREDIT_CODE = 'ABCDEFGHJKMNPQRTABAK'
const TAXES = taxesOf(undefined, 'ON')
const MILES: ReceiptTender = {
  kind: 'miles',
  amountCents: cents(4000),
  roundingCents: cents(0),
  tenderedCents: cents(4000),
  changeCents: cents(0),
  reference: '7F3K20881',
}

function paidInCash(before: readonly ReceiptTender[]): ReceiptTender[] {
  const cash = cashTender(totalBasket(BASKET, TAXES, [...before]).dueCents, cents(10_000))
  return cash ? [...before, { kind: 'cash', ...cash, reference: null }] : [...before]
}

function factsOf(locale: Locale, tenders: readonly ReceiptTender[], more: Partial<ReceiptFacts>): ReceiptFacts {
  return {
    profile: {
      mode: 'production',
      timeZone: 'America/Toronto',
      store: {
        id: 'Q417',
        name: 'Northstar Market',
        address: ['123 Front Street West', 'Toronto ON  M5J 2M2'],
        phone: '416-555-0199',
        taxNumbers: [locale === 'en-CA' ? 'GST/HST 123456789 RT0001' : 'TPS/TVH 123456789 RT0001'],
      },
      receipt: {
        logo: { file: 'logo.png' },
        link: 'https://northstar.example/receipt',
        header: [],
        footer: {
          'en-CA': ['Thank you. Come back soon!', 'Returns within 30 days with this receipt.'],
          'fr-CA': ['Merci. À bientôt!', 'Retours dans les 30 jours avec ce reçu.'],
        },
      },
    },
    locale,
    saleId: 'Q4170100000042K7QZ',
    lane: '01',
    cashierName: 'Alex Tremblay',
    completedAt: Date.UTC(2026, 10, 21, 2, 54),
    lines: BASKET.map((line) => saleLineOf(line, TAXES)),
    totals: totalBasket(BASKET, TAXES, [...tenders]),
    tenders,
    member: { last4: '0011', entryMode: 'SWIPE' },
    redemption: null,
    balances: null,
    earnedMiles: 24,
    earnedConfirmed: true,
    copy: 0,
    columns: WIDE,
    taxes: TAXES,
    ...more,
  }
}

const REDEMPTION = { units: 4, amountCents: cents(4000), miles: miles(380), confirmationNumber: '7F3K20881' }
const BALANCES = { cashMiles: 12_840, dreamMiles: 3210, availableCashMiles: 6745, availableCents: 71_000 }

function returnedGoods(locale: Locale): ReturnReceiptFacts {
  const { profile, lane, cashierName } = factsOf(locale, [], {})
  const goods = BASKET.slice(2)
  const { subtotalCents, taxes, totalCents } = totalBasket(goods, TAXES, [])
  const forms: Refund[] = [
    { kind: 'card', paidBy: 'card', amountCents: cents(1000), roundingCents: cents(0), reference: '004417' },
    { kind: 'miles', paidBy: 'miles', amountCents: cents(2000), roundingCents: cents(0), reference: '7F3K20881' },
    {
      kind: 'store-credit',
      paidBy: 'miles',
      amountCents: cents(1500),
      roundingCents: cents(0),
      reference: CREDIT_CODE.slice(-4),
    },
  ]
  const left = totalCents - forms.reduce((sum, { amountCents }) => sum + amountCents, 0)
  // The cash refund is rounded to five cents.
  const cash: Refund = {
    kind: 'cash',
    paidBy: 'cash',
    amountCents: cents(left),
    roundingCents: cents(Math.round(left / 5) * 5 - left),
    reference: null,
  }
  return {
    profile,
    locale,
    lane,
    cashierName,
    at: Date.UTC(2026, 10, 24, 15, 12),
    copy: 0,
    columns: WIDE,
    taxes: TAXES,
    last4: '0011',
    returned: {
      id: SaleId.parse('Q4170100000057M3RT'),
      saleId: SaleId.parse('Q4170100000042K7QZ'),
      at: '2026-11-24T15:12:00.000Z',
      reason: null,
      lines: goods.map((line) => saleLineOf(line, TAXES)),
      totals: { subtotalCents, taxes, totalCents },
      refunds: [...forms, cash],
      vouchers: [],
    },
  }
}
const storeCredit = (locale: Locale, copy = 0): ReceiptDocument => {
  const { returned, ...paper } = returnedGoods(locale)
  return withCode(
    composeVoucher({
      ...paper,
      kind: 'store-credit',
      copy,
      code: CREDIT_CODE,
      balanceCents: cents(1500),
      issuedFor: returned.id,
      forReturn: true,
      isShared: true,
    }),
    CREDIT_CODE,
  )
}

const inTraining = <Facts extends Pick<ReceiptFacts, 'profile'>>(facts: Facts): Facts => ({
  ...facts,
  profile: { ...facts.profile, mode: 'training' },
})
const RECEIPTS: Readonly<Record<string, (locale: Locale) => ReceiptDocument>> = {
  redemption: (locale) =>
    composeReceipt(
      factsOf(locale, paidInCash([MILES]), { redemption: REDEMPTION, balances: { responseCode: '0000', ...BALANCES } }),
    ),
  // Response code 0001: the collector keeps the balances private (specification 3 §4.5 rule 5).
  'suppressed-balance': (locale) =>
    composeReceipt(
      factsOf(locale, paidInCash([MILES]), { redemption: REDEMPTION, balances: { responseCode: '0001', ...BALANCES } }),
    ),
  training: (locale) => composeReceipt(inTraining(factsOf(locale, paidInCash([]), {}))),
  copy: (locale) => composeReceipt(factsOf(locale, paidInCash([]), { copy: 2, earnedConfirmed: false })),
  return: (locale) => composeReturnReceipt(returnedGoods(locale)),
  'return-in-training': (locale) => composeReturnReceipt(inTraining({ ...returnedGoods(locale), copy: 1 })),
  'store-credit': (locale) => storeCredit(locale),
  narrow: (locale) =>
    composeReceipt(
      factsOf(locale, paidInCash([MILES]), {
        columns: NARROW,
        redemption: REDEMPTION,
        balances: { responseCode: '0000', ...BALANCES },
      }),
    ),
  'narrow-return': (locale) => composeReturnReceipt({ ...returnedGoods(locale), columns: NARROW }),
}

mkdirSync(FOLDER, { recursive: true })
for (const [name, compose] of Object.entries(RECEIPTS)) {
  for (const locale of Locale.options) {
    const document = compose(locale)
    const page = pageOf(document, { columns: name.startsWith('narrow') ? NARROW : WIDE, logo: LOGO })
    const path = join(FOLDER, `${name}.${locale}`)
    writeFileSync(`${path}.svg`, svgOf(page, document))
    writeFileSync(`${path}.pdf`, pdfOf(page, document))
    writeFileSync(`${path}.png`, await pngOf(page, document))
  }
}
for (const locale of Locale.options) {
  const buyer = {
    name: locale === 'en-CA' ? 'Harbour Carpentry Ltd.' : 'Ébénisterie du Fleuve inc.',
    about: locale === 'en-CA' ? 'Materials for the site at 12 Dock Street' : 'Matériaux du chantier du 12, rue du Quai',
  }
  const invoice = composeInvoice(factsOf(locale, paidInCash([MILES]), { redemption: REDEMPTION }), buyer)
  const pages = letterPages(invoice)
  writeFileSync(join(FOLDER, `invoice.${locale}.pdf`), pdfOfPages(pages, { title: invoice.title }))
  for (const page of pages.slice(0, 1)) writeFileSync(join(FOLDER, `invoice.${locale}.png`), await pngOf(page, invoice))
}
process.stdout.write(`${Object.keys(RECEIPTS).length * Locale.options.length} receipts are in ${FOLDER}\n`)
