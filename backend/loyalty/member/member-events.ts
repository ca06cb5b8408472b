import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { type Ctx, bound, perLane } from '../../core/context.ts'
import { memberServicesOf } from '../services/member-services.ts'
import { memberOffersOf } from './member-offers.ts'
import { memberSessionsOf } from './member-session.ts'
import { offerStatesOf } from './offer-states.ts'

function onEvent(ctx: Ctx, event: TerminalEvent): void {
  memberSessionsOf(ctx).onEvent(event)
  if (memberServicesOf(ctx) === null) return
  if (event.type === 'member-session') {
    const saleId = event.session?.state === 'signed-in' ? event.session.saleId : null
    memberOffersOf(ctx).sessionChanged(saleId)
    if (saleId !== null) offerStatesOf(ctx).resume(saleId)
  }
  // Any change of the sale may replace the collector, including an undo.
  if (event.type === 'sale-closed' || event.type === 'sale-changed') offerStatesOf(ctx).endUnwanted()
}

export const memberEventsOf = perLane((ctx: Ctx) => {
  offerStatesOf(ctx).events.on('settled', memberOffersOf(ctx).settled)
  return bound(ctx, { onEvent })
})
