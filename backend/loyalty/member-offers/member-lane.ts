import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { type CollectorNumber, SaleId } from '../../../contracts/core/ids.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import { type MemberSignIn, createMemberSignIn } from '../services/member-sign-in.ts'
import { type OfferWritesOptions, createOfferStateClient, createOfferWrites } from '../services/offer-state.ts'
import type { Clock, Rng } from '../../core/clock.ts'
import type { Transact } from '../../core/db/transact.ts'
import type { Logger } from '../../core/log.ts'
import { createOfferStates } from '../calls/offer-states.ts'
import type { Journal } from '../../core/outbox/journal.ts'
import { createMemberSessions } from '../member-session/member-session.ts'
import type { SaleRow } from '../../sales/sales.sql.ts'
import { type MemberOffersOptions, createMemberOffers } from './member-offers.ts'
import type { Lane, Profile } from '../../../contracts/core/profile.ts'
import type { Breakers } from '../../core/central/service-result.ts'
import { createOffersClient } from '../services/offers.ts'
import type { Transport } from '../../core/central/transport.ts'
import { z } from 'zod'
import { ChangeOfferStates, OfferStatesChanged } from '../../../contracts/loyalty/basket-offers.ts'
import type { Routes } from '../../core/http/app.ts'
import type { OfferWishes } from './wishes.ts'

/** What serves members who sign in with their own phone. */
export interface MemberServices {
  readonly signIn: MemberSignIn
  readonly offers: MemberOffersOptions['offers'] & OfferWritesOptions['offers']
  /** Null where the profile has no offer-state service. */
  readonly offerState: (NonNullable<MemberOffersOptions['offerState']> & OfferWritesOptions['offerState']) | null
}

export interface MemberLaneOptions {
  /** Null where members do not sign in at this lane. */
  readonly services: MemberServices | null
  readonly saleOf: (id: string) => SaleRow | undefined
  readonly collectorOf: (sale: SaleRow) => CollectorNumber | null
  readonly region: Region
  readonly journal: Journal
  readonly transact: Transact
  readonly clock: Clock
  readonly rng: Rng
  readonly publish: (event: TerminalEvent) => void
  readonly log: Logger
}

export type MemberLane = ReturnType<typeof createMemberLane>

/** The member at the lane: the sign-in, what it opens, and what is asked for with it. */
export function createMemberLane(options: MemberLaneOptions) {
  const { services, saleOf, region, journal, transact, clock, rng, publish, log } = options
  const { collectorOf } = options
  const sessions = createMemberSessions({ signIn: services?.signIn ?? null, saleOf, collectorOf, clock, publish, log })
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
}

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

export const memberOffersRoutes =
  (wishes: OfferWishes): Routes =>
  (app) => {
    app.post(
      '/api/sales/:id/offer-states',
      {
        schema: {
          summary: 'Opt the member who is signed in into offers, or save them; sent after it is recorded',
          params: z.object({ id: SaleId }),
          body: ChangeOfferStates,
          response: { 200: OfferStatesChanged },
        },
      },
      (request) => wishes.change(request.params.id, request.body),
    )
  }
