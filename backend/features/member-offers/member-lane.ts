import type { TerminalEvent } from '../../../contracts/events.ts'
import type { CollectorNumber } from '../../../contracts/ids.ts'
import type { Region } from '../../../contracts/regions.ts'
import type { MemberSignIn } from '../../central/member-sign-in.ts'
import { createOfferWrites, type OfferWritesOptions } from '../../central/offer-writes.ts'
import type { Clock, Rng } from '../../clock.ts'
import type { Transact } from '../../db/transact.ts'
import type { Logger } from '../../log.ts'
import { createOfferStates } from '../../loyalty/offer-states.ts'
import type { Journal } from '../../outbox/journal.ts'
import { createMemberSessions } from '../member-session/service.ts'
import type { SaleRow } from '../sales/repository.ts'
import { createMemberOffers, type MemberOffersOptions } from './service.ts'

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
