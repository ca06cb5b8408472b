import type { z } from 'zod'
import {
  fieldsOf,
  PROMOTION_FIELDS,
  type PromotionField,
  readPromotion,
  REQUIRED_PROMOTION_FIELDS,
} from '../../contracts/catalog/promotion-fields.ts'
import { MAX_PROMOTIONS, Promotion, type PromotionItems } from '../../contracts/catalog/promotions.ts'
import type { Ctx } from '../core/context.ts'
import { type BookFileRules, type UnusableName, withLeadingZeros } from './book-file.ts'
import { catalogOf } from './catalog.ts'
import { promotionBookOf } from './promotion-book.ts'

export const promotionFile = (ctx: Ctx): BookFileRules<Promotion, { readonly promotions: Promotion[] }> => ({
  name: 'promotions',
  columns: PROMOTION_FIELDS,
  required: REQUIRED_PROMOTION_FIELDS,
  maxEntries: MAX_PROMOTIONS,
  book: promotionBookOf(ctx),
  textsOf: fieldsOf,
  read: (texts, decimalComma) => {
    const read = readPromotion(texts, decimalComma)
    return 'wrong' in read ? read : { draft: withKnownSkus(ctx, read.promotion) }
  },
  entry: Promotion,
  unusableIn: (promotion) => unknownIn(ctx, promotion),
  found: (promotions) => ({ promotions }),
})

type Draft = z.input<typeof Promotion>

/** Restores the leading zeros that a spreadsheet removes from a SKU. */
function withKnownSkus(ctx: Ctx, draft: Draft): Draft {
  const known = (sku: string): string => withLeadingZeros(sku, (one) => catalogOf(ctx).findBySku(one) !== undefined)
  const within = <Of extends Draft['items'] | undefined>(of: Of): Of =>
    of?.kind === 'items' ? { ...of, skus: of.skus.map(known) } : of
  const { reward, conditions = {} } = draft
  return {
    ...draft,
    items: within(draft.items),
    reward: reward.kind === 'buy-get' && reward.getItems ? { ...reward, getItems: within(reward.getItems) } : reward,
    conditions: {
      ...conditions,
      ...(conditions.counts ? { counts: within(conditions.counts) } : {}),
      ...(conditions.alsoNeeds ? { alsoNeeds: conditions.alsoNeeds.map(known) } : {}),
    },
  }
}

/** Returns the items, departments and categories of a promotion that the catalog does not have. */
export function unknownIn(ctx: Ctx, { items, reward, conditions }: Promotion): UnusableName[] {
  const catalog = catalogOf(ctx)
  const names = catalog.names()
  const skus = (field: PromotionField, all: readonly string[]): UnusableName[] =>
    all.filter((sku) => catalog.findBySku(sku) === undefined).map((name) => ({ field, kind: 'item', name }))
  const inItems = (field: PromotionField, of: PromotionItems | undefined): UnusableName[] => {
    switch (of?.kind) {
      case undefined:
      case 'all':
        return []
      case 'items':
        return skus(field, of.skus)
      case 'departments':
        return of.ids.filter((id) => !names.hasDepartment(id)).map((name) => ({ field, kind: 'department', name }))
      case 'categories':
        return of.ids.filter((id) => !names.hasCategory(id)).map((name) => ({ field, kind: 'category', name }))
    }
  }
  return [
    ...inItems('items', items),
    ...inItems('get_items', reward.kind === 'buy-get' ? reward.getItems : undefined),
    ...inItems('counts', conditions.counts),
    ...skus('needs', conditions.alsoNeeds ?? []),
  ]
}
