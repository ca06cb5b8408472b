import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { MemberOffersState } from '../../../contracts/loyalty/basket-offers.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { OfferStateClient, OfferStateRecord, WantedOffer } from '../services/offer-state.ts'
import type { OffersClient } from '../services/offers.ts'
import { type Failed, type ServiceResult, isTokenRefused } from '../../core/central/service-result.ts'
import type { Clock } from '../../core/clock.ts'
import type { Logger } from '../../core/log.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import type { SettledChange } from './offer-states.ts'
import { fetchOfferTypes, fetchOffers, withTypes } from '../offers/fetch.ts'
import type { KeptOffer } from '../offers/offers.sql.ts'
import { MOST_OFFERS_A_PAGE, type OfferStateFilter } from '../../../contracts/central/offers.ts'

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

/** What a member did with one offer. */
export interface StateOf {
  readonly optedIn: boolean
  readonly saved: boolean
}

export const NOTHING_DONE: StateOf = { optedIn: false, saved: false }

export interface MemberStates {
  readonly kind: 'found'
  readonly states: ReadonlyMap<string, StateOf>
  /** How many offers the member has opted into, in all regions; null: not told. */
  readonly optedIn: number | null
}

interface Services {
  readonly offers: Pick<OffersClient, 'list'>
  readonly offerState: Pick<OfferStateClient, 'find' | 'count'> | null
  readonly region: Region
}

const OPTED_IN = 'OPT_IN:OPTED_IN'
/** Pages of a list that does not end are not asked for. */
const MOST_PAGES = 20
const PAGE = 500

const stateOf = ({ states }: OfferStateRecord): StateOf => ({
  optedIn: states.some(({ name, value }) => name === 'OPT_IN' && value === 'OPTED_IN'),
  saved: states.some(({ name, value }) => name === 'SAVE' && value === 'SAVED'),
})

/**
 * What the member did with offers: of the offer-state service where there is one (specification 2 §4.1, find and
 * count), else of the offer service (specification 1 §4.2, `states`).
 */
export function readStates(services: Services, access: MemberAccess): Promise<MemberStates | Failed> {
  return services.offerState === null
    ? statesOfOffers(services, access)
    : statesOfService(services.offerState, services.region, access)
}

async function statesOfService(
  service: Pick<OfferStateClient, 'find' | 'count'>,
  region: Region,
  access: MemberAccess,
): Promise<MemberStates | Failed> {
  const count = service.count({ state: [OPTED_IN] }, access)
  const states = new Map<string, StateOf>()
  for (let pageNumber = 0; pageNumber < MOST_PAGES; pageNumber += 1) {
    const page = await service.find({ region, pageNumber, pageSize: PAGE }, access)
    if (page.kind === 'failed') return page
    const before = states.size
    for (const record of page.body.records) states.set(record.offerId, stateOf(record))
    if (states.size === before) break
    // The largest page of a service is not shown (§8): a smaller one is the last where nothing is missing.
    if (page.body.records.length < PAGE && !isShort(states, await count)) break
  }
  const counted = await count
  return { kind: 'found', states, optedIn: counted.kind === 'ok' ? counted.body : null }
}

const optedInOf = (states: ReadonlyMap<string, StateOf>): number =>
  [...states.values()].filter(({ optedIn }) => optedIn).length

const isShort = (states: ReadonlyMap<string, StateOf>, counted: ServiceResult<number>): boolean =>
  counted.kind === 'ok' && optedInOf(states) < counted.body

async function statesOfOffers({ offers, region }: Services, access: MemberAccess): Promise<MemberStates | Failed> {
  const states = new Map<string, StateOf>()
  for (const [filter, mark] of [
    ['OPTED_IN', { optedIn: true }],
    ['SAVED', { saved: true }],
  ] as const) {
    const ids = await idsWith(offers, region, filter, access)
    if (!('ids' in ids)) return ids
    for (const id of ids.ids) states.set(id, { ...(states.get(id) ?? NOTHING_DONE), ...mark })
  }
  return { kind: 'found', states, optedIn: optedInOf(states) }
}

async function idsWith(
  offers: Pick<OffersClient, 'list'>,
  region: Region,
  states: OfferStateFilter,
  access: MemberAccess,
): Promise<{ readonly ids: readonly string[] } | Failed> {
  const ids: string[] = []
  let offset = 0
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await offers.list(
      { region, states, limit: MOST_OFFERS_A_PAGE, offset },
      { locale: 'en-CA', ...access },
    )
    if (answer.kind === 'failed') return answer
    ids.push(...answer.body.offers.map(({ id }) => id))
    offset += answer.body.received
    if (offset >= answer.body.metadata.total || answer.body.received === 0) break
  }
  return { ids }
}

/** What the program holds of these offers; null: it does not say. Those that are not among them have no state. */
export async function readStatesOf(
  service: Pick<OfferStateClient, 'get'>,
  offerIds: readonly string[],
  access: MemberAccess,
): Promise<ReadonlyMap<string, StateOf> | null> {
  const found = await service.get({ offerId: [...offerIds] }, access)
  if (found.kind === 'failed') return null
  return new Map(found.body.records.map((record) => [record.offerId, stateOf(record)]))
}
