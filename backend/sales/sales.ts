import { isDeepStrictEqual } from 'node:util'
import type { Item } from '../../contracts/catalog/catalog.ts'
import type { NoEarningReason, Sale } from '../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import type { SaleId } from '../../contracts/core/ids.ts'
import { type Cents, cents } from '../../contracts/core/money.ts'
import type { Tx } from '../core/db/transact.ts'
import { ageToCheck, latestBirthDate } from './sale/age-check.ts'
import { localDateTimeAt } from '../core/zone.ts'
import { isGiftCard } from '../catalog/gift-card.ts'
import { isMeasured, unitOfPrice, weightReader, withMeasure } from '../catalog/measured.ts'
import type { LineMeasure } from '../../contracts/catalog/measure.ts'
import type { Weighing } from '../../contracts/sales/weighing.ts'
import { weighingOf } from './weighing.ts'
import { type RungItem, packed, piecesIn } from '../catalog/packs.ts'
import { returnDaysOf } from '../catalog/return-days.ts'
import { reversalOpen } from '../core/central/reversal-window.ts'
import { saleIdOf } from './sale/sale-id.ts'
import { ProblemError } from '../core/problem.ts'
import { withoutApproval, type Who, guardOf } from './approvals/guard.ts'
import { stateOf, type LineRow, type NewLine, type SaleRow, saleRowsOf } from './sale/sales.sql.ts'
import { type SaleChange, openCardPayment } from './sale/sale-rows.sql.ts'
import {
  appliedOf,
  basketSignature,
  inquiryOf,
  pricedLines,
  totalsOf,
  type PreviewOffer,
  type PricedParts,
  type SaleParts,
} from './sale/sale-parts.ts'
import { viewOf } from './sale/sale-view.ts'
import { chargeBookOf, isEmpties } from '../catalog/charges.ts'
import { withCharges } from './sale/charges.ts'
import { coveredByCoupons } from './sale/paid-coupons.ts'
import { type GoodsLeft, goodsLeft, refusedPayment } from './sale/goods-payments.ts'
import { salePromotionsOf } from './pricing/sale-promotions.ts'
import { storeTaxesOf } from '../catalog/tax.ts'
import { basketTaxRulesOf } from '../../contracts/core/region-taxes.ts'
import { custodyOf } from './drawer.ts'
import { earlyPriceNoteOf } from '../catalog/planned-prices.ts'
import { catalogOf } from '../catalog/catalog.ts'
import { type Ctx, perLane, provided, bound } from '../core/context.ts'

export interface Preview {
  readonly miles: number | null
  readonly refusal: NoEarningReason | null
  readonly offers: readonly PreviewOffer[]
}

export type SaleCause = Extract<TerminalEvent, { type: 'sale-changed' }>['cause']

const SALT_ALPHABET = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
const MAX_QUANTITY = 999

/**
 * The one open sale of the lane. Every change is one commit that raises the version of the sale, and is published to
 * the screens. Tenders and the collector have their own modules.
 */
export type Sales = ReturnType<typeof salesOf>

/**
 * Returns the last change of a sale, which an undo would revert. Hides a change of the collector while a redemption,
 * unless declined or reversed, ties the sale to its collector.
 */
function within(change: SaleChange | null, redemption: SaleParts['redemption']): SaleChange | null {
  const tied = redemption !== undefined && redemption.state !== 'declined' && redemption.state !== 'reversed'
  return tied && change?.before.of === 'member' ? null : change
}

/** Throws ProblemError `sale-stale` if a command was made on an outdated screen. */
export function refuseStale({ version }: Pick<SaleRow, 'version'>, seen: number): void {
  if (version !== seen) throw new ProblemError('sale-stale')
}

const salesStateOf = perLane((ctx: Ctx) => {
  const changed = new Set<(parts: SaleParts, cause: SaleCause) => void>()
  const isByWeight = weightReader(ctx.lane.devices.scanner?.embedded ?? [])
  const previews = new Map<string, Preview & { basket: string }>()
  const newest = { sequence: 0, salt: '' }
  salePromotionsOf(ctx).onChange(() => {
    const open = saleRowsOf(ctx).openOn(ctx.lane.id)
    if (open) command(ctx, open.id, null, 'settings', () => 'undo-unchanged')
  })
  return {
    changed,
    isByWeight,
    previews,
    newest,
  }
})

function row(ctx: Ctx, id: string): SaleRow {
  const sale = saleRowsOf(ctx).byId(id)
  if (!sale) throw new ProblemError('not-found')
  return sale
}

/** Prices a sale with its deposits and fees. `rung`: lines to price instead of the stored ones. */
function priced(
  ctx: Ctx,
  id: string,
  rung: readonly LineRow[] = saleRowsOf(ctx).lines(id),
): PricedParts & { readonly sale: SaleRow } {
  const rows = saleRowsOf(ctx)
  const sale = row(ctx, id)
  const lines = withCharges(rung, sale.taxes === null)
  const discounts = [...salePromotionsOf(ctx).ofOpen(sale, lines), ...rows.discounts.ofSale(id)]
  const taxRules = sale.taxes === null ? { taxRules: basketTaxRulesOf(ctx.profile.region) } : {}
  return { sale, lines, ...taxRules, discounts, tenders: rows.tenders(id) }
}

function parts(ctx: Ctx, id: string): SaleParts {
  const repository = saleRowsOf(ctx)
  const { sale, lines, taxRules, discounts, tenders } = priced(ctx, id)
  const preview = salesStateOf(ctx).previews.get(id)
  const redemption = ctx.outbox.journal.newestOfSale(id, 'redemption')
  return {
    sale,
    inquiry: inquiryOf(sale),
    lines,
    ...(taxRules ? { taxRules } : {}),
    discounts,
    lastChange: within(repository.undo.ofSale(id, tenders.at(-1)?.number ?? 0), redemption),
    tenders,
    redemption,
    cards: repository.cards.ofSale(id),
    redemptionPaid: redemption !== undefined && repository.paidBy(id, redemption.id) > 0,
    reversalOpen:
      redemption?.state === 'approved' &&
      reversalOpen(ctx.clock.now(), redemption.transDateTime ?? '', ctx.profile.timeZone),
    giftCardsBuyGiftCards: giftCardsBuyGiftCards(ctx),
    issuance: ctx.outbox.journal.newestOfSale(id, 'issuance'),
    ageCheck: ageCheckOf(ctx, sale, lines),
    ...(preview && preview.basket === basketSignature({ sale, lines, discounts })
      ? { previewMiles: preview.miles, previewRefusal: preview.refusal, previewOffers: preview.offers }
      : { previewMiles: null, previewRefusal: null, previewOffers: [] }),
  }
}

/** Returns the minimum age for an item: its own, else that of its department. */
const minimumAgeOf = (ctx: Ctx, { minimumAge, departmentId }: Item): number | null =>
  minimumAge ?? ctx.profile.ageChecks.departments.find(({ id }) => id === departmentId)?.minimumAge ?? null

function ageCheckOf(ctx: Ctx, sale: SaleRow, lines: readonly LineRow[]): SaleParts['ageCheck'] {
  const minimumAge = sale.state === 'open' ? ageToCheck(lines, sale.ageChecked) : null
  if (minimumAge === null) return null
  const today = localDateTimeAt(ctx.clock.now(), ctx.profile.timeZone).toPlainDate()
  return {
    minimumAge,
    bornBy: latestBirthDate(minimumAge, today).toString(),
    clearlyOver: ctx.profile.ageChecks.clearlyOver,
    items: lines.flatMap((line) => (line.voided === 0 && line.minimumAge === minimumAge ? [line.name] : [])),
  }
}

const view = (ctx: Ctx, id: string): Sale => viewOf(parts(ctx, id), storeTaxesOf(ctx)())

function publish(ctx: Ctx, id: string, cause: SaleCause): Sale {
  const now = parts(ctx, id)
  const sale = viewOf(now, storeTaxesOf(ctx)())
  ctx.transact.afterCommit(() => {
    ctx.publish({ type: 'sale-changed', sale, cause })
    for (const listener of salesStateOf(ctx).changed) listener(now, cause)
  })
  return sale
}

function forCommand(ctx: Ctx, id: string, version: number | null): SaleParts {
  const now = parts(ctx, id)
  if (now.sale.state !== 'open') throw new ProblemError('sale-not-open')
  if (version !== null) refuseStale(now.sale, version)
  return now
}

/**
 * Like `forCommand`, for a payment: also refuses an empty sale, an open payment or age check, and a sale restored from
 * a backup.
 */
function forPayment(ctx: Ctx, id: string, version: number): SaleParts {
  const now = forCommand(ctx, id, version)
  if (!now.lines.some((line) => line.voided === 0)) throw new ProblemError('sale-empty')
  refuseDuringPayment(now)
  refuseUnchecked(now)
  refuseEarlierEpoch(ctx, now)
  return now
}

/**
 * Runs a command in one commit that raises the version of the sale, and publishes it. The change that `work` returns
 * can be undone; after `undo-unchanged`, the undo stack is unchanged.
 */
function command(
  ctx: Ctx,
  id: string,
  version: number | null,
  cause: SaleCause,
  work: (tx: Tx, now: SaleParts) => SaleChange | 'undone' | 'undo-unchanged' | undefined,
): Sale {
  ctx.transact((tx) => {
    const now = forCommand(ctx, id, version)
    const change = work(tx, releasePrices(ctx, tx, now) ? parts(ctx, id) : now)
    changedBy(ctx, tx, id, change)
  })
  return publish(ctx, id, cause)
}

/**
 * Lets the store's current promotions apply again to a sale whose payments were given back or failed. Returns whether
 * it did.
 */
function releasePrices(ctx: Ctx, tx: Tx, { sale, tenders, redemption, cards }: SaleParts): boolean {
  const isPaying = redemption?.state === 'intent' || redemption?.state === 'retry' || openCardPayment(cards)
  if (sale.promotionRules === null || tenders.length > 0 || isPaying) return false
  saleRowsOf(ctx).setPromotionRules(tx, sale.id, null)
  return true
}

/** Fixes the promotions of a sale from its first payment on. */
function freezePrices(ctx: Ctx, tx: Tx, id: string): void {
  salePromotionsOf(ctx).freeze(tx, row(ctx, id), saleRowsOf(ctx).lines(id))
}

/** Stores the reductions by promotions, before the sale is completed. */
function storePromotions(ctx: Ctx, tx: Tx, { sale, lines }: SaleParts): void {
  for (const { number: _number, source: _source, ...row } of salePromotionsOf(ctx).ofOpen(sale, lines))
    saleRowsOf(ctx).discounts.insert(tx, sale.id, { ...row, approvedBy: null })
}

/** Stores the tax category of each line under the rules of the basket, before the sale is completed. */
function storeTaxCategories(ctx: Ctx, tx: Tx, now: SaleParts): void {
  const { sale, lines } = now
  pricedLines(now).forEach(({ number, taxCategory }, at) => {
    if (taxCategory !== lines[at]?.taxCategory || lines[at].taxRule !== null)
      saleRowsOf(ctx).setTaxCategory(tx, sale.id, number, taxCategory)
  })
}

/** Stores the deposits and fees as lines, before the sale is completed. */
function storeCharges(ctx: Ctx, tx: Tx, { sale, lines }: SaleParts): void {
  for (const line of lines)
    if (line.chargeOf !== null && line.voided === 0) saleRowsOf(ctx).insertCharge(tx, sale.id, line)
}

/** Raises the version of a changed sale, and stores the previous values for undo. */
function changedBy(ctx: Ctx, tx: Tx, id: string, change: SaleChange | 'undone' | 'undo-unchanged' | undefined): void {
  const repository = saleRowsOf(ctx)
  if (change === undefined) return repository.touch(tx, id)
  repository.raise(tx, id)
  if (change === 'undo-unchanged') return
  if (change === 'undone') repository.undo.drop(tx, id)
  else repository.undo.push(tx, id, change)
}

function nextId(ctx: Ctx): { id: SaleId; sequence: number } {
  const sequence = saleRowsOf(ctx).nextSequence()
  const { newest } = salesStateOf(ctx)
  // A first item that needs approval is rolled back and rung again: its sale keeps the id that the approval covers.
  if (newest.sequence !== sequence) Object.assign(newest, { sequence, salt: saltOf(ctx) })
  const { salt } = newest
  return {
    sequence,
    id: saleIdOf({ locationCode: ctx.profile.program.locationCode, lane: ctx.lane.id, sequence, salt }),
  }
}

const saltOf = (ctx: Ctx): string =>
  Array.from({ length: 4 }, () => SALT_ALPHABET[Math.floor(ctx.rng.fraction() * SALT_ALPHABET.length)]).join('')

function openSale(ctx: Ctx, tx: Tx): SaleRow {
  const repository = saleRowsOf(ctx)
  const open = repository.openOn(ctx.lane.id)
  if (open) return open
  const staff = ctx.signedIn()
  if (!staff) throw new ProblemError('sign-in-required')
  custodyOf(ctx).require()
  const { id, sequence } = nextId(ctx)
  repository.insert(tx, { id, sequence, lane: ctx.lane.id, cashierId: staff.id, openedAt: ctx.clock.now() })
  return row(ctx, id)
}

const lineOf = (ctx: Ctx, item: RungItem, quantity: number): NewLine => ({
  sku: item.sku,
  name: item.name,
  quantity,
  unitPriceCents: item.priceCents,
  taxCategory: item.taxCategory,
  taxRule: item.taxRule ?? null,
  departmentId: item.departmentId,
  categoryId: item.categoryId,
  minimumAge: minimumAgeOf(ctx, item),
  rungAt: ctx.clock.now(),
  packPieces: item.packPieces ?? null,
  charges: chargeBookOf(ctx).ofItem(item, item.packPieces ?? 1),
  measure: item.measure ?? null,
  returnDays: returnDaysOf(ctx.profile.returns, item),
})

function addItem(ctx: Ctx, tx: Tx, saleId: string, item: RungItem, quantity: number): SaleChange {
  const repository = saleRowsOf(ctx)
  const last = repository.lines(saleId).at(-1)
  const minimumAge = minimumAgeOf(ctx, item)
  if (
    last &&
    last.sku === item.sku &&
    last.packPieces === (item.packPieces ?? null) &&
    // Each weighing is a line of its own.
    item.measure === undefined &&
    !isMeasured(last) &&
    isDeepStrictEqual(last.name, item.name) &&
    last.minimumAge === minimumAge &&
    last.unitPriceCents === item.priceCents &&
    last.taxCategory === item.taxCategory &&
    last.taxRule === (item.taxRule ?? null) &&
    isDeepStrictEqual(last.charges, chargeBookOf(ctx).ofItem(item, item.packPieces ?? 1)) &&
    last.quantity + quantity <= MAX_QUANTITY &&
    salePromotionsOf(ctx).isSameWindow(row(ctx, saleId), last) &&
    takesMore(ctx, saleId, last)
  ) {
    repository.setQuantity(tx, saleId, last.number, last.quantity + quantity)
    return { kind: 'ring', before: { of: 'line', number: last.number, row: stateOf(last) } }
  } else {
    repository.insertLine(tx, saleId, lineOf(ctx, item, quantity))
    const added = repository.lines(saleId).at(-1)
    if (added) salePromotionsOf(ctx).addLine(tx, row(ctx, saleId), added)
    return { kind: 'ring', before: { of: 'line', number: (last?.number ?? 0) + 1, row: null } }
  }
}

/**
 * Whether another piece can be added to a line. A changed price, a note, an exemption or a discount of a line is only
 * for its existing pieces.
 */
const takesMore = (ctx: Ctx, saleId: string, line: LineRow): boolean =>
  line.voided === 0 &&
  line.regularPriceCents === null &&
  line.note === null &&
  line.exemption === null &&
  !saleRowsOf(ctx)
    .discounts.ofSale(saleId)
    .some(({ reach }) => reach.kind === 'line' && reach.number === line.number)

/** Throws ProblemError `item-limit` if a sale has more pieces of an item than the item allows. */
function refuseAboveLimit(ctx: Ctx, saleId: string, { sku, mostPerSale = MAX_QUANTITY }: RungItem): void {
  const lines = saleRowsOf(ctx)
    .lines(saleId)
    .filter((line) => line.sku === sku && line.voided === 0)
  if (lines.reduce((sum, line) => sum + piecesIn(line), 0) <= mostPerSale) return
  throw new ProblemError('item-limit', [{ path: 'most', message: String(mostPerSale) }])
}

/** Throws ProblemError `empties-limit` if a sale has more empty containers than the profile allows. */
function refuseAboveMostEmpties(ctx: Ctx, saleId: string): void {
  const { most } = ctx.profile.deposits.empties
  const count = saleRowsOf(ctx)
    .lines(saleId)
    .reduce((sum, line) => (isEmpties(line) && line.voided === 0 ? sum + line.quantity : sum), 0)
  if (count > most) throw new ProblemError('empties-limit', [{ path: 'most', message: String(most) }])
}

/** Throws ProblemError `item-blocked` if an item must not be sold. */
export function refuseBlocked({ blocked }: Pick<Item, 'blocked'>): void {
  if (blocked !== undefined) throw new ProblemError('item-blocked', [{ path: 'reason', message: blocked }])
}

/**
 * Checks pieces that a new quantity or an undo added, like those of a rung item. Throws ProblemError `item-blocked` or
 * `item-limit`.
 */
function refuseAdded(ctx: Ctx, { sale, lines }: SaleParts): void {
  const pieces = new Map(lines.map((line) => [line.number, line.voided === 1 ? 0 : line.quantity]))
  for (const { number, sku, quantity, voided } of saleRowsOf(ctx).lines(sale.id)) {
    const item = voided === 0 && quantity > (pieces.get(number) ?? 0) ? catalogOf(ctx).findBySku(sku) : undefined
    if (item === undefined) continue
    refuseBlocked(item)
    if (item.mostPerSale !== undefined) refuseAboveLimit(ctx, sale.id, item)
  }
}

/**
 * Voids the lines of items that were blocked while a sale was on hold, and shows why. An undo of the void is refused,
 * as ringing the item is.
 */
function voidBlocked(ctx: Ctx, tx: Tx, id: string, actorId: string): void {
  for (const { number, sku, quantity, unitPriceCents, voided } of saleRowsOf(ctx).lines(id)) {
    const item = voided === 0 ? catalogOf(ctx).findBySku(sku) : undefined
    if (item?.blocked === undefined) continue
    saleRowsOf(ctx).voidLine(tx, id, number)
    const detail = { line: number, quantity, unitPriceCents }
    ctx.audit.record(tx, { kind: 'line-voided', actorId, subject: id, detail })
    const problem = new ProblemError('item-blocked', [{ path: 'reason', message: item.blocked }])
    ctx.transact.afterCommit(() => {
      ctx.publish({ type: 'scan-refused', code: problem.code, messages: problem.messages() })
    })
  }
}

function ring(ctx: Ctx, item: RungItem, quantity: number, cause: SaleCause, who: Who): Sale {
  const guard = guardOf(ctx)
  refuseBlocked(item)
  if (quantity > MAX_QUANTITY) throw new ProblemError('item-limit', [{ path: 'most', message: String(MAX_QUANTITY) }])
  const id = ctx.transact((tx) => {
    const sale = openSale(ctx, tx)
    if (sale.promotionRules !== null) releasePrices(ctx, tx, parts(ctx, sale.id))
    const mayAsk = item.measure?.source === 'typed' || guard.mayAsk(priced(ctx, sale.id))
    const before = mayAsk ? parts(ctx, sale.id) : null
    changedBy(
      ctx,
      tx,
      sale.id,
      withItemAdded(ctx, sale.id, () => addItem(ctx, tx, sale.id, item, quantity)),
    )
    if (item.mostPerSale !== undefined) refuseAboveLimit(ctx, sale.id, item)
    if (before) guard.change(before, parts(ctx, sale.id), who)
    earlyPriceNoteOf(ctx)(tx, sale.id, item)
    return sale.id
  })
  return publish(ctx, id, cause)
}

/**
 * Adds an item or pieces to a sale. Refuses that during a card payment, and if the sale then costs less than its
 * payments, as with a coupon that reaches its minimum amount.
 */
function withItemAdded<Added>(ctx: Ctx, id: string, add: () => Added): Added {
  const repository = saleRowsOf(ctx)
  if (openCardPayment(repository.cards.ofSale(id))) throw new ProblemError('sale-held-by-card')
  const added = add()
  if (repository.tenders(id).length > 0) refuseBelowTendered(ctx, id)
  return added
}

function ownAuthorization(ctx: Ctx): Who {
  const staff = ctx.signedIn()
  if (!staff) throw new ProblemError('sign-in-required')
  return withoutApproval(staff)
}

/**
 * Throws if the payments of a sale exceed its total, if a manufacturer's coupon exceeds the price of its items, or if a
 * form of payment would pay for a gift card or a deposit that it must not buy.
 */
function refuseBelowTendered(ctx: Ctx, id: string): void {
  const now = priced(ctx, id)
  // Without a payment, empty containers may make the total negative.
  if (now.tenders.length === 0) return
  const totals = totalsOf(now, storeTaxesOf(ctx)())
  if (totals.totalCents < totals.tenderedCents) throw new ProblemError('sale-below-tendered')
  refuseUncoveredCoupons(now)
  const tenders = appliedOf(now.tenders)
  const refusal = refusedPayment(
    goodsLeft(pricedLines(now), totals.totalCents, tenders, giftCardsBuyGiftCards(ctx)),
    tenders,
  )
  if (refusal !== null) throw new ProblemError(refusal)
}

const giftCardsBuyGiftCards = (ctx: Ctx): boolean => ctx.profile.store.giftCardsBuyGiftCards === true

/**
 * Amounts that miles, coupons and store credit may still pay of a sale. `rung`: lines to use instead of the stored
 * ones.
 */
function goodsLeftOf(ctx: Ctx, id: string, rung?: readonly LineRow[]): GoodsLeft {
  const now = priced(ctx, id, rung)
  const { totalCents } = totalsOf(now, storeTaxesOf(ctx)())
  return goodsLeft(pricedLines(now), totalCents, appliedOf(now.tenders), giftCardsBuyGiftCards(ctx))
}

/** Throws if a manufacturer's coupon paid more than the current price of the items that it needs. */
function refuseUncoveredCoupons(now: PricedParts): void {
  const paid = now.tenders.flatMap(({ coupon, amountCents }) => (coupon ? [{ ...coupon, amountCents }] : []))
  const covered = paid.length === 0 ? [] : coveredByCoupons(pricedLines(now), paid)
  if (paid.some(({ amountCents }, at) => amountCents > (covered[at] ?? 0))) throw new ProblemError('coupon-pays-items')
}

function refuseDuringPayment(now: SaleParts): void {
  if (now.redemption && (now.redemption.state === 'intent' || now.redemption.state === 'retry'))
    throw new ProblemError('sale-held-by-redemption')
  if (openCardPayment(now.cards)) throw new ProblemError('sale-held-by-card')
}

function refuseUnchecked({ ageCheck }: SaleParts): void {
  if (ageCheck !== null) throw new ProblemError('age-check-open')
}

/**
 * Refuses an open sale from a restored backup: after the backup, it may have been paid and sent under its id. It must
 * be cancelled and rung again, which gives it another id.
 */
function refuseEarlierEpoch(ctx: Ctx, { sale }: Pick<SaleParts, 'sale'>): void {
  if (saleRowsOf(ctx).isOfEarlierEpoch(sale.id)) throw new ProblemError('sale-before-restore')
}

function current(ctx: Ctx): Sale | null {
  const open = saleRowsOf(ctx).openOn(ctx.lane.id)
  return open ? view(ctx, open.id) : null
}

function touch(ctx: Ctx, tx: Tx, id: string): void {
  saleRowsOf(ctx).touch(tx, id)
}

function onChange(ctx: Ctx, listener: (now: SaleParts, cause: SaleCause) => void): void {
  salesStateOf(ctx).changed.add(listener)
}

function setPreview(ctx: Ctx, id: string, { miles, refusal, offers }: Preview): void {
  const state = salesStateOf(ctx)
  const now = parts(ctx, id)
  if (
    now.previewMiles === miles &&
    now.previewRefusal === refusal &&
    JSON.stringify(now.previewOffers) === JSON.stringify(offers)
  )
    return
  if (miles === null && refusal === null) state.previews.delete(id)
  else state.previews.set(id, { miles, refusal, offers, basket: basketSignature(now) })
  publish(ctx, id, 'preview')
}

function forgetPreview(ctx: Ctx, id: string): void {
  salesStateOf(ctx).previews.delete(id)
}

/**
 * Returns a new line for an item at today's price; undefined for an unknown item or pack. `isPriced`: false if the
 * price of the item must be entered.
 */
function lineToday(
  ctx: Ctx,
  sku: string,
  quantity: number,
  packPieces: number | null = null,
  rung: MeasuredPrice | null = null,
): { readonly line: NewLine; readonly isPriced: boolean } | undefined {
  const item = catalogOf(ctx).findBySku(sku)
  if (item !== undefined && rung !== null) return measuredToday(ctx, item, rung)
  if (item === undefined || packPieces === null)
    return item && { line: lineOf(ctx, item, quantity), isPriced: !item.openPrice }
  const pack = pricedPack(item, packPieces)
  return pack && { line: lineOf(ctx, packed(item, pack).item, quantity), isPriced: true }
}

/**
 * Returns a line for a measured quantity at today's price per unit; a price that a label showed stays. `isPriced`:
 * false if the item is now sold in another unit or at an open price.
 */
function measuredToday(
  ctx: Ctx,
  item: Item,
  { measure, unitPriceCents: amountCents }: MeasuredPrice,
): NonNullable<ReturnType<typeof lineToday>> {
  const { unit, unitPriceCents: _price, ...quantity } = measure
  if (measure.source === 'price-label')
    return { line: { ...lineOf(ctx, item, 1), unitPriceCents: amountCents, measure }, isPriced: true }
  const isSameUnit = salesStateOf(ctx).isByWeight(item) && unitOfPrice(item) === unit
  return isSameUnit
    ? { line: lineOf(ctx, withMeasure(item, quantity), 1), isPriced: !item.openPrice }
    : { line: { ...lineOf(ctx, item, 1), measure }, isPriced: false }
}

const pricedPack = ({ packs }: Item, pieces: number) =>
  packs?.find(({ quantity, priceCents }) => quantity === pieces && priceCents !== undefined)

/** Rings packs of a held sale again, by their number of pieces. */
function ringPack(ctx: Ctx, sku: string, pieces: number, quantity: number): Sale {
  const item = catalogOf(ctx).findBySku(sku)
  const pack = item && pricedPack(item, pieces)
  if (!pack) throw new ProblemError('item-unknown')
  return ringChosen(ctx, { sku, quantity, pack: pack.barcode }, ownAuthorization(ctx))
}

/**
 * The item, quantity and price that a cashier rings by touch or typing. `pack`: barcode of the item's pack that is rung
 * instead of a piece.
 */
export interface ChosenItem {
  readonly sku: string
  readonly quantity: number
  readonly priceCents?: Cents | undefined
  readonly pack?: string | undefined
  readonly weighing?: Weighing | undefined
}

const ringSku = (ctx: Ctx, sku: string, quantity: number, priceCents?: Cents): Sale =>
  ringChosen(ctx, { sku, quantity, priceCents }, ownAuthorization(ctx))

function ringChosen(ctx: Ctx, { sku, quantity, priceCents, pack: barcode, weighing }: ChosenItem, who: Who): Sale {
  const item = catalogOf(ctx).findBySku(sku)
  if (!item) throw new ProblemError('item-unknown')
  if (salesStateOf(ctx).isByWeight(item)) return ringWeighed(ctx, item, quantity, weighing, who)
  if (weighing !== undefined) throw new ProblemError('body-invalid')
  const pack = barcode === undefined ? undefined : item.packs?.find((one) => one.barcode === barcode)
  if (barcode !== undefined && pack === undefined) throw new ProblemError('item-unknown')
  const unit = pack ? packed(item, pack) : { item, quantity: 1 }
  const { openPrice } = unit.item
  if (!openPrice) return ring(ctx, unit.item, quantity * unit.quantity, 'command', who)
  if (priceCents === undefined) throw new ProblemError('price-required')
  if (priceCents < openPrice.leastCents || priceCents > openPrice.mostCents)
    throw new ProblemError('price-out-of-bounds')
  return ring(ctx, { ...unit.item, priceCents }, quantity * unit.quantity, 'command', who)
}

function ringWeighed(ctx: Ctx, item: Item, quantity: number, weighing: Weighing | undefined, who: Who): Sale {
  if (weighing === undefined) throw new ProblemError('weight-required')
  if (quantity !== 1) throw new ProblemError('weighed-single')
  return ctx.transact(() => {
    const sale = ring(ctx, weighingOf(ctx).weighed(item, weighing), 1, 'command', who)
    ctx.transact.afterCommit(() => {
      weighingOf(ctx).markSold(weighing)
    })
    return sale
  })
}

/** A measured quantity and its amount in a held sale. */
interface MeasuredPrice {
  readonly measure: LineMeasure
  readonly unitPriceCents: number
}

/** Rings a measured item of a held sale again, at the current price of its quantity or the price on its label. */
function ringMeasured(ctx: Ctx, sku: string, rung: MeasuredPrice): Sale {
  const known = lineToday(ctx, sku, 1, null, rung)
  const item = catalogOf(ctx).findBySku(sku)
  if (!item || !known?.isPriced || known.line.measure === null) throw new ProblemError('item-unknown')
  const priceCents = cents(known.line.unitPriceCents)
  return ring(ctx, { ...item, priceCents, measure: known.line.measure }, 1, 'command', ownAuthorization(ctx))
}

const changeQuantity = (ctx: Ctx, id: string, version: number, number: number, quantity: number, who: Who): Sale =>
  command(ctx, id, version, 'command', (tx, now) => {
    refuseDuringPayment(now)
    const line = openLine(now, number)
    if (isGiftCard(line)) throw new ProblemError('gift-card-single')
    if (quantity > line.quantity && isMeasured(line)) throw new ProblemError('weighed-single')
    saleRowsOf(ctx).setQuantity(tx, id, number, quantity)
    if (isEmpties(line)) refuseAboveMostEmpties(ctx, id)
    else if (quantity > line.quantity) {
      const item = catalogOf(ctx).findBySku(line.sku)
      if (!item) throw new ProblemError('item-unknown')
      const minimumAge = minimumAgeOf(ctx, item) ?? 0
      if (minimumAge > (line.minimumAge ?? 0)) saleRowsOf(ctx).setMinimumAge(tx, id, number, minimumAge)
    }
    refuseAdded(ctx, now)
    refuseBelowTendered(ctx, id)
    // An approval covers only the existing pieces of a line; and with fewer pieces, a discount in dollars is a larger
    // share of their price.
    guardOf(ctx).change(now, parts(ctx, id), who)
    return { kind: 'quantity', before: { of: 'line', number, row: stateOf(line) } }
  })

const voidLine = (ctx: Ctx, id: string, version: number, number: number, who: Who): Sale =>
  command(ctx, id, version, 'command', (tx, now) => {
    refuseDuringPayment(now)
    const line = openLine(now, number)
    saleRowsOf(ctx).voidLine(tx, id, number)
    refuseBelowTendered(ctx, id)
    guardOf(ctx).record(tx, 'line-voided', id, guardOf(ctx).change(now, parts(ctx, id), who), {
      line: number,
      quantity: line.quantity,
      unitPriceCents: line.unitPriceCents,
    })
    return { kind: 'void', before: { of: 'line', number, row: stateOf(line) } }
  })

export const salesOf = perLane((ctx: Ctx) => {
  salesStateOf(ctx)
  return {
    ...bound(ctx, {
      row,
      priced,
      parts,
      ring,
      view,
      publish,
      command,
      changedBy,
      forCommand,
      forPayment,
      refuseEarlierEpoch,
      refuseBelowTendered,
      goodsLeftOf,
      refuseAboveMostEmpties,
      refuseAdded,
      voidBlocked,
      /**
       * Returns an unused id for a sale or a return. Its row must be inserted in the same transaction, which reserves
       * the id.
       */
      nextId,
      openSale,
      current,
      touch,
      onChange,
      freezePrices,
      releasePrices,
      ownAuthorization,
      storePromotions,
      storeCharges,
      storeTaxCategories,
      setPreview,
      forgetPreview,
      lineToday,
      ringSku,
      ringChosen,
      ringPack,
      ringMeasured,
      changeQuantity,
      voidLine,
    }),
    isByWeight: salesStateOf(ctx).isByWeight,
    exists: (id: string): boolean => saleRowsOf(ctx).byId(id) !== undefined,
    refuseDuringPayment,
    refuseUnchecked,
    grow: <Added>(id: string, add: () => Added) => withItemAdded(ctx, id, add),
    currentId: (): string | null => saleRowsOf(ctx).openOn(ctx.lane.id)?.id ?? null,
  }
})

/** Returns the line with this number unless it is void, a deposit or a fee. Throws ProblemError `line-unknown`. */
export function openLine({ lines }: Pick<SaleParts, 'lines'>, number: number): LineRow {
  const line = lines.find((one) => one.number === number && one.voided === 0 && one.chargeOf === null)
  if (!line) throw new ProblemError('line-unknown')
  return line
}

/** Completes a sale after a change, such as a discount, that left nothing due. Provided in backend/checkout.ts. */
export const completeIfPaidOf = provided<(saleId: SaleId, sale: Sale) => Sale>('the payments')
