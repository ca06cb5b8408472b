import { z } from 'zod'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { Charge } from '../../../contracts/catalog/charges.ts'
import { ManufacturerCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import { Promotion, type PromotionItems, type PromotionReward } from '../../../contracts/catalog/promotions.ts'
import { Sku } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { IssuanceSettings, type Profile } from '../../../contracts/core/profile.ts'
import { Coupon } from '../../../contracts/sales/sale-rules.ts'
import type { SeededRng } from './rng.ts'

/** A store whose lane plays simulated days: its settings, and the goods that it sells in addition to the baseline's. */
export interface DaysStore {
  readonly profile: Profile
  readonly items: readonly Item[]
}

const ZONES = ['America/Toronto', 'America/St_Johns', 'America/Halifax', 'America/Winnipeg']
export const CAN = 'sim-can'
export const JUG = 'sim-jug'

const named = (name: string) => ({ 'en-CA': name, 'fr-CA': name })

const item = (sku: string, priceCents: number, departmentId: string, more: Partial<Item> = {}): Item => ({
  sku: Sku.parse(sku),
  barcode: null,
  name: named(`Item ${sku}`),
  priceCents: cents(priceCents),
  openPrice: null,
  taxCategory: 'standard',
  departmentId,
  categoryId: null,
  ...more,
})

/**
 * Items that are sold by weight or length, have deposits or fees, have a tax rule of the basket, or are in promotions.
 */
const GOODS: readonly Item[] = [
  item('GRAPES', 549, 'produce', { taxCategory: 'zero-rated', soldBy: 'kg' }),
  item('SALAD', 129, 'deli', { soldBy: 'kg', unit: '100g', tare: { kind: 'fixed', thousandths: 12 } }),
  item('CANDY', 999, 'snacks', { soldBy: 'kg', tare: { kind: 'share', ppm: 40_000 } }),
  item('RIBBON', 249, 'household', { soldBy: 'kg', unit: 'm' }),
  item('COLA', 199, 'drinks', { charges: [{ id: CAN, containers: 1 }] }),
  item('COLA12', 699, 'drinks', {
    charges: [
      { id: CAN, containers: 12 },
      { id: 'sim-fee', containers: 12 },
    ],
  }),
  item('MILK', 549, 'dairy', { taxCategory: 'zero-rated', charges: [{ id: JUG, containers: 1 }] }),
  item('WATER', 200, 'drinks', { taxCategory: 'zero-rated', charges: [{ id: CAN, containers: 1 }] }),
  item('MUFFIN', 150, 'bakery', { taxRule: 'baked-serving' }),
  item('CHIPS', 429, 'snacks'),
  item('NUTS', 397, 'snacks', { taxCategory: 'zero-rated' }),
]

const CHARGES = z.array(Charge).parse([
  { id: CAN, kind: 'deposit', names: named('Deposit can'), cents: 10 },
  { id: JUG, kind: 'deposit', names: named('Deposit jug'), cents: 25, refundCents: 15 },
  { id: 'sim-fee', kind: 'fee', names: named('Fee'), cents: 2 },
])

const COUPONS = z.array(Coupon).parse([
  { code: 'TWO-OFF', name: named('Two off'), dollars: 2, minimumDollars: 10 },
  { code: 'DRINKS-15', name: named('Drinks'), percent: 15, department: 'drinks' },
  { code: 'CHIPS-1', name: named('Chips'), dollars: 1, sku: 'CHIPS' },
])

const MANUFACTURERS = z.array(ManufacturerCoupon).parse([
  { code: 'MAKER-CHIPS', name: named('Chips'), dollars: 1.25, sku: 'CHIPS' },
  { code: 'MAKER-COLA', name: named('Two colas'), dollars: 3, sku: 'COLA12', units: 2 },
  { code: 'MAKER-SNACKS', name: named('Snacks'), dollars: 20, department: 'snacks' },
  { code: 'MAKER-MILK', name: named('Milk'), sku: 'MILK' },
  { code: 'MAKER-ANY', name: named('Any'), dollars: 1.5 },
])
export const COUPON_CODES = COUPONS.map(({ code }) => code)
export const MANUFACTURER_CODES = MANUFACTURERS.map(({ code }) => code)

const of = (...skus: readonly string[]): PromotionItems => ({
  kind: 'items',
  skus: skus.map((sku) => Sku.parse(sku)),
})

function drawPromotions(rng: SeededRng): Promotion[] {
  const ppm = 10_000 * (5 + rng.below(30))
  const rules: readonly (readonly [id: string, PromotionItems, PromotionReward, object?])[] = [
    ['chips', of('CHIPS'), { kind: 'set-price', units: 2, cents: cents(700) }],
    ['fresh', of('GRAPES', 'SALAD'), { kind: 'percent', ppm }],
    ['milk', of('MILK'), { kind: 'price', cents: cents(400 + rng.below(149)) }, { buyers: 'members' }],
    ['mix', of('NUTS', 'MUFFIN', 'COLA'), { kind: 'buy-get', buy: 2, get: 1, ppm: rng.onceIn(2) ? 1_000_000 : ppm }],
    [
      'basket',
      { kind: 'all' },
      { kind: 'basket-amount', cents: cents(300 + rng.below(400)) },
      { conditions: { minimumCents: 6_000 } },
    ],
    [
      'snacks',
      { kind: 'departments', ids: ['snacks'] },
      { kind: 'basket-percent', ppm },
      { stackable: true, conditions: { minimumCents: 2_000 } },
    ],
  ]
  return rules.map(([id, items, reward, more = {}]) =>
    Promotion.parse({ id, names: named(id), items, reward, ...more }),
  )
}

export function drawStore(rng: SeededRng, store: Profile, items: readonly Item[]): DaysStore {
  const goods = rng.for('goods')
  return {
    items: [...items, ...GOODS],
    profile: {
      ...store,
      region: rng.pick(['ON', 'QC', 'BC']),
      timeZone: rng.pick(ZONES),
      issuance: IssuanceSettings.parse({
        mode: rng.onceIn(4) ? 'partner' : 'service',
        rules: [{ kind: 'base', offerCode: 'BASE', miles: 1, perDollars: 5, rounding: 'whole-steps' }],
      }),
      shifts: {
        ...store.shifts,
        opening: rng.onceIn(3) ? 'counted' : 'automatic',
        ...(rng.onceIn(2) ? { floatDollars: 100 } : {}),
        drawers: rng.onceIn(2) ? 'cashier' : 'lane',
      },
      promotions: drawPromotions(goods),
      coupons: COUPONS,
      manufacturerCoupons: MANUFACTURERS,
      deposits: {
        charges: CHARGES,
        earnMiles: goods.onceIn(3),
        empties: { accepted: true, most: 60, approvalFromDollars: 4 },
      },
    },
  }
}
