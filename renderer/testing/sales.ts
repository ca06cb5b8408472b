import type { TerminalEvent } from '../../contracts/core/events.ts'
import { Item } from '../../contracts/catalog/catalog.ts'
import type { Member, Sale, SaleLine } from '../../contracts/sales/sales.ts'
import type { z } from 'zod'

/** Type of a value with plain numbers instead of branded amounts, for tests and pictures. */
type Plain<Value> = Value extends number
  ? number
  : Value extends string
    ? string
    : Value extends readonly (infer Part)[]
      ? Plain<Part>[]
      : Value extends object
        ? { [Key in keyof Value]: Plain<Value[Key]> }
        : Value
export type PlainSale = Plain<Sale>

export const asSale = (plain: Partial<PlainSale>): Sale => plain as Sale

const SHELF: readonly (readonly [string, string, string, number, readonly string[]])[] = [
  ['1004', 'Whole milk 2 L', 'Lait entier 2 L', 549, []],
  ['1010', 'Coffee beans 340 g', 'Café en grains 340 g', 1499, []],
  ['1013', 'Dark chocolate 100 g', 'Chocolat noir 100 g', 449, ['HST']],
  ['1018', 'Paper towels, 6 rolls', 'Essuie-tout, 6 rouleaux', 1299, ['HST']],
  ['1015', 'Sparkling water, 12', 'Eau pétillante, 12', 899, ['HST']],
]

export function line(number: number, over: Partial<Plain<SaleLine>> = {}): SaleLine {
  const [sku, en, fr, price, taxCodes] = SHELF[(number - 1) % SHELF.length] ?? ['0', '', '', 0, []]
  const quantity = over.quantity ?? 1
  return {
    number,
    sku,
    name: { 'en-CA': en, 'fr-CA': fr },
    quantity,
    unitPriceCents: price,
    regularPriceCents: null,
    discountCents: 0,
    amountCents: over.voided ? 0 : price * quantity,
    taxCodes,
    voided: false,
    note: null,
    ...over,
  } as SaleLine
}

const HST = 0.13

/** An open sale of these lines with Ontario's tax; its other fields are as at the start of a sale. */
export function saleOf(lines: readonly SaleLine[], over: Partial<PlainSale> = {}): Sale {
  const subtotalCents = lines.reduce((sum, { amountCents }) => sum + amountCents, 0)
  const taxCents = Math.round(
    lines.filter(({ taxCodes }) => taxCodes.length > 0).reduce((sum, { amountCents }) => sum + amountCents, 0) * HST,
  )
  const totalCents = subtotalCents + taxCents
  const tenderedCents = (over.tenders ?? []).reduce((sum, tender) => sum + tender.amountCents, 0)
  const dueCents = totalCents - tenderedCents
  return {
    id: '01K9TRAINLANE01',
    version: 3,
    ageCheck: null,
    revision: over.version ?? 3,
    state: 'open',
    openedAt: '2026-11-21T14:00:00.000Z',
    completedAt: null,
    lines,
    discounts: [],
    exemption: null,
    buyers: null,
    note: null,
    undo: null,
    totals: {
      subtotalCents,
      taxes: [{ code: 'HST', amountCents: taxCents }],
      totalCents,
      tenderedCents,
      dueCents,
      cashDueCents: Math.floor((dueCents + 2) / 5) * 5,
    },
    member: null,
    milesPreview: null,
    earningOffers: [],
    redemptionChoice: null,
    redemption: null,
    cardPayment: null,
    tenders: [],
    issuance: null,
    ...over,
  } as Sale
}

export const member = (over: Partial<Plain<z.infer<typeof Member>>> = {}): Plain<z.infer<typeof Member>> => ({
  last4: '0011',
  entryMode: 'SWIPE',
  state: 'known',
  availableCashMiles: 1_425,
  availableCents: 150_00,
  offer: null,
  noRedemption: null,
  message: null,
  noEarning: null,
  ...over,
})

export const CHOICE = {
  unitCents: 10_00,
  unitMiles: 95,
  maxUnits: 4,
  defaultUnits: 4,
  limitedBy: 'basket',
  limits: [
    { by: 'basket', amountCents: 40_00 },
    { by: 'balance', amountCents: 150_00 },
    { by: 'daily-limit', amountCents: 750_00 },
  ],
}

export const redemption = (
  over: Partial<Plain<NonNullable<Sale['redemption']>>> = {},
): Plain<NonNullable<Sale['redemption']>> => ({
  id: '5e0d5fd2-3f6c-4a5b-9a54-58a2b24e3a11',
  state: 'approved',
  units: 4,
  amountCents: 40_00,
  miles: 380,
  confirmationNumber: '8842 0017 3351',
  responseCode: '0000',
  outcome: 'approved',
  message: null,
  wasApplied: (over.state ?? 'approved') === 'approved',
  goesBackAs: (over.state ?? 'approved') === 'approved' ? 'miles' : null,
  ...over,
})

export const basket = (): SaleLine[] => [line(1), line(2), line(3, { quantity: 2 }), line(4), line(5, { voided: true })]

export const withMember = (over: Partial<PlainSale> = {}): Sale =>
  saleOf(basket(), { member: member(), milesPreview: 45, redemptionChoice: CHOICE, ...over })

export const FLOWERS = Item.parse({
  sku: '1037',
  barcode: null,
  name: { 'en-CA': 'Cut flowers', 'fr-CA': 'Fleurs coupées' },
  priceCents: 1000,
  openPrice: { leastCents: 100, mostCents: 20_000 },
  taxCategory: 'standard',
  departmentId: 'floral',
  categoryId: null,
})

type EventOf<Type extends TerminalEvent['type']> = Extract<TerminalEvent, { type: Type }>

export const printJob = (over: Partial<Plain<EventOf<'print-job'>>>): EventOf<'print-job'> =>
  ({
    type: 'print-job',
    paper: 'sale',
    saleId: '01K9TRAINLANE01',
    state: 'failed',
    copy: 0,
    totalCents: 45_31,
    voucher: null,
    notOnPaper: 1,
    ...over,
  }) as EventOf<'print-job'>

export const completedSale = (sale: Sale, over: Partial<PlainSale> = {}): EventOf<'sale-changed'> => ({
  type: 'sale-changed',
  cause: 'tender',
  sale: { ...sale, version: 9, revision: 9, state: 'completed', ...over } as Sale,
})
