import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { type MemberSignIn, createMemberSignIn } from '../services/member-sign-in.ts'
import { type OfferWritesOptions, createOfferStateClient, createOfferWrites } from '../services/offer-state.ts'
import { createOfferStates } from './offer-states.ts'
import { createMemberSessions } from './member-session.ts'
import { type MemberOffersOptions, createMemberOffers } from './member-offers.ts'
import { createOffersClient } from '../services/offers.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { collectorOf } from '../../sales/collector.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { centralOf } from '../../core/central/services.ts'
import { programOf } from '../../core/program/lane-program.ts'

/** What serves members who sign in with their own phone. */
export interface MemberServices {
  readonly signIn: MemberSignIn
  readonly offers: MemberOffersOptions['offers'] & OfferWritesOptions['offers']
  /** Null where the profile has no offer-state service. */
  readonly offerState: (NonNullable<MemberOffersOptions['offerState']> & OfferWritesOptions['offerState']) | null
}

export type MemberLane = ReturnType<typeof memberLaneOf>

/** The member at the lane: the sign-in, what it opens, and what is asked for with it. */
export const memberLaneOf = perLane((ctx: Ctx) => {
  const { transact, clock, rng, publish, log } = ctx
  const services = memberServicesOf(ctx)
  const saleOf = saleRowsOf(ctx).byId
  const { region } = ctx.profile
  const journal = ctx.outbox.journal
  const sessions = createMemberSessions({
    signIn: services?.signIn ?? null,
    saleOf,
    collectorOf: (sale) => collectorOf(ctx, sale),
    clock,
    publish,
    log,
  })
  const { accessOf, refused } = sessions
  const opened = services && {
    offers: createMemberOffers({ ...services, accessOf, refused, region, publish, clock, log }),
    states: createOfferStates({
      journal,
      transact,
      writes: createOfferWrites(services),
      accessOf,
      refused,
      stands({ saleId, collector }) {
        const sale = saleOf(saleId)
        // A sale that is put on hold keeps what waits for the sign-in after its recall.
        const goesOn = sale?.state === 'open' || sale?.state === 'held'
        return goesOn && sale.memberHash?.toString('hex') === collector
      },
      clock,
      rng,
      log,
    }),
  }
  opened?.states.events.on('settled', opened.offers.settled)

  return {
    sessions,
    /** Null where members do not sign in at this lane. */
    opened,

    /** Follows what the windows are told: the sign-in ends with its sale, and what waits for it goes on or ends. */
    onEvent(event: TerminalEvent): void {
      sessions.onEvent(event)
      if (!opened) return
      if (event.type === 'member-session') {
        const saleId = event.session?.state === 'signed-in' ? event.session.saleId : null
        opened.offers.sessionChanged(saleId)
        if (saleId !== null) opened.states.resume(saleId)
      }
      // Any change may be of the collector: undo puts the one of before back.
      if (event.type === 'sale-closed' || event.type === 'sale-changed') opened.states.lapse()
    },

    /** Call once, at start. */
    start(): void {
      opened?.states.start()
    },

    stop(): void {
      opened?.states.stop()
      sessions.stop()
    },
  }
})

/** The clients that serve members at this lane; null where the profile has no sign-in for them. */
export const memberServicesOf = perLane((ctx: Ctx): MemberServices | null => {
  const { clock, profile, lane } = ctx
  const transport = centralOf(ctx).transport
  const breakers = centralOf(ctx).breakers
  const endpoints = programOf(ctx).endpoints
  const clientSecret = programOf(ctx).clientSecret ?? ''
  const { token, memberSignIn, offerState } = endpoints
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
      clientSecret: clientSecret,
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
})
