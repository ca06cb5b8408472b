import type { Lane, Profile } from '../../../contracts/profile.ts'
import type { Breakers } from '../../central/breakers.ts'
import { createMemberSignIn } from '../../central/member-sign-in.ts'
import { createOffersClient } from '../../central/offers.ts'
import { createOfferStateClient } from '../../central/offer-state.ts'
import type { Transport } from '../../central/transport.ts'
import type { Clock } from '../../clock.ts'
import type { MemberServices } from './member-lane.ts'

export interface MemberServicesOptions {
  readonly endpoints: NonNullable<Profile['endpoints']>
  readonly clientSecret: string
  readonly transport: Transport
  readonly profile: Pick<Profile, 'program' | 'store' | 'limits' | 'timeZone'>
  readonly lane: Pick<Lane, 'id'>
  readonly breakers: Pick<Breakers, 'of'>
  readonly clock: Clock
}

/** The clients that serve members at this lane; null where the profile has no sign-in for them. */
export function createMemberServices(options: MemberServicesOptions): MemberServices | null {
  const { transport, clock, profile, lane, breakers } = options
  const { token, memberSignIn, offerState } = options.endpoints
  if (!memberSignIn) return null
  const {
    program: { originClient },
    timeZone,
  } = profile
  return {
    signIn: createMemberSignIn({
      ...memberSignIn,
      tokenUrl: token.url,
      clientId: token.clientId,
      clientSecret: options.clientSecret,
      timeoutMs: profile.limits.cashTimeoutMs,
      store: profile.store.name,
      lane: lane.id,
    }),
    offers: createOffersClient({ transport, originClient, breaker: breakers.of('offers') }),
    offerState:
      offerState === undefined
        ? null
        : createOfferStateClient({
            transport,
            originClient,
            timeZone,
            now: () => clock.now(),
            breaker: breakers.of('offerState'),
          }),
  }
}
