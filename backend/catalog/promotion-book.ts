import type { PromotionList, SavePromotion } from '../../contracts/catalog/promotions.ts'
import { Promotion } from '../../contracts/catalog/promotions.ts'
import { PromotionChange } from '../../contracts/store/changes.ts'
import { perLane, type Ctx } from '../core/context.ts'
import { dayAt } from '../core/zone.ts'
import { createStoreBook } from './store-book.ts'

const stateOn = (today: string, { times: { fromDay, untilDay } }: Promotion): 'now' | 'planned' | 'ended' =>
  untilDay !== undefined && untilDay < today ? 'ended' : fromDay !== undefined && fromDay > today ? 'planned' : 'now'

/** The promotions of the store: those of the profile, with the changes of its managers. */
export const promotionBookOf = perLane((ctx: Ctx) => {
  const book = createStoreBook(ctx, {
    kind: 'promotion',
    profile: ctx.profile.promotions,
    entry: Promotion,
    change: PromotionChange,
    nameOf: ({ id }) => id,
    keyOf: (id) => id,
    problems: { used: 'promotion-id-used', unknown: 'promotion-unknown' },
  })
  const list = (): PromotionList => {
    const today = dayAt(ctx.clock.now(), ctx.profile.timeZone)
    return {
      promotions: book.list().map(({ entry, from }) => ({ promotion: entry, from, state: stateOn(today, entry) })),
    }
  }
  return {
    list,
    all: book.all,
    keyOf: book.keyOf,
    onChange: book.onChange,
    /** Throws `promotion-id-used`, `promotion-unknown` and `changed-meanwhile`. */
    save({ how, promotion, seen }: SavePromotion, staffId: string): PromotionList {
      book.save(how, promotion, seen, staffId)
      return list()
    },
    saveAll(promotions: readonly Promotion[], staffId: string): PromotionList {
      book.saveAll(promotions, staffId)
      return list()
    },
    /** Throws `promotion-unknown`. */
    remove(id: string, staffId: string): PromotionList {
      book.remove(id, staffId)
      return list()
    },
  }
})
