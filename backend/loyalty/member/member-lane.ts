import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import { memberServicesOf } from '../services/member-services.ts'
import { memberOffersOf } from './member-offers.ts'
import { memberSessionsOf } from './member-session.ts'
import { offerStatesOf } from './offer-states.ts'

/** Follows what the windows are told: the sign-in ends with its sale, and what waits for it goes on or ends. */
function onEvent(ctx: Ctx, event: TerminalEvent): void {
  memberSessionsOf(ctx).onEvent(event)
  if (memberServicesOf(ctx) === null) return
  if (event.type === 'member-session') {
    const saleId = event.session?.state === 'signed-in' ? event.session.saleId : null
    memberOffersOf(ctx).sessionChanged(saleId)
    if (saleId !== null) offerStatesOf(ctx).resume(saleId)
  }
  // Any change may be of the collector: undo puts the one of before back.
  if (event.type === 'sale-closed' || event.type === 'sale-changed') offerStatesOf(ctx).lapse()
}

/** The member at the lane: the sign-in, what it opens, and what is asked for with it. */
export const memberLaneOf = perLane((ctx: Ctx) => {
  offerStatesOf(ctx).events.on('settled', memberOffersOf(ctx).settled)
  return bound(ctx, { onEvent })
})
