import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Staff } from '../../../contracts/staff/session.ts'
import type { GoodsChecks } from '../../../contracts/core/profile.ts'
import type { Tx } from '../../core/db/transact.ts'
import { measuredItem } from '../../catalog/measured.ts'
import { type RungItem, packed } from '../../catalog/packs.ts'
import { barcodeKey, packOf } from '../../catalog/editions/search-terms.ts'
import { nextQuantityOf } from './next-quantity.ts'
import { localDayAt } from '../../core/zone.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Who, withoutApproval } from '../approvals/guard.ts'
import type { App } from '../../core/http/app.ts'
import { salesContract } from '../../../contracts/sales/sales.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { whoOf } from '../approvals/approvals.ts'
import type { GoodsDoubt, Measure } from '../../../contracts/catalog/measure.ts'
import { refuseBlocked, salesOf } from '../sales.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { couponPresenterOf, couponTakingOf } from '../sale-changes/coupons.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

export type Scanning = ReturnType<typeof scanningOf>

const scanningStateOf = perLane(() => {
  return {
    /**
     * The scanned item that waits for an approval or a decision; only the last one waits. Held in memory: after a
     * restart, the item must be scanned again.
     */
    waiting: null as {
      readonly item: RungItem
      readonly quantity: number
      readonly until: number
      readonly doubt: GoodsDoubt | null
    } | null,
  }
})

/** Finds the item and the number of units that a scanned code rings. */
export function unitOf(ctx: Ctx, code: string): ReturnType<typeof packed> | undefined {
  const item = catalogOf(ctx).findByBarcode(code)
  const pack = item && packOf(item, [barcodeKey(code)])
  return pack ? packed(item, pack) : item && { item, quantity: 1 }
}

/** Returns the item of a label by an exact match of its barcode, its SKU or the label's base barcode. */
export function itemOfLabel(ctx: Ctx, code: string, base: string | undefined): Item | undefined {
  const catalog = catalogOf(ctx)
  return (
    catalog.findByBarcode(code) ??
    catalog.findBySku(code) ??
    (base === undefined ? undefined : catalog.findByBarcode(base))
  )
}

function labelled(
  ctx: Ctx,
  code: string,
  measure: Measure,
  base: string | undefined,
): { readonly item: RungItem; readonly quantity: number } | undefined {
  const item = itemOfLabel(ctx, code, base)
  return item && { item: measuredItem(item, measure, salesOf(ctx).isByWeight(item)), quantity: 1 }
}

/**
 * Whether a label may set the price of this item. Anyone can print a GS1 code, so it may set the price only of items
 * sold by weight, and of open-price items within their bounds. A label of the store's own layout may set the price of
 * every item, but not by a weight for items sold by the piece.
 */
function isPricedByLabel(ctx: Ctx, item: Item, measure: Measure, base: string | undefined): boolean {
  if (base !== undefined) return measure.kind === 'price' || item.soldBy !== 'each'
  if (salesOf(ctx).isByWeight(item)) return true
  const { openPrice } = item
  return (
    measure.kind === 'price' &&
    openPrice !== null &&
    measure.cents >= openPrice.leastCents &&
    measure.cents <= openPrice.mostCents
  )
}

function ringScanned(ctx: Ctx, item: RungItem, quantity: number, staff: Staff): void {
  const state = scanningStateOf(ctx)
  state.waiting = null
  try {
    salesOf(ctx).ring(item, quantity, 'scan', withoutApproval(staff))
    nextQuantityOf(ctx).set(null)
  } catch (error) {
    if (!(error instanceof ProblemError) || error.approval === undefined) throw error
    nextQuantityOf(ctx).set(null)
    state.waiting = { item, quantity, until: ctx.clock.now() + ctx.profile.limits.cardReadMs, doubt: null }
    ctx.publish({ type: 'approval-asked', request: error.approval })
  }
}

/**
 * Asks the cashier about goods that should not be sold, and returns true; false for other goods. Throws ProblemError if
 * the profile refuses them.
 */
function isDoubtful(
  ctx: Ctx,
  item: RungItem,
  quantity: number,
  goods: GoodsLabel & { readonly code: string },
  isComplete: boolean,
): boolean {
  const state = scanningStateOf(ctx)
  const found = checkGoods(goods, ctx.profile.goodsChecks, localDayAt(ctx.clock.now(), ctx.profile.timeZone))
  if (found === null) return false
  const { doubt, policy } = found
  state.waiting = null
  if (policy === 'refuse') throw new ProblemError(doubt.kind === 'expired' ? 'item-expired' : 'item-recalled')
  // Only a complete item waits. Otherwise, the cashier's entry of the price or the weight rings the item.
  if (isComplete) state.waiting = { item, quantity, until: ctx.clock.now() + ctx.profile.limits.cardReadMs, doubt }
  ctx.publish({ type: 'goods-asked', item, doubt })
  return true
}

function auditSoldAnyway(ctx: Ctx, tx: Tx, saleId: string, item: Item, doubt: GoodsDoubt, { actorId }: Who): void {
  ctx.audit.record(tx, {
    kind: 'goods-sold-anyway',
    actorId,
    subject: item.sku,
    detail: { saleId, ...(doubt.kind === 'expired' ? { sellBy: doubt.date } : { lot: doubt.lot }) },
  })
}

/**
 * Rings the scanned item that waited for this approval or decision. Throws ProblemError `scan-gone` if none is waiting.
 */
function ringWaiting(ctx: Ctx, who: Who): Sale {
  const state = scanningStateOf(ctx)
  if (state.waiting === null || state.waiting.until <= ctx.clock.now()) throw new ProblemError('scan-gone')
  const { item, quantity, doubt } = state.waiting
  const sale = ctx.transact((tx) => {
    const rung = salesOf(ctx).ring(item, quantity, 'command', who)
    if (doubt !== null) auditSoldAnyway(ctx, tx, rung.id, item, doubt, who)
    return rung
  })
  state.waiting = null
  nextQuantityOf(ctx).set(null)
  return sale
}

/**
 * Handles a scan in the backend, without a screen or an input field. With `measure`, the code is the label of one
 * piece, which is rung at the label's price or by its weight.
 */
function scan(ctx: Ctx, code: string, measure?: Measure, label: ScannedLabel = {}): void {
  const staff = ctx.signedIn()
  if (!staff) return
  try {
    const found = measure === undefined ? unitOf(ctx, code) : labelled(ctx, code, measure, label.base)
    if (found) ringFound(ctx, found, staff, measure, { code, ...label })
    else if (!couponTakingOf(ctx).takeScanned(code) && !couponPresenterOf(ctx)(code))
      ctx.publish({ type: 'scan-unknown', code })
  } catch (error) {
    // A device gets no response: publish a refusal to the screens. A refused scan must not crash the program.
    if (!(error instanceof ProblemError)) throw error
    ctx.publish({ type: 'scan-refused', code: error.code, messages: error.messages() })
  }
}

/** Rings a scanned item, or asks the cashier for its price or weight. */
function ringFound(
  ctx: Ctx,
  { item, quantity: pieces }: { readonly item: RungItem; readonly quantity: number },
  staff: Staff,
  measure: Measure | undefined,
  label: ScannedLabel & { readonly code: string },
): void {
  const entered = nextQuantityOf(ctx).pending()
  const quantity = pieces * (entered ?? 1)
  const isByMeasure = salesOf(ctx).isByWeight(item)
  if (measure !== undefined && !isPricedByLabel(ctx, item, measure, label.base))
    throw new ProblemError('label-price-refused')
  if ((measure !== undefined || isByMeasure) && entered !== null && entered > 1)
    throw new ProblemError('weighed-single')
  const isComplete = measure !== undefined || (item.openPrice === null && !isByMeasure)
  if (isDoubtful(ctx, item, quantity, label, isComplete)) return
  if (measure === undefined && isByMeasure) {
    refuseBlocked(item)
    ctx.publish({ type: 'weight-asked', item })
  } else if (isComplete) ringScanned(ctx, item, quantity, staff)
  else ctx.publish({ type: 'price-asked', item })
}

export const scanningOf = perLane((ctx: Ctx) => {
  scanningStateOf(ctx)
  return bound(ctx, {
    ringWaiting,
    scan,
  })
})

export function scanningRoutes(ctx: Ctx, app: App): void {
  const scanning = scanningOf(ctx)
  serve(app, salesContract['POST /sales/current/lines/scanned'], (request) => ({
    sale: scanning.ringWaiting(whoOf(request)),
  }))
}

export interface GoodsLabel {
  readonly lot?: string | undefined
  /** Last day on which the piece may be sold, as `YYYY-MM-DD`. */
  readonly expiry?: string | undefined
}

/** Data of a scanned label. `base`: its barcode with the price or weight set to zeros. */
export interface ScannedLabel extends GoodsLabel {
  readonly base?: string | undefined
}

export interface DoubtfulGoods {
  readonly doubt: GoodsDoubt
  readonly policy: 'refuse' | 'ask'
}

const gtin14 = (code: string): string => code.padStart(14, '0')

/**
 * Returns why a piece should not be sold on this day (`YYYY-MM-DD`), by the profile's policies. A refusal takes
 * precedence over a question to the cashier.
 */
export function checkGoods(
  goods: GoodsLabel & { readonly code: string },
  checks: GoodsChecks,
  today: string,
): DoubtfulGoods | null {
  const { code, lot, expiry } = goods
  const doubts: DoubtfulGoods[] = []
  const isRecalled = checks.recalledLots.some(
    (recalled) => recalled.lot === lot && gtin14(recalled.barcode) === gtin14(code),
  )
  if (lot !== undefined && isRecalled && checks.recalled !== 'ignore')
    doubts.push({ doubt: { kind: 'recalled', lot }, policy: checks.recalled })
  if (expiry !== undefined && expiry < today && checks.expired !== 'ignore')
    doubts.push({ doubt: { kind: 'expired', date: expiry }, policy: checks.expired })
  return doubts.find(({ policy }) => policy === 'refuse') ?? doubts[0] ?? null
}
