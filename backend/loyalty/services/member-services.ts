import { centralOf } from '../../core/central/services.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { type MemberSignIn, createMemberSignIn } from './member-sign-in.ts'
import { type OfferStateClient, createOfferStateClient } from './offer-state.ts'
import { type OffersClient, createOffersClient } from './offers.ts'

export interface MemberServices {
  readonly signIn: MemberSignIn
  readonly offers: Pick<OffersClient, 'list' | 'storedStates' | 'sendStates'>
  readonly offerState: Pick<OfferStateClient, 'find' | 'get' | 'count' | 'storedPut' | 'sendPut'> | null
}

export const memberServicesOf = perLane((ctx: Ctx): MemberServices | null => {
  const { profile, lane } = ctx
  const { breakers } = centralOf(ctx)
  const endpoints = programOf(ctx).endpoints
  const clientSecret = programOf(ctx).clientSecret ?? ''
  const { token, memberSignIn, offerState } = endpoints
  if (!memberSignIn) return null
  return {
    signIn: createMemberSignIn({
      ...memberSignIn,
      tokenUrl: token.url,
      clientId: token.clientId,
      clientSecret: clientSecret,
      timeoutMs: profile.limits.cashTimeoutMs,
      store: profile.store.name,
      lane: lane.id,
    }),
    offers: createOffersClient(ctx, breakers.of('offers')),
    offerState: offerState === undefined ? null : createOfferStateClient(ctx, breakers.of('offerState')),
  }
})

/**
 * Returns the clients for the sign-in, the offers and the offer states of a member. Throws on a lane without member
 * sign-in.
 */
export function servicesOfMember(ctx: Ctx): MemberServices {
  const services = memberServicesOf(ctx)
  if (services === null) throw new Error('this lane has no member sign-in')
  return services
}
