import { z } from 'zod'
import type { RungItem } from '../../catalog/packs.ts'
import type { PriceCheck } from '../../../contracts/catalog/catalog.ts'
import { Promotion } from '../../../contracts/catalog/promotions.ts'
import type { LineMeasure } from '../../../contracts/catalog/measure.ts'
import { UNIT_RULES } from '../../../contracts/catalog/measure-units.ts'
import { cents } from '../../../contracts/core/money.ts'
import { isGoods } from '../../catalog/charges.ts'
import { promotionBookOf } from '../../catalog/promotion-book.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { DiscountRow } from '../sale/sale-rows.sql.ts'
import { type LineRow, type SaleRow, saleRowsOf } from '../sale/sales.sql.ts'
import { type Buyers, type PromotableLine, candidatesOf, indexPromotions } from './promotion-index.ts'
import { applyPromotions } from './promotions.ts'
import { momentAt } from './promotion-times.ts'

/** Numbers of reductions that are not stored yet: above those of stored discounts. */
const FIRST_NUMBER = 100_000

/**
 * The promotions that may apply to a sale, and the groups to which its customer belongs, as its first payment stored
 * them. `firstLines`: number of the line, by the id of each promotion that was added with a line after that payment.
 */
const StoredRules = z.object({
  promotions: z.array(Promotion),
  buyers: z.object({ members: z.boolean(), staff: z.boolean(), seniors: z.boolean() }),
  firstLines: z.record(z.string(), z.int()).default({}),
})
type StoredRules = z.infer<typeof StoredRules>

const known = (promotions: readonly Promotion[], firstLines: StoredRules['firstLines'] = {}) => ({
  index: indexPromotions(promotions, new Map(Object.entries(firstLines))),
  names: new Map(promotions.map(({ id, names }) => [id, names])),
})

/** The measured quantity as a share of the quantity that has the price. A price on a label is that of one piece. */
const measuredAs = (measure: LineMeasure | null | undefined) =>
  measure ? { measured: measure.netThousandths / UNIT_RULES[measure.unit].per } : {}

type PricedSale = Pick<SaleRow, 'id' | 'state' | 'openedAt' | 'memberLast4' | 'buyers' | 'promotionRules'>

/** Promotions on the lines of the open sale. */
export const salePromotionsOf = perLane((ctx: Ctx) => {
  const book = promotionBookOf(ctx)
  const { timeZone } = ctx.profile
  let current = known(book.all())
  let last: { readonly key: string; readonly rows: DiscountRow[] } | null = null
  book.onChange(() => {
    current = known(book.all())
    last = null
  })

  const promotableOf = ({ openedAt }: PricedSale, lines: readonly LineRow[]): PromotableLine[] =>
    lines
      .filter((line) => line.voided === 0 && isGoods(line))
      .map((line) => ({
        number: line.number,
        sku: line.sku,
        departmentId: line.departmentId,
        categoryId: line.categoryId,
        quantity: line.quantity,
        unitCents: cents(line.unitPriceCents),
        // A pack with its own price takes no further promotion.
        isReducible: line.regularPriceCents === null && line.packPieces === null,
        ...measuredAs(line.measure),
        rungAt: momentAt(line.rungAt ?? openedAt, timeZone),
      }))

  const storedOf = ({ promotionRules }: PricedSale): StoredRules | null =>
    promotionRules === null ? null : StoredRules.parse(JSON.parse(promotionRules))

  /** The buyers of a sale, as its first payment stored them. Without a collector, no price for members applies. */
  function buyersOf({ memberLast4, buyers }: PricedSale, stored: StoredRules | null): Buyers {
    const members = memberLast4 !== null
    return stored
      ? { ...stored.buyers, members: stored.buyers.members && members }
      : { members, staff: buyers === 'staff', seniors: buyers === 'seniors' }
  }

  /** Adds the store's promotions that apply to a line rung now, and that the sale does not have yet. */
  function withLine(stored: StoredRules, line: PromotableLine, buyers: Buyers): StoredRules {
    const has = new Set(stored.promotions.map(({ id }) => id))
    const added = candidatesOf([line], current.index, buyers)
      .map(({ promotion }) => promotion)
      .filter(({ id }) => !has.has(id))
    return {
      ...stored,
      promotions: [...stored.promotions, ...added],
      firstLines: { ...stored.firstLines, ...Object.fromEntries(added.map(({ id }) => [id, line.number])) },
    }
  }

  function reductionsOf(sale: PricedSale, lines: readonly LineRow[]): DiscountRow[] {
    const stored = storedOf(sale)
    const { index, names } = stored ? known(stored.promotions, stored.firstLines) : current
    const shares = applyPromotions(promotableOf(sale, lines), index, buyersOf(sale, stored))
    return shares.map(({ promotion, line, amountCents }, at) => ({
      number: FIRST_NUMBER + at,
      reach: { kind: 'line', number: line },
      off: { kind: 'amount', cents: amountCents },
      minimumCents: cents(0),
      source: 'promotion',
      reason: null,
      coupon: null,
      promotion: { id: promotion, name: names.get(promotion) ?? {} },
    }))
  }

  return {
    /** Calls the listener when the store's promotions change. */
    onChange: book.onChange,
    /** Reductions of the current lines of an open sale. A closed sale has stored ones. */
    ofOpen(sale: PricedSale, lines: readonly LineRow[]): DiscountRow[] {
      if (sale.state === 'completed' || sale.state === 'cancelled') return []
      if (sale.promotionRules === null && current.names.size === 0) return []
      const key = JSON.stringify([
        sale.id,
        sale.memberLast4 !== null,
        sale.buyers,
        sale.promotionRules,
        lines.map((line) => [line.number, line.quantity, line.unitPriceCents, line.regularPriceCents, line.voided]),
      ])
      if (last?.key !== key) last = { key, rows: reductionsOf(sale, lines) }
      return last.rows
    },
    /**
     * Reductions of pieces of one item that are sold alone now, to the member of the open sale; and further promotions
     * for these goods, which need more pieces, other goods or a member.
     */
    ofSingle(item: RungItem, quantity: number): Pick<PriceCheck, 'reductions' | 'further'> {
      const open = saleRowsOf(ctx).openOn(ctx.lane.id)
      const line = {
        ...item,
        number: 1,
        quantity,
        unitCents: item.priceCents,
        isReducible: true,
        ...measuredAs(item.measure),
        rungAt: momentAt(ctx.clock.now(), timeZone),
      }
      const members = open !== undefined && buyersOf(open, storedOf(open)).members
      const named = (id: string) => ({ id, name: current.names.get(id) ?? {} })
      const reductions = applyPromotions([line], current.index, { members, staff: false, seniors: false }).map(
        ({ promotion, amountCents }) => ({ ...named(promotion), amountCents }),
      )
      const further = candidatesOf([line], current.index, { members: true, staff: false, seniors: false })
        .filter(({ promotion: { id, items } }) => items.kind !== 'all' && !reductions.some((used) => used.id === id))
        .map(({ promotion }) => named(promotion.id))
      return { reductions, further }
    },
    /** Whether the promotions of a line apply to a piece of its item that is rung now, so that it can join the line. */
    isSameWindow(sale: PricedSale, line: LineRow): boolean {
      const stored = storedOf(sale)
      if (stored === null && current.names.size === 0) return true
      const buyers = stored ? buyersOf(sale, stored) : { members: true, staff: true, seniors: true }
      const one = { ...line, quantity: 1, unitCents: cents(0), isReducible: true }
      const on = { ...one, rungAt: momentAt(line.rungAt ?? sale.openedAt, timeZone) }
      const alone = { ...one, number: line.number + 1, rungAt: momentAt(ctx.clock.now(), timeZone) }
      const idsOf = (piece: PromotableLine, rules: StoredRules | null): string =>
        candidatesOf([piece], rules ? known(rules.promotions, rules.firstLines).index : current.index, buyers)
          .map(({ promotion }) => promotion.id)
          .join()
      return idsOf(on, stored) === idsOf(alone, stored && withLine(stored, alone, buyers))
    },
    /** Stores the promotions of a sale with its first payment: later changes of the store's promotions do not count. */
    freeze(tx: Tx, sale: PricedSale, lines: readonly LineRow[]): void {
      if (sale.promotionRules !== null) return
      const buyers = buyersOf(sale, null)
      // A manual price may be set back later: its line then takes the promotions of the first payment.
      const unchanged = lines.map((line) => ({ ...line, regularPriceCents: null }))
      const candidates = candidatesOf(promotableOf(sale, unchanged), current.index, buyers)
      const rules = { promotions: candidates.map(({ promotion }) => promotion), buyers }
      saleRowsOf(ctx).setPromotionRules(tx, sale.id, JSON.stringify(rules))
    },
    /** Adds the promotions for an item that is rung after the first payment. They never reduce an earlier line. */
    addLine(tx: Tx, sale: PricedSale, line: LineRow): void {
      const stored = storedOf(sale)
      const [rung] = promotableOf(sale, [line])
      if (stored === null || rung === undefined) return
      const rules = withLine(stored, rung, buyersOf(sale, stored))
      saleRowsOf(ctx).setPromotionRules(tx, sale.id, JSON.stringify(rules))
    },
    /** Whether a partly paid sale has promotions for members. */
    hasMemberPrices: (sale: PricedSale): boolean =>
      storedOf(sale)?.promotions.some(({ buyers }) => buyers === 'members') ?? false,
  }
})
