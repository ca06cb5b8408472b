import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Sale } from '../../../contracts/sales/sales.ts'
import { Locale } from '../../../contracts/core/locales.ts'
import { customerLines, welcomeLines } from './customer-display.ts'

const lineOf = (number: number, name: string, amountCents: number, more: object = {}) => ({
  number,
  sku: `S${number}`,
  name: { 'en-CA': name, 'fr-CA': name },
  quantity: 1,
  unitPriceCents: amountCents,
  regularPriceCents: null,
  discountCents: 0,
  amountCents,
  taxCodes: [],
  voided: false,
  note: null,
  ...more,
})
const tenderOf = (kind: string, amountCents: number, changeCents = 0) => ({
  number: 1,
  kind,
  amountCents,
  roundingCents: 0,
  tenderedCents: amountCents + changeCents,
  changeCents,
  reference: null,
})
const saleOf = (more: object): Sale =>
  Sale.parse({
    id: 'N1010100000042K7QZ',
    version: 1,
    revision: 1,
    state: 'open',
    openedAt: '2026-11-21T12:00:00Z',
    completedAt: null,
    discounts: [],
    exemption: null,
    buyers: null,
    note: null,
    undo: null,
    ageCheck: null,
    lines: [lineOf(1, 'Whole milk 2 L', 549)],
    totals: { subtotalCents: 549, taxes: [], totalCents: 1234, tenderedCents: 0, dueCents: 1234, cashDueCents: 1235 },
    member: {
      last4: '0011',
      entryMode: 'SWIPE',
      state: 'known',
      availableCashMiles: 6745,
      availableCents: 71_000,
      offer: null,
      noRedemption: null,
      message: null,
      noEarning: null,
    },
    milesPreview: 24,
    earningOffers: [],
    redemptionChoice: null,
    redemption: null,
    cardPayment: null,
    tenders: [],
    issuance: null,
    ...more,
  })

describe('the lines of the customer display', () => {
  it('show the newest line that is not void, and the total', () => {
    expect(customerLines(saleOf({}), 'en-CA')).toEqual(['Whole milk 2 L  5.49', 'TOTAL         $12.34'])
    expect(
      customerLines(
        saleOf({
          lines: [lineOf(1, 'Eau', 375, { quantity: 3 }), lineOf(2, 'Lait', 549, { voided: true, amountCents: 0 })],
        }),
        'fr-CA',
      ),
    ).toEqual(['3 Eau           3,75', 'TOTAL        12,34 $'])
  })
  it('show the newest tender and the amount due while the sale is paid', () => {
    const totals = {
      subtotalCents: 549,
      taxes: [],
      totalCents: 1234,
      tenderedCents: 1000,
      dueCents: 234,
      cashDueCents: 235,
    }
    expect(customerLines(saleOf({ totals, tenders: [tenderOf('miles', 1000)] }), 'en-CA')).toEqual([
      'Miles         $10.00',
      'Due            $2.34',
    ])
    expect(customerLines(saleOf({ totals, tenders: [tenderOf('card', 1000)] }), 'fr-CA')).toEqual([
      'Carte        10,00 $',
      'À payer       2,34 $',
    ])
  })
  it('show the change, or without change the total, and thanks after the sale is completed', () => {
    expect(customerLines(saleOf({ state: 'completed', tenders: [tenderOf('cash', 1234, 766)] }), 'en-CA')).toEqual([
      'Change         $7.66',
      '     Thank you',
    ])
    expect(customerLines(saleOf({ state: 'completed', tenders: [tenderOf('card', 1234)] }), 'fr-CA')).toEqual([
      'TOTAL        12,34 $',
      '       Merci',
    ])
  })
  it('are null for an empty, cancelled or held sale, so that the store’s welcome is shown', () => {
    expect(customerLines(saleOf({ lines: [] }), 'en-CA')).toBeNull()
    for (const state of ['cancelled', 'held']) expect(customerLines(saleOf({ state }), 'en-CA')).toBeNull()
    expect(welcomeLines('Milepost Training Store', 'fr-CA')).toEqual([' Milepost Training', '     Bienvenue'])
    expect(welcomeLines('Northstar Front Road', 'en-CA')[0]).toBe('Northstar Front Road')
    expect(welcomeLines('Supercalifragilisticexpialidocious', 'en-CA')[0]).toBe('Supercalifragilistic')
  })
  it('never contain a balance, and are never wider than the display', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.integer({ min: 0, max: 99_999_999 }),
        fc.constantFrom(...Locale.options),
        fc.constantFrom('open', 'completed'),
        fc.boolean(),
        (name, amountCents, locale, state, paid) => {
          const lines = customerLines(
            saleOf({
              state,
              lines: [lineOf(1, name || 'x', amountCents)],
              tenders: paid ? [tenderOf('cash', amountCents, 5)] : [],
            }),
            locale,
          )
          for (const line of lines ?? []) expect([...line].length).toBeLessThanOrEqual(20)
          fc.pre(!/6.?745|710/.test(name) && amountCents !== 71_000 && amountCents !== 6745)
          expect(lines?.join(' ') ?? '').not.toMatch(/6[ ,]?745 m|710[.,]00/)
        },
      ),
    )
  })
})
