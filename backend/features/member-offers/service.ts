import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { MemberOffersState } from '../../../contracts/api/basket-offers.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Region } from '../../../contracts/regions.ts'
import type { WantedOffer } from '../../central/offer-writes.ts'
import type { OffersClient } from '../../central/offers.ts'
import type { OfferStateClient } from '../../central/offer-state.ts'
import { isTokenRefused } from '../../central/service-result.ts'
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../log.ts'
import type { MemberAccess, SettledChange } from '../../loyalty/offer-states.ts'
import { fetchOffers } from '../offers/fetch.ts'
import { fetchOfferTypes, withTypes } from '../offers/offer-types.ts'
import type { KeptOffer } from '../offers/repository.ts'
import { NOTHING_DONE, readStates, readStatesOf, type StateOf } from './states.ts'

export interface MemberOffersOptions {
  readonly offers: Pick<OffersClient, 'list'>
  /** Null where the profile has no offer-state service: the offer service says the same of its own offers. */
  readonly offerState: Pick<OfferStateClient, 'find' | 'get' | 'count'> | null
  readonly accessOf: (saleId: string) => MemberAccess | null
  readonly refused: (saleId: string) => void
  readonly region: Region
  readonly publish: (event: TerminalEvent) => void
  readonly clock: Pick<Clock, 'after'>
  readonly log: Logger
}

/** When what could not be had is asked for again: a service that was away for a moment comes back in time. */
const AGAIN_MS = [5_000, 15_000, 45_000]

export type MemberOffersService = ReturnType<typeof createMemberOffers>

const NONE: readonly KeptOffer[] = []

interface Held {
  readonly saleId: SaleId
  readonly access: MemberAccess
  state: MemberOffersState['state']
  readonly targeted: Map<Locale, readonly KeptOffer[]>
  /** Another object after every change: a ranking by it stands as long as it does. */
  states: ReadonlyMap<string, StateOf>
  optedIn: number | null
  isReading: boolean
  /** What the program has confirmed while the states were still being read: the answer may be of before. */
  readonly confirmedSince: WantedOffer[]
  /** Calls off the next question. */
  callOff: () => void
}

/**
 * The offers of the member who is signed in, and what they did with any offer: asked for at the sign-in, held in
 * memory, and forgotten with the sign-in. Nobody waits for any of it: what cannot be had leaves the region's offers.
 */
export function createMemberOffers(options: MemberOffersOptions) {
  const { offers, offerState, accessOf, region, publish, clock, log } = options
  let held: Held | null = null

  // By the sign-in and not by the sale, whose end is not committed yet when its receipt is made.
  const of = (saleId: string): Held | null => (held?.saleId === saleId && !held.access.signal.aborted ? held : null)

  const announce = ({ saleId }: Held): void => {
    publish({ type: 'offer-states', saleId })
  }

  /** Offers for this member alone, with their types: no field of an offer says them. */
  async function loadTargeted(mine: Held): Promise<boolean> {
    const query = { client: offers, log, region, member: mine.access }
    const types = await fetchOfferTypes({ ...query, locale: LOCALES[0] })
    const lists = await Promise.all(LOCALES.map((locale) => fetchOffers({ ...query, locale })))
    for (const [index, list] of lists.entries()) {
      const locale = LOCALES[index]
      if (locale !== undefined && 'offers' in list)
        mine.targeted.set(locale, 'types' in types ? withTypes(list.offers, types.types) : list.offers)
    }
    return lists.every((list) => 'offers' in list)
  }

  async function loadStates(mine: Held): Promise<boolean> {
    const found = await readStates({ offers, offerState, region }, mine.access)
    if (found.kind === 'failed') {
      log.info({ cause: found.cause, correlationId: found.correlationId }, 'no offer states of a member')
      if (isTokenRefused(found) && of(mine.saleId) === mine) options.refused(mine.saleId)
      return false
    }
    mine.states = found.states
    mine.optedIn = found.optedIn
    apply(mine, mine.confirmedSince)
    return true
  }

  async function load(mine: Held, failures = 0): Promise<void> {
    mine.isReading = true
    mine.confirmedSince.length = 0
    const loaded = await Promise.all([loadStates(mine), loadTargeted(mine)])
    mine.isReading = false
    if (of(mine.saleId) !== mine) return
    mine.state = loaded.every(Boolean) ? 'ready' : 'failed'
    announce(mine)
    const againMs = AGAIN_MS[failures]
    if (mine.state === 'failed' && againMs !== undefined)
      mine.callOff = clock.after(againMs, () => {
        if (of(mine.saleId) === mine) begin(mine, failures + 1)
      })
  }

  function begin(mine: Held, failures = 0): void {
    load(mine, failures).catch((error: unknown) => {
      log.error({ err: error }, 'the offers of a member could not be read')
    })
  }

  /** The program said no: what it holds may be otherwise than this lane knew. */
  async function readAgain(mine: Held, offerIds: readonly string[]): Promise<void> {
    if (offerState === null) return
    const states = await readStatesOf(offerState, offerIds, mine.access)
    if (states === null || of(mine.saleId) !== mine) return
    mine.states = new Map([...mine.states, ...offerIds.map((id) => [id, states.get(id) ?? NOTHING_DONE] as const)])
    announce(mine)
  }

  function confirm(mine: Held, { wanted }: SettledChange): void {
    if (mine.isReading) mine.confirmedSince.push(...wanted)
    apply(mine, wanted)
  }

  function apply(mine: Held, wanted: readonly WantedOffer[]): void {
    const states = new Map(mine.states)
    for (const { offerId, change } of wanted) {
      const before = states.get(offerId) ?? NOTHING_DONE
      if (change === 'opt-in' && !before.optedIn && mine.optedIn !== null) mine.optedIn += 1
      states.set(offerId, change === 'opt-in' ? { ...before, optedIn: true } : { ...before, saved: change === 'save' })
    }
    mine.states = states
  }

  return {
    /** From memory; null: nobody has signed in at this sale. `targeted` is empty in a language that did not come. */
    of(saleId: string) {
      const mine = of(saleId)
      return mine && { targeted: (locale: Locale) => mine.targeted.get(locale) ?? NONE, states: mine.states }
    },

    /** How far the member's offers are known; null: nobody has signed in at this sale. */
    stateOf(saleId: string): Pick<MemberOffersState, 'state' | 'optedIn'> | null {
      const mine = of(saleId)
      return mine && { state: mine.state, optedIn: mine.optedIn }
    },

    /** Somebody has signed in at the sale, or whoever had is gone. */
    sessionChanged(saleId: SaleId | null): void {
      const access = saleId === null ? null : accessOf(saleId)
      if (held && held.access === access) return
      held?.callOff()
      held = null
      if (saleId === null || access === null) return
      held = {
        saleId,
        access,
        state: 'loading',
        targeted: new Map(),
        states: new Map(),
        optedIn: null,
        isReading: false,
        confirmedSince: [],
        callOff: () => undefined,
      }
      announce(held)
      begin(held)
    },

    /** What became of a change that the member asked for. */
    settled(change: SettledChange): void {
      const mine = of(change.saleId)
      if (mine && change.to === 'confirmed') confirm(mine, change)
      publish({ type: 'offer-states', saleId: change.saleId })
      if (mine && change.to === 'refused')
        readAgain(
          mine,
          change.wanted.map(({ offerId }) => offerId),
        ).catch((error: unknown) => {
          log.error({ err: error }, 'the states of a refused offer could not be read')
        })
    },
  }
}
