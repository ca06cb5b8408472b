import type {
  BrokenRule,
  RecalledGoods,
  ReturnRule,
  ReturnSettings,
  ScannedGoods,
} from '../../../contracts/payments/return-rules.ts'
import type { CommitReturn } from '../../../contracts/payments/returns.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { type Cents, cents } from '../../../contracts/core/money.ts'
import type { GoodsChecks } from '../../../contracts/core/profile.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { isGoods } from '../../catalog/charges.ts'
import { piecesIn } from '../../catalog/packs.ts'
import { daysThatApply, returnDaysOf } from '../../catalog/return-days.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import type { Tx } from '../../core/db/transact.ts'
import { dayAfter, localDayAt, startOf } from '../../core/zone.ts'
import { checkGoods, unitOf } from '../../sales/scanning/scanning.ts'
import { returnRowsOf } from '../rows/returns.sql.ts'
import type { Plan } from './return-plans.ts'

/** The code of a scanned piece, or of a pack of several single pieces. */
export type ScannedPieces = ScannedGoods & { readonly pieces: number }

/** Goods of a return, with the data that the store's rules need. */
export interface RuledGoods {
  readonly name: Names
  readonly sku: string
  readonly departmentId: string
  /** Day of the sale (YYYY-MM-DD); null without a receipt. */
  readonly soldOn: string | null
  /** Days for a return by the rules when the goods were sold; null: unknown, or no rule. */
  readonly soldDays: number | null
  /** Number of single pieces, also of those in packs. */
  readonly pieces: number
  readonly scanned: readonly ScannedPieces[]
}

/**
 * Returns the recalled lot that the code of a piece shows, or null, and whether the piece expired after or before the
 * sale.
 */
function judgeScanned(
  scanned: ScannedGoods,
  checks: GoodsChecks,
  { soldOn }: Pick<RuledGoods, 'soldOn'>,
  today: string,
): { lot: string | null; expiredAfterSale: boolean; expiredAtSale: boolean } {
  const { lot, expiry } = scanned
  const recalled = checkGoods({ code: scanned.code, lot }, checks, today)
  const expired = checkGoods({ code: scanned.code, expiry }, checks, today)
  const expiredAtSale = expired !== null && soldOn !== null && expiry !== undefined && expiry < soldOn
  return {
    lot: recalled?.doubt.kind === 'recalled' ? recalled.doubt.lot : null,
    expiredAfterSale: expired !== null && !expiredAtSale,
    expiredAtSale,
  }
}

/**
 * Returns the rules about goods that a return breaks. Goods of a recalled lot, and goods that were expired when they
 * were sold, are always taken back: the store should not have sold them. A scanned code proves this only for its own
 * pieces.
 */
export function goodsRules(
  goods: readonly RuledGoods[],
  daysOf: (goods: RuledGoods) => number | null,
  checks: GoodsChecks,
  today: string,
): RulesOfReturn {
  const brokenRules: BrokenRule[] = []
  const recalled: RecalledGoods[] = []
  for (const one of goods) {
    const judged = one.scanned.map((scanned) => ({ scanned, ...judgeScanned(scanned, checks, one, today) }))
    const { name } = one
    for (const { lot } of judged) if (lot !== null) recalled.push({ name, lot })
    for (const { scanned, lot, expiredAfterSale } of judged)
      if (expiredAfterSale && lot === null) brokenRules.push({ rule: 'expired', name, day: scanned.expiry ?? today })
    const always = judged.filter(({ lot, expiredAtSale }) => lot !== null || expiredAtSale)
    if (always.reduce((sum, { scanned }) => sum + scanned.pieces, 0) >= one.pieces) continue
    const days = daysOf(one)
    if (days === 0) brokenRules.push({ rule: 'final-sale', name })
    else if (days !== null && one.soldOn !== null && today > dayAfter(one.soldOn, days))
      brokenRules.push({ rule: 'window', name, days, lastDay: dayAfter(one.soldOn, days) })
  }
  return { brokenRules, recalled }
}

/** Rules that a return breaks, and its goods of recalled lots. */
export interface RulesOfReturn {
  readonly brokenRules: readonly BrokenRule[]
  readonly recalled: readonly RecalledGoods[]
}

/** Number and value of the returns already made today. */
export interface MadeReturns {
  readonly count: number
  readonly totalCents: number
}

/** Returns the daily limits that one more return of this value would exceed. */
export function limitRules(
  { cashierCount, cashierDollars, laneCount, laneDollars }: ReturnSettings,
  totalCents: Cents,
  { cashier, lane }: { readonly cashier: MadeReturns; readonly lane: MadeReturns },
): BrokenRule[] {
  const counted = (rule: 'cashier-count' | 'lane-count', made: MadeReturns, most: number | undefined): BrokenRule[] =>
    most !== undefined && made.count + 1 > most ? [{ rule, most }] : []
  const summed = (rule: 'cashier-amount' | 'lane-amount', made: MadeReturns, dollars?: number): BrokenRule[] => {
    const mostCents = cents(Math.round((dollars ?? 0) * 100))
    return dollars !== undefined && made.totalCents + totalCents > mostCents ? [{ rule, mostCents }] : []
  }
  return [
    ...counted('cashier-count', cashier, cashierCount),
    ...summed('cashier-amount', cashier, cashierDollars),
    ...counted('lane-count', lane, laneCount),
    ...summed('lane-amount', lane, laneDollars),
  ]
}

/** Goods with the scanned codes of their pieces, as a client sent them. */
type SentGoods = Omit<RuledGoods, 'scanned'> & { readonly scanned: readonly ScannedGoods[] }

/**
 * Returns the scanned codes of an item, each with its number of pieces. Ignores the code of another item, which shows
 * nothing about the returned goods.
 */
const scannedOf = (ctx: Ctx, { sku, scanned }: Pick<SentGoods, 'sku' | 'scanned'>): ScannedPieces[] =>
  scanned.flatMap((one) => {
    const found = unitOf(ctx, one.code)
    if (found)
      return found.item.sku === sku
        ? [{ ...one, pieces: piecesIn({ quantity: found.quantity, packPieces: found.item.packPieces ?? null }) }]
        : []
    // The label of an item without a barcode has its SKU.
    return one.code === sku ? [{ ...one, pieces: 1 }] : []
  })

/**
 * Checks a return against the store's rules. `cashierId`: the person whose daily limits apply. For the reasons of the
 * rules, see docs/decisions/0015-order-of-refunds-and-limits-of-miles.md.
 */
function check(ctx: Ctx, sent: readonly SentGoods[], totalCents: Cents, cashierId: string): RulesOfReturn {
  const { returns, goodsChecks, timeZone } = ctx.profile
  const today = localDayAt(ctx.clock.now(), timeZone)
  const daysOf = ({ sku, departmentId, soldDays }: RuledGoods): number | null => {
    const returnDays = catalogOf(ctx).findBySku(sku)?.returnDays
    return daysThatApply(soldDays, returnDaysOf(returns, { departmentId, returnDays }))
  }
  const goods = sent.map((one) => ({ ...one, scanned: scannedOf(ctx, one) }))
  const { brokenRules, recalled } = goodsRules(goods, daysOf, goodsChecks, today)
  const of = { lane: ctx.lane.id, from: startOf(today, timeZone) }
  const made = {
    cashier: returnRowsOf(ctx).madeSince({ ...of, cashierId }),
    lane: returnRowsOf(ctx).madeSince({ ...of, cashierId: null }),
  }
  return { brokenRules: [...brokenRules, ...limitRules(returns, totalCents, made)], recalled }
}

/** Adds an audit entry for each rule that a committed return broke, and for recalled goods. */
function audit(
  ctx: Ctx,
  tx: Tx,
  {
    id,
    cashierId,
    approvedBy,
  }: { readonly id: string; readonly cashierId: string; readonly approvedBy: string | null },
  { brokenRules, recalled }: RulesOfReturn,
  totalCents: Cents,
): void {
  for (const rule of new Set(brokenRules.map((one): ReturnRule => one.rule)))
    ctx.audit.record(tx, {
      kind: 'return-rule-overridden',
      actorId: approvedBy ?? cashierId,
      subject: id,
      detail: { rule, cashier: cashierId, totalCents },
    })
  for (const { lot } of recalled)
    ctx.audit.record(tx, { kind: 'recalled-returned', actorId: cashierId, subject: id, detail: { lot } })
}

/** Checks a planned return of a sale; `scanned`: codes of its pieces by the number of their line. */
const checkPlan = (
  ctx: Ctx,
  { now, lines, totals }: Pick<Plan, 'now' | 'lines' | 'totals'>,
  scanned: CommitReturn['scanned'] = [],
  cashierId: string,
): RulesOfReturn => {
  const soldOn = localDayAt(now.sale.closedAt ?? now.sale.openedAt, ctx.profile.timeZone)
  // A command may name a line twice; its scanned codes count once.
  const pieces = new Map<number, number>()
  for (const { number, quantity, packPieces = null } of lines)
    pieces.set(number, (pieces.get(number) ?? 0) + piecesIn({ quantity, packPieces }))
  const goods = [...new Map(lines.filter(isGoods).map((line) => [line.number, line])).values()].map((line) => ({
    name: line.name,
    sku: line.sku,
    departmentId: line.departmentId,
    soldOn,
    soldDays: line.returnDays ?? null,
    pieces: pieces.get(line.number) ?? 0,
    scanned: scanned.filter(({ number }) => number === line.number),
  }))
  return check(ctx, goods, totals.totalCents, cashierId)
}

export const returnPolicyOf = perLane((ctx: Ctx) => bound(ctx, { check, checkPlan, audit }))
