import { beforeEach, expect, test } from 'vitest'
import { Sale } from '../../../contracts/sales/sales.ts'
import { Staff } from '../../../contracts/staff/session.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { createCustomerLines, type CustomerLines } from './customer-display.ts'
import type { LineDisplay } from '../../core/devices/hub.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Sales, salesOf } from '../../sales/sales.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'
import { trainingStore } from '../../../packages/lab/testing/load/store.ts'

const saleOf = (id: string, state: Sale['state'], totalCents: number): Sale =>
  Sale.parse({
    id,
    version: 1,
    revision: 1,
    state,
    openedAt: '2026-11-21T12:00:00Z',
    completedAt: null,
    discounts: [],
    exemption: null,
    buyers: null,
    note: null,
    undo: null,
    ageCheck: null,
    lines: [
      {
        number: 1,
        sku: 'S1',
        name: { 'en-CA': 'Milk', 'fr-CA': 'Lait' },
        quantity: 1,
        unitPriceCents: totalCents,
        regularPriceCents: null,
        discountCents: 0,
        amountCents: totalCents,
        taxCodes: [],
        voided: false,
        note: null,
      },
    ],
    totals: {
      subtotalCents: totalCents,
      taxes: [],
      totalCents,
      tenderedCents: 0,
      dueCents: totalCents,
      cashDueCents: totalCents,
    },
    member: null,
    milesPreview: null,
    earningOffers: [],
    redemptionChoice: null,
    redemption: null,
    cardPayment: null,
    tenders: [],
    issuance: null,
  })
const WELCOME = ['   Milepost Store', '      Welcome']
let shown: string[][]
let lines: CustomerLines
let open: Sale | null
let locale: Locale
function start(): CustomerLines {
  const { profile } = trainingStore()
  const ctx = testContext({ profile: { ...profile, store: { ...profile.store, name: 'Milepost Store' } } })
  receiptLocaleOf.provide(ctx, () => locale)
  salesOf.provide(ctx, { current: () => open } as Sales)
  const show = (upper: string, lower: string): void => {
    shown.push([upper, lower])
  }
  return createCustomerLines(ctx, { show } as LineDisplay)
}
const now = (): string[] | undefined => shown.at(-1)
const changed = (sale: Sale): void => {
  lines.onEvent({ type: 'sale-changed', sale, cause: 'command' })
}

beforeEach(() => {
  shown = []
  open = null
  locale = 'en-CA'
  lines = start()
})

test('the line display shows the welcome, the sale, the thanks and then the next sale', () => {
  expect(now()).toEqual(WELCOME)
  changed(saleOf('N1010100000001AAAA', 'open', 549))
  expect(now()).toEqual(['Milk            5.49', 'TOTAL          $5.49'])
  changed(saleOf('N1010100000001AAAA', 'completed', 549))
  expect(now()).toEqual(['TOTAL          $5.49', '     Thank you'])
  changed(saleOf('N1010100000002BBBB', 'open', 100))
  changed(saleOf('N1010100000001AAAA', 'completed', 549))
  expect(now()).toEqual(['Milk            1.00', 'TOTAL          $1.00'])
})

test('the line display shows the welcome after a cancelled sale and after a sign-out', () => {
  const sale = saleOf('N1010100000001AAAA', 'open', 549)
  changed(sale)
  lines.onEvent({ type: 'signed-in', staff: null })
  expect(now()).toEqual(['Milk            5.49', 'TOTAL          $5.49'])
  lines.onEvent({ type: 'sale-closed', saleId: SaleId.parse(sale.id), state: 'cancelled' })
  expect(now()).toEqual(WELCOME)
  changed(sale)
  lines.onEvent({ type: 'signed-out' })
  expect(now()).toEqual(WELCOME)
})

test('after a restart and after a sign-in, the line display shows the sale that was left open', () => {
  open = saleOf('N1010100000001AAAA', 'open', 549)
  lines = start()
  expect(now()).toEqual(['Milk            5.49', 'TOTAL          $5.49'])
  lines.onEvent({ type: 'signed-out' })
  expect(now()).toEqual(WELCOME)
  lines.onEvent({
    type: 'signed-in',
    staff: Staff.parse({ id: 'alex', name: 'Alex', role: 'cashier', locale: 'en-CA' }),
  })
  expect(now()).toEqual(['Milk            5.49', 'TOTAL          $5.49'])
})

test('the line display changes to the language of the signed-in person at once', () => {
  const marie = {
    type: 'signed-in',
    staff: Staff.parse({ id: 'marie', name: 'Marie', role: 'cashier', locale: 'fr-CA' }),
  } as const
  open = saleOf('N1010100000001AAAA', 'open', 549)
  changed(open)
  locale = 'fr-CA'
  lines.onEvent(marie)
  expect(now()).toEqual(['Lait            5,49', 'TOTAL         5,49 $'])
  changed({ ...open, state: 'completed' })
  open = null
  const thanks = now()
  locale = 'en-CA'
  lines.onEvent(marie)
  expect(now()).toBe(thanks)
})
