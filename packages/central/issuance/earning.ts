import { z } from 'zod'
import type { BasketItem } from '../../../contracts/central/issuance.ts'
import { parseDollars } from '../../../contracts/core/money.ts'

/** Earning rule of an offer. Amounts are in cents before tax. */
export const EarningRule = z.discriminatedUnion('kind', [
  /** Gives `miles` per full `perCents` of the basket. */
  z.strictObject({ kind: z.literal('base'), miles: z.int().min(1), perCents: z.int().min(1) }),
  /** Gives `miles` per piece of one SKU. */
  z.strictObject({ kind: z.literal('item'), sku: z.string(), miles: z.int().min(1) }),
  /** Gives `miles` per full `perCents` spent in a category or department. */
  z.strictObject({
    kind: z.literal('category'),
    categoryId: z.string(),
    miles: z.int().min(1),
    perCents: z.int().min(1),
  }),
  z.strictObject({
    kind: z.literal('department'),
    departmentId: z.string(),
    miles: z.int().min(1),
    perCents: z.int().min(1),
  }),
  /** Gives `miles` once for a basket of at least `minimumCents` with this coupon. */
  z.strictObject({
    kind: z.literal('coupon'),
    coupon: z.string(),
    miles: z.int().min(1),
    minimumCents: z.int().min(0),
  }),
  /**
   * Gives `miles` once for a number of pieces of one SKU, to a collector who opted into an offer (specification 1 §3).
   */
  z.strictObject({
    kind: z.literal('opt-in'),
    optIn: z.uuid(),
    sku: z.string(),
    pieces: z.int().min(1),
    miles: z.int().min(1),
  }),
  z.strictObject({ kind: z.literal('partner') }),
])
export type EarningRule = z.infer<typeof EarningRule>

export interface IssuanceOffer {
  readonly code: string
  readonly offerId: string
  readonly descriptionEn: string
  readonly descriptionFr: string
  readonly rule: EarningRule
}

export interface Basket {
  readonly basketPreTaxAmount: number
  readonly items?: readonly BasketItem[] | undefined
  readonly coupon?: readonly string[] | undefined
}

export interface Earned {
  readonly offer: IssuanceOffer
  readonly miles: number
  readonly contributingItemIds: readonly string[]
}

const centsOf = (dollars: number): number => parseDollars(dollars.toFixed(2)) ?? 0
const sumOf = (items: readonly BasketItem[]): number =>
  items.reduce((total, item) => total + centsOf(item.finalAmount), 0)
const idsOf = (items: readonly BasketItem[]): string[] => [...new Set(items.map((item) => item.id))]
const wholeTimes = (cents: number, perCents: number): number => Math.max(0, Math.floor(cents / perCents))

/**
 * Returns the miles of a basket per offer, without offers that earn nothing. The same basket and opted-in offers always
 * give the same miles.
 */
export function earn(
  basket: Basket,
  offers: readonly IssuanceOffer[],
  optedInto: (offerId: string) => boolean,
): Earned[] {
  return offers.map((offer) => earnOne(basket, offer, optedInto)).filter((earned) => earned.miles > 0)
}

function earnOne(basket: Basket, offer: IssuanceOffer, optedInto: (offerId: string) => boolean): Earned {
  const items = basket.items ?? []
  const { rule } = offer
  switch (rule.kind) {
    case 'partner':
      return { offer, miles: 0, contributingItemIds: [] }
    case 'base':
      return {
        offer,
        miles: rule.miles * wholeTimes(centsOf(basket.basketPreTaxAmount), rule.perCents),
        contributingItemIds: idsOf(items),
      }
    case 'item': {
      const matching = items.filter((item) => item.id === rule.sku)
      return {
        offer,
        miles:
          rule.miles *
          Math.max(
            0,
            matching.reduce((count, item) => count + item.quantity, 0),
          ),
        contributingItemIds: idsOf(matching),
      }
    }
    case 'category': {
      const matching = items.filter((item) => item.categoryId === rule.categoryId)
      return {
        offer,
        miles: rule.miles * wholeTimes(sumOf(matching), rule.perCents),
        contributingItemIds: idsOf(matching),
      }
    }
    case 'department': {
      const matching = items.filter((item) => item.departmentId === rule.departmentId)
      return {
        offer,
        miles: rule.miles * wholeTimes(sumOf(matching), rule.perCents),
        contributingItemIds: idsOf(matching),
      }
    }
    case 'opt-in': {
      const matching = items.filter((item) => item.id === rule.sku)
      const pieces = matching.reduce((count, item) => count + item.quantity, 0)
      const applies = pieces >= rule.pieces && optedInto(rule.optIn)
      return { offer, miles: applies ? rule.miles : 0, contributingItemIds: applies ? idsOf(matching) : [] }
    }
    case 'coupon': {
      const applies =
        (basket.coupon ?? []).includes(rule.coupon) && centsOf(basket.basketPreTaxAmount) >= rule.minimumCents
      return { offer, miles: applies ? rule.miles : 0, contributingItemIds: [] }
    }
  }
}

/**
 * Subtracts returned baskets from a basket. Returns undefined when they contain more of an item, or a higher amount,
 * than the basket does. For a basket without items, compares only the amounts.
 */
export function remainingBasket(original: Basket, taken: readonly Basket[]): Basket | undefined {
  const cents =
    centsOf(original.basketPreTaxAmount) -
    taken.reduce((total, basket) => total + centsOf(basket.basketPreTaxAmount), 0)
  if (cents < 0) return undefined
  if (!original.items) return { ...original, basketPreTaxAmount: cents / 100 }
  const left = new Map<string, { item: BasketItem; quantity: number; cents: number }>()
  for (const item of original.items) {
    const existing = left.get(item.id)
    left.set(item.id, {
      item,
      quantity: (existing?.quantity ?? 0) + item.quantity,
      cents: (existing?.cents ?? 0) + centsOf(item.finalAmount),
    })
  }
  for (const item of taken.flatMap((basket) => basket.items ?? [])) {
    const existing = left.get(item.id)
    if (!existing || existing.quantity < item.quantity) return undefined
    left.set(item.id, {
      ...existing,
      quantity: existing.quantity - item.quantity,
      cents: existing.cents - centsOf(item.finalAmount),
    })
  }
  const items = [...left.values()]
    .filter(({ quantity }) => quantity > 0)
    .map(({ item, quantity, cents: amount }) => ({ ...item, quantity, finalAmount: Math.max(0, amount) / 100 }))
  return { ...original, basketPreTaxAmount: cents / 100, items }
}
