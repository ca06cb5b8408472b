import type { Promotion, PromotionItems } from '../../../contracts/catalog/promotions.ts'
import { isActiveAt, type StoreMoment } from './promotion-times.ts'

export interface PromotableLine {
  readonly number: number
  readonly sku: string
  readonly departmentId: string
  readonly categoryId: string | null
  /** Quantity in whole units. A weighed line is one unit at the amount of the line. */
  readonly quantity: number
  /** Price of a unit when the line was rung, in cents; for a stackable promotion, less earlier reductions. */
  readonly unitCents: number
  /** Measured quantity divided by the quantity that has the price; left out: sold by the piece. */
  readonly measured?: number
  /** False for packs with their own price and lines with a manual price. They still count for minimums. */
  readonly isReducible: boolean
  /** Store time when the line was rung: promotions active at that time apply to it. */
  readonly rungAt: StoreMoment
}

/** Groups of buyers whose promotions apply to the sale, in addition to the promotions for everyone. */
export interface Buyers {
  readonly members: boolean
  readonly staff: boolean
  readonly seniors: boolean
}

/** Whether a promotion needs a number of pieces, which a weighed line does not have. */
const countsPieces = ({ reward }: Promotion): boolean => reward.kind === 'set-price' || reward.kind === 'buy-get'

export const WHOLE_PPM = 1_000_000

/** Returns a share of an amount in cents, rounded half up. The result is exact up to nine billion cents. */
export const shareOf = (amount: number, ppm: number): number => Math.floor((amount * ppm + WHOLE_PPM / 2) / WHOLE_PPM)

/** Promotions with an index by the items that they name, so that only the promotions of a sale's items are read. */
export interface PromotionIndex {
  readonly all: readonly Promotion[]
  readonly bySku: ReadonlyMap<string, readonly Promotion[]>
  readonly byDepartment: ReadonlyMap<string, readonly Promotion[]>
  readonly byCategory: ReadonlyMap<string, readonly Promotion[]>
  /** Number of the first line that a promotion reduces, by its id; without an entry, it reduces all lines. */
  readonly firstLines: ReadonlyMap<string, number>
}

export function indexPromotions(
  promotions: readonly Promotion[],
  firstLines: ReadonlyMap<string, number> = new Map(),
): PromotionIndex {
  const index = {
    firstLines,
    all: [] as Promotion[],
    bySku: new Map<string, Promotion[]>(),
    byDepartment: new Map<string, Promotion[]>(),
    byCategory: new Map<string, Promotion[]>(),
  }
  const put = (map: Map<string, Promotion[]>, key: string, promotion: Promotion): void => {
    const known = map.get(key)
    if (known === undefined) map.set(key, [promotion])
    else if (!known.includes(promotion)) known.push(promotion)
  }
  const add = (items: PromotionItems, promotion: Promotion): void => {
    switch (items.kind) {
      case 'all':
        if (!index.all.includes(promotion)) index.all.push(promotion)
        break
      case 'items':
        for (const sku of items.skus) put(index.bySku, sku, promotion)
        break
      case 'departments':
        for (const id of items.ids) put(index.byDepartment, id, promotion)
        break
      case 'categories':
        for (const id of items.ids) put(index.byCategory, id, promotion)
        break
    }
  }
  for (const promotion of promotions) {
    add(promotion.items, promotion)
    if (promotion.reward.kind === 'buy-get' && promotion.reward.getItems) add(promotion.reward.getItems, promotion)
  }
  return index
}

export function matches(items: PromotionItems, line: PromotableLine): boolean {
  switch (items.kind) {
    case 'all':
      return true
    case 'items':
      return items.skus.includes(line.sku)
    case 'departments':
      return items.ids.includes(line.departmentId)
    case 'categories':
      return line.categoryId !== null && items.ids.includes(line.categoryId)
  }
}

export const compareIds = (a: Promotion, b: Promotion): number => (a.id < b.id ? -1 : Number(a.id > b.id))

export interface Candidate {
  readonly promotion: Promotion
  readonly lines: readonly PromotableLine[]
}

/** Returns the promotions that may reduce these lines for these buyers, ordered by id. */
export function candidatesOf(lines: readonly PromotableLine[], index: PromotionIndex, buyers: Buyers): Candidate[] {
  const reducible = lines.filter(({ isReducible }) => isReducible)
  const found = new Map<Promotion, PromotableLine[]>()
  for (const promotion of index.all) found.set(promotion, reducible)
  for (const line of reducible) {
    const promotions = [
      index.bySku.get(line.sku),
      index.byDepartment.get(line.departmentId),
      index.byCategory.get(line.categoryId ?? ''),
    ]
    for (const promotion of promotions.flatMap((named) => named ?? [])) {
      const known = found.get(promotion)
      if (known === undefined) found.set(promotion, [line])
      // A promotion can be in the index twice for a line: by the items to buy, and by the items to reduce.
      else if (known !== reducible && known.at(-1) !== line) known.push(line)
    }
  }
  const candidates: Candidate[] = []
  for (const [promotion, named] of found) {
    if (promotion.buyers !== 'everyone' && !buyers[promotion.buyers]) continue
    const first = index.firstLines.get(promotion.id) ?? 0
    const isPieceOnly = countsPieces(promotion)
    const reduced = named.filter(
      ({ number, measured, rungAt }) =>
        number >= first && !(isPieceOnly && measured !== undefined) && isActiveAt(promotion.times, rungAt),
    )
    if (reduced.length > 0) candidates.push({ promotion, lines: reduced })
  }
  return candidates.sort((a, b) => compareIds(a.promotion, b.promotion))
}
