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
import { scanningOf } from '../scanning/scanning.ts'
import { catalogOf } from '../../catalog/catalog.ts'
import { couponTakingOf } from '../sale-changes/coupons.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { windowsOf } from '../../core/http/events.ts'

/** Events for the areas above: `loyalty` identifies the card's collector, `payments` takes the voucher. */
export const inputEventsOf = perLane(
  () => new EventEmitter<{ 'card.presented': [read: ReadCard]; 'voucher.presented': [code: string] }>(),
)

const presentVoucher = (ctx: Ctx, code: string): void => void inputEventsOf(ctx).emit('voucher.presented', code)

const findItem = (ctx: Ctx, code: string) => catalogOf(ctx).findByBarcode(code) ?? catalogOf(ctx).findBySku(code)

function card(ctx: Ctx, { collectorNumber, entryMode }: Extract<Gesture, { kind: 'card' }>): void {
  // No one is signed in: ignore the swipe.
  if (ctx.signedIn() === null) return
  const last4 = collectorNumber.slice(-4)
  ctx.log.info({ entryMode, card: maskCollectorNumber(last4) }, 'card presented')
  const claimer = inputClaimsOf(ctx).holder('cards')
  if (claimer !== undefined) {
    const { readId } = cardReadsOf(ctx).hold(collectorNumber, entryMode)
    return ctx.publish({ type: 'card-claimed', readId, entryMode, last4 }, claimer)
  }
  ctx.publish({ type: 'card-read', entryMode, last4 })
  try {
    inputEventsOf(ctx).emit('card.presented', { collectorNumber, entryMode, last4 })
  } catch (error) {
    // A card comes from a wire: there is nobody to answer, and a refusal must not end the program. The screens tell
    // it.
    if (!(error instanceof ProblemError)) throw error
    ctx.publish({ type: 'scan-refused', code: error.code, messages: problemMessages(error.code) })
  }
}

function badge(ctx: Ctx, { number }: Extract<Gesture, { kind: 'badge' }>): void {
  const holdBadge = badgeReadsOf(ctx).hold
  const claimer = inputClaimsOf(ctx).holder('badges')
  if (claimer !== undefined) return ctx.publish({ type: 'badge-claimed', readId: holdBadge(number) }, claimer)
  try {
    if (ctx.signedIn() !== null) throw new ProblemError('badge-not-now')
    staffOf(ctx).badges.signIn(number)
    // A sign-in is of one window: it is asked for by the window that is told.
    ctx.publish({ type: 'badge-presented', readId: holdBadge(number) })
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    ctx.publish({ type: 'scan-refused', code: error.code, messages: problemMessages(error.code) })
  }
}

function code(ctx: Ctx, { code, measure, base, lot, expiry, unknown }: Extract<Gesture, { kind: 'code' }>): void {
  // Printed as a QR code where the paper was too narrow for bars: the check letters tell it from any item's.
  if (!unknown && isVoucherCode(code)) return presentVoucher(ctx, code)
  const control = unknown ? null : controlOf(ctx.profile.controlCodes, code)
  if (control !== null) return ctx.publish({ type: 'control-scanned', control })
  const claimer = inputClaimsOf(ctx).holder('items')
  if (claimer === undefined) return scanningOf(ctx).scan(code, measure, { base, lot, expiry })
  // A label with its own price has none of today's and is called unknown.
  const item = measure === undefined ? findItem(ctx, code) : undefined
  ctx.publish(item ? { type: 'item-for-return', item } : { type: 'scan-unknown', code }, claimer)
}

/** A code with the shape of a receipt's or voucher's, which an item or coupon may have too. */
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
      // It is worth a client secret: at a lane that sells, nobody is shown it.
      return ctx.signedIn() === null
        ? ctx.publish({ type: 'enrolment-scanned', ticket: gesture.ticket })
        : ctx.publish({ type: 'scan-unreadable' })
    case 'unreadable':
      return ctx.publish({ type: 'scan-unreadable' })
  }
}

/**
 * Decides what a gesture means, by what it is and by the state of the lane, and acts: a collector's card goes to
 * INQUIRE and an item into the basket without a round trip through a window. What a person must do is told to the
 * window that acts.
 */
export const inputDispatcherOf = perLane((ctx: Ctx) => (gesture: Gesture): void => {
  dispatch(ctx, gesture)
})

/** A window that still wants the gestures says so again within this time; one that closes gives them back at once. */
export const CLAIM_MS = 60_000

export type Claimed = 'cards' | 'items' | 'badges'

/** Which window wants the next cards or items for itself: a form that asks for a card, goods that come back. */
export function createInputClaims(clock: Pick<Clock, 'monotonic'>, isOpen: (stream: string) => boolean) {
  const claims = new Map<Claimed, { readonly stream: string; readonly until: number }>()
  return {
    claim: (what: Claimed, stream: string): void => {
      claims.set(what, { stream, until: clock.monotonic() + CLAIM_MS })
    },
    /** Somebody has signed out: the forms that claimed are gone, and can no longer say so. */
    forget: (): void => claims.clear(),
    /** By the window that claimed; another's claim stands. */
    release: (what: Claimed, stream: string): void => {
      if (claims.get(what)?.stream === stream) claims.delete(what)
    },
    /** The stream of the window that has claimed; undefined where the sale has them. */
    holder(what: Claimed): string | undefined {
      const claim = claims.get(what)
      return claim && clock.monotonic() < claim.until && isOpen(claim.stream) ? claim.stream : undefined
    },
  }
}

/** Which window has the gestures of the lane's devices. */
export function inputRoutes(ctx: Ctx, app: App): void {
  const claims = inputClaimsOf(ctx)
  const acting = actingWindowOf(ctx)
  serve(app, salesContract['POST /input/acting'], async (request) => {
    // A window at which nobody is signed in asks nobody anything: what a gesture asks would be lost there.
    if (request.staff !== null) acting.touch(request.body.stream)
  })
  serve(app, salesContract['POST /input/claims'], async (request) => {
    const { what, claimed, stream } = request.body
    if (claimed) claims.claim(what, stream)
    else claims.release(what, stream)
  })
}

export const inputClaimsOf = perLane((ctx) => {
  const { events, published } = windowsOf(ctx)
  const claims = createInputClaims(ctx.clock, (name) => events.isOpen(name))
  published.on('event', ({ type }) => {
    if (type === 'signed-out') claims.forget()
  })
  return claims
})
