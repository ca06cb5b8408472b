import { z } from 'zod'
import { eachLocale, Names } from '../core/locales.ts'
import { freeText } from '../core/text.ts'
import { Sku } from '../core/ids.ts'
import { Cents } from '../core/money.ts'
import { readFile } from './files.ts'

/** Maximum number of promotions of a store. The speed of pricing was measured with 1,000. */
export const MAX_PROMOTIONS = 2_000
export const LARGEST_SET = 100
const WHOLE_PPM = 1_000_000

export const PromotionId = z
  .string()
  .trim()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'lower-case letters, digits and dashes, at most 40')

const Amount = Cents.refine((value) => value >= 1 && value <= 10_000_000, 'an amount of one cent or more')
/** A share in parts per million: 250,000 is 25 %. */
const SharePpm = z.int().min(1).max(WHOLE_PPM)
const Units = z.int().min(1).max(LARGEST_SET)

/** Items to which a promotion applies, or that a condition counts. Gift cards are never among them. */
export const PromotionItems = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('all') }),
  z.strictObject({ kind: z.literal('items'), skus: z.array(Sku).min(1).max(1_000) }),
  z.strictObject({
    kind: z.literal('departments'),
    ids: z
      .array(freeText({ max: 80 }))
      .min(1)
      .max(100),
  }),
  z.strictObject({
    kind: z.literal('categories'),
    ids: z
      .array(freeText({ max: 80 }))
      .min(1)
      .max(100),
  }),
])
export type PromotionItems = z.infer<typeof PromotionItems>

/**
 * The reduction of a promotion. `percent`, `amount` and `price` reduce each unit. `set-price` sells each full set of
 * `units` for `cents`, dearest units first. `buy-get` sorts units by falling price, cuts them into groups of
 * `buy + get` and reduces the last `get` of each full group by `ppm`. `basket-percent` and `basket-amount` reduce the
 * total of all items of the promotion once.
 */
export const PromotionReward = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('percent'), ppm: SharePpm }),
  z.strictObject({ kind: z.literal('amount'), cents: Amount }),
  z.strictObject({ kind: z.literal('price'), cents: Cents.refine((value) => value >= 0, 'not negative') }),
  z.strictObject({ kind: z.literal('set-price'), units: Units.min(2), cents: Amount }),
  z.strictObject({
    kind: z.literal('buy-get'),
    buy: z.int().min(0).max(LARGEST_SET),
    get: Units,
    ppm: SharePpm,
    getItems: PromotionItems.optional().describe(
      'items that are reduced, if they differ from the items that are bought',
    ),
  }),
  z.strictObject({ kind: z.literal('basket-percent'), ppm: SharePpm }),
  z.strictObject({ kind: z.literal('basket-amount'), cents: Amount }),
])
export type PromotionReward = z.infer<typeof PromotionReward>

const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'HH:MM')

/** When a promotion applies, in store time. An omitted field does not limit it. */
export const PromotionTimes = z.strictObject({
  fromDay: z.iso.date().optional(),
  untilDay: z.iso.date().optional().describe('the last day'),
  weekdays: z.array(z.int().min(1).max(7)).min(1).max(7).optional().describe('1 is Monday'),
  fromTime: TimeOfDay.optional(),
  untilTime: TimeOfDay.optional().describe('the first minute without it; before fromTime it is on the next day'),
})
export type PromotionTimes = z.infer<typeof PromotionTimes>

/** Conditions on the basket. Amounts are after the reductions by promotions that are applied before this one. */
export const PromotionConditions = z.strictObject({
  counts: PromotionItems.optional().describe('items that the minimums count; the items of the promotion if omitted'),
  minimumCents: Amount.optional(),
  minimumUnits: z.int().min(1).max(9_999).optional(),
  alsoNeeds: z.array(Sku).min(1).max(20).optional().describe('each of these items must be in the basket'),
})
export type PromotionConditions = z.infer<typeof PromotionConditions>

export const Promotion = z.strictObject({
  id: PromotionId,
  names: eachLocale(freeText({ max: 60 })),
  items: PromotionItems,
  reward: PromotionReward,
  conditions: PromotionConditions.default({}),
  times: PromotionTimes.default({}),
  buyers: z
    .enum(['everyone', 'members', 'staff', 'seniors'])
    .default('everyone')
    .describe('members: a collector on the sale. staff, seniors: approved by a cashier or supervisor'),
  most: z.int().min(1).max(9_999).optional().describe('most sets, or units without a set, per sale'),
  stackable: z
    .boolean()
    .default(false)
    .describe('false: each unit, and the basket, takes at most one such promotion, the best for the customer'),
  priority: z.int().min(0).max(999).default(100).describe('order of stackable promotions, lowest first'),
})
export type Promotion = z.infer<typeof Promotion>

/** GET /api/catalog/promotions */
export const PromotionList = z.object({
  promotions: z.array(
    z.object({
      promotion: Promotion,
      from: z.enum(['lane', 'profile']),
      state: z.enum(['now', 'planned', 'ended']).describe('by its first and last day'),
    }),
  ),
})
export type PromotionList = z.infer<typeof PromotionList>

/** POST /api/catalog/promotions: adds a promotion, or replaces the one with its id. */
export const SavePromotion = z.object({
  how: z.enum(['add', 'change']),
  promotion: Promotion,
  seen: Promotion.optional().describe('The promotion as the form showed it'),
})
export type SavePromotion = z.infer<typeof SavePromotion>

/** POST /api/catalog/promotions/remove */
export const RemovePromotion = z.object({ id: PromotionId })

/** POST /api/catalog/promotions/file reads a CSV file of promotions (application/octet-stream); it changes nothing. */
export const ReadPromotions = readFile({
  promotions: z.array(Promotion).describe('the added and changed ones'),
})
export type ReadPromotions = z.infer<typeof ReadPromotions>

/** POST /api/catalog/promotions/save-all: adds promotions, or replaces those with their ids; all or none. */
export const SavePromotions = z.object({ promotions: z.array(Promotion).min(1).max(MAX_PROMOTIONS) })

/**
 * POST /api/catalog/promotions/preview: applies a draft to a sample basket, together with the other promotions of the
 * store.
 */
export const PreviewPromotion = z.object({
  promotion: Promotion,
  lines: z
    .array(z.object({ sku: Sku, quantity: z.int().min(1).max(999) }))
    .min(1)
    .max(20),
  isMember: z.boolean(),
  at: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/)
    .optional()
    .describe('store time when the items are rung; now if omitted'),
})
export type PreviewPromotion = z.infer<typeof PreviewPromotion>
export const PromotionPreview = z.object({
  lines: z.array(
    z.object({
      sku: Sku,
      name: Names,
      quantity: z.int(),
      unitPriceCents: Cents,
      amountCents: Cents.describe('after promotions, before tax'),
      reductions: z.array(z.object({ id: PromotionId, name: Names, amountCents: Cents })),
    }),
  ),
  savedCents: Cents,
})
export type PromotionPreview = z.infer<typeof PromotionPreview>
