import { EventEmitter } from 'node:events'
import { actingWindowOf } from '../../core/http/acting-window.ts'
import { controlOf } from '../../../contracts/core/text.ts'
import { SaleId, maskCollectorNumber } from '../../../contracts/core/ids.ts'
import { isVoucherCode, looksLikeVoucher } from '../../core/scan-codes.ts'
import { type Gesture, type ReadCard, cardReadsOf, badgeReadsOf } from '../../core/devices/reads.ts'
import { ProblemError } from '../../core/problem.ts'
import { problemMessages } from '../../core/i18n.ts'
import type { Clock } from '../../core/clock.ts'
import type { App } from '../../core/http/app.ts'
import { salesContract } from '../../../contracts/sales/sales.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { staffOf } from '../../staff/sign-in.ts'
import { MeasuredGoods } from '../../../contracts/payments/returns.ts'
import type { Measure } from '../../../contracts/catalog/measure.ts'
import { measuredItem } from '../../catalog/measured.ts'
import { salesOf } from '../sales.ts'
import { itemOfLabel, scanningOf, unitOf } from '../scanning/scanning.ts'
import { checkScanned } from '../scanning/price-check.ts'
import { nextQuantityOf } from '../scanning/next-quantity.ts'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { couponTakingOf } from '../sale-changes/coupons.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { windowsOf } from '../../core/http/events.ts'

/**
 * Events for the folders that `sales` may not import: `loyalty` identifies the collector of a card, `payments` takes a
 * voucher.
 */
export const inputEventsOf = perLane(
  () => new EventEmitter<{ 'card.presented': [read: ReadCard]; 'voucher.presented': [code: string] }>(),
)

const presentVoucher = (ctx: Ctx, code: string): void => void inputEventsOf(ctx).emit('voucher.presented', code)

const findItem = (ctx: Ctx, code: string) => catalogOf(ctx).findByBarcode(code) ?? catalogOf(ctx).findBySku(code)

/** The item of a scan for a return. A pack with its own price has no price per piece, so it counts as unknown. */
function unitFor(ctx: Ctx, code: string): { readonly item: Item; readonly quantity: number } | undefined {
  const found = unitOf(ctx, code)
  if (found?.item.packPieces !== undefined) return undefined
  const item = found ? undefined : catalogOf(ctx).findBySku(code)
  return item ? { item, quantity: 1 } : found
}

/** The goods of a weight label for a return. */
function weighedFor(item: Item, measure: Measure) {
  try {
    const { measure: measured } = measuredItem(item, measure, true)
    return measured && { item, quantity: 1, measured: MeasuredGoods.parse(measured) }
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** The item of a label for a return, with its price or measure if the item has no price per piece. */
function labelFor(ctx: Ctx, code: string, measure: Measure, base: string | undefined) {
  const item = itemOfLabel(ctx, code, base)
  if (item === undefined) return undefined
  const isByMeasure = salesOf(ctx).isByWeight(item)
  if (measure.kind === 'weight') return isByMeasure ? weighedFor(item, measure) : { item, quantity: 1 }
  return { item, quantity: 1, ...(isByMeasure || item.openPrice !== null ? { priceCents: measure.cents } : {}) }
}

function card(ctx: Ctx, { collectorNumber, entryMode }: Extract<Gesture, { kind: 'card' }>): void {
  // No one is signed in: ignore the swipe.
  if (ctx.signedIn() === null) return
  const last4 = collectorNumber.slice(-4)
  ctx.log.info({ entryMode, card: maskCollectorNumber(last4) }, 'card presented')
  const stream = inputCapturesOf(ctx).holder('cards')
  if (stream !== undefined) {
    const { readId } = cardReadsOf(ctx).hold(collectorNumber, entryMode)
    return ctx.publish({ type: 'card-claimed', readId, entryMode, last4 }, stream)
  }
  ctx.publish({ type: 'card-read', entryMode, last4 })
  try {
    inputEventsOf(ctx).emit('card.presented', { collectorNumber, entryMode, last4 })
  } catch (error) {
    // A device gets no response: publish a refusal to the screens. A refused scan or swipe must not crash the program.
    if (!(error instanceof ProblemError)) throw error
    ctx.publish({ type: 'scan-refused', code: error.code, messages: problemMessages(error.code) })
  }
}

function badge(ctx: Ctx, { number }: Extract<Gesture, { kind: 'badge' }>): void {
  const holdBadge = badgeReadsOf(ctx).hold
  const stream = inputCapturesOf(ctx).holder('badges')
  if (stream !== undefined) return ctx.publish({ type: 'badge-claimed', readId: holdBadge(number) }, stream)
  try {
    if (ctx.signedIn() !== null) throw new ProblemError('badge-not-now')
    staffOf(ctx).badges.signIn(number)
    // Publish an id of the badge read, with which the notified window requests the sign-in.
    ctx.publish({ type: 'badge-presented', readId: holdBadge(number) })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    ctx.publish({ type: 'scan-refused', code: error.code, messages: problemMessages(error.code) })
  }
}

function code(ctx: Ctx, { code, measure, base, lot, expiry, unknown }: Extract<Gesture, { kind: 'code' }>): void {
  // A scanned voucher may be a QR code, whose check letters distinguish it from the code of an item.
  if (!unknown && isVoucherCode(code)) return presentVoucher(ctx, code)
  const control = unknown ? null : controlOf(ctx.profile.controlCodes, code)
  if (control !== null) return ctx.publish({ type: 'control-scanned', control })
  const checker = inputCapturesOf(ctx).holder('prices')
  if (checker !== undefined) {
    const check = unknown ? null : checkScanned(ctx, code, measure, base)
    return ctx.publish({ type: 'price-checked', code, check }, checker)
  }
  const stream = inputCapturesOf(ctx).holder('items')
  if (stream === undefined) return scanningOf(ctx).scan(code, measure, { base, lot, expiry })
  const found = measure === undefined ? unitFor(ctx, code) : labelFor(ctx, code, measure, base)
  const scanned = lot === undefined && expiry === undefined ? {} : { scanned: { code, lot, expiry } }
  ctx.publish(found ? { type: 'item-for-return', ...found, ...scanned } : { type: 'scan-unknown', code }, stream)
}

/**
 * Handles a code that has the shape of a receipt or voucher code. Unless it is a valid voucher code, an item or a
 * coupon may have the same code, and is looked up first.
 */
function document(ctx: Ctx, id: string): void {
  if (!isVoucherCode(id) && (findItem(ctx, id) !== undefined || couponTakingOf(ctx).has(id)))
    return code(ctx, { kind: 'code', code: id, unknown: false })
  if (looksLikeVoucher(id)) return presentVoucher(ctx, id)
  ctx.publish({ type: 'receipt-scanned', saleId: SaleId.parse(id) })
}

function dispatch(ctx: Ctx, gesture: Gesture): void {
  switch (gesture.kind) {
    case 'card':
      return card(ctx, gesture)
    case 'card-refused':
      return ctx.publish({ type: 'card-refused', reason: gesture.reason })
    case 'badge':
      return badge(ctx, gesture)
    case 'code':
      return code(ctx, gesture)
    case 'receipt':
      return document(ctx, gesture.id)
    case 'enrolment':
      // An enrolment code gives access to a client secret: do not publish it while a person is signed in.
      return ctx.signedIn() === null
        ? ctx.publish({ type: 'enrolment-scanned', ticket: gesture.ticket })
        : ctx.publish({ type: 'scan-unreadable' })
    case 'unreadable':
      return ctx.publish({ type: 'scan-unreadable' })
  }
}

/**
 * Handles a gesture (a card, badge or code) by its kind and the state of the lane. A collector's card starts INQUIRE
 * and an item is rung at once, without a window; questions to a person go to the acting window.
 */
export const inputDispatcherOf = perLane((ctx: Ctx) => (gesture: Gesture): void => {
  dispatch(ctx, gesture)
})

/** Time in ms after which a window's capture ends, unless the window renews it. */
export const CAPTURE_MS = 60_000

export type CapturedInput = 'cards' | 'items' | 'badges' | 'prices'

/** Windows that receive the next reads of a kind instead of the sale: a form that needs a card, or a return. */
export function createInputCaptures(clock: Pick<Clock, 'monotonic'>, isOpen: (stream: string) => boolean) {
  const captures = new Map<CapturedInput, { readonly stream: string; readonly until: number }>()
  return {
    capture: (what: CapturedInput, stream: string): void => {
      captures.set(what, { stream, until: clock.monotonic() + CAPTURE_MS })
    },
    forget: (): void => captures.clear(),
    release: (what: CapturedInput, stream: string): void => {
      if (captures.get(what)?.stream === stream) captures.delete(what)
    },
    holder(what: CapturedInput): string | undefined {
      const captured = captures.get(what)
      return captured && clock.monotonic() < captured.until && isOpen(captured.stream) ? captured.stream : undefined
    },
  }
}

export function inputRoutes(ctx: Ctx, app: App): void {
  const captures = inputCapturesOf(ctx)
  const acting = actingWindowOf(ctx)
  serve(app, salesContract['POST /input/acting'], async (request) => {
    // A question sent to a window without a signed-in person would never be answered, so that window does not become
    // the acting one.
    if (request.staff !== null) acting.touch(request.body.stream)
  })
  serve(app, salesContract['POST /input/claims'], async (request) => {
    const { what, claimed, stream } = request.body
    if (claimed) captures.capture(what, stream)
    else captures.release(what, stream)
  })
  serve(app, salesContract['POST /input/quantity'], async (request) => {
    nextQuantityOf(ctx).set(request.body.quantity)
  })
}

export const inputCapturesOf = perLane((ctx) => {
  const { events, published } = windowsOf(ctx)
  const captures = createInputCaptures(ctx.clock, (name) => events.isOpen(name))
  published.on('event', ({ type }) => {
    if (type === 'signed-out') captures.forget()
  })
  return captures
})
