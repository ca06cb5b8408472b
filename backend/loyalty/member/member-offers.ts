import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { MemberOffersState } from '../../../contracts/loyalty/basket-offers.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { OfferStateClient, OfferStateRecord, WantedOffer } from '../services/offer-state.ts'
import type { OffersClient } from '../services/offers.ts'
import { type Failed, type ServiceResult, isTokenRefused } from '../../core/central/service-result.ts'
import { bound, type Ctx, perLane } from '../../core/context.ts'
import { servicesOfMember } from '../services/member-services.ts'
import { memberSessionsOf } from './member-session.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import type { SettledChange } from './offer-states.ts'
import { fetchOfferTypes, fetchOffers, withTypes } from '../offers/fetch.ts'
import type { KeptOffer } from '../offers/offers.sql.ts'
import { MOST_OFFERS_A_PAGE, type OfferStateFilter } from '../../../contracts/central/offers.ts'

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

const memberOffersStateOf = perLane(() => ({ held: null as Held | null }))

// By the sign-in and not by the sale, whose end is not committed yet when its receipt is made.
function heldOf(ctx: Ctx, saleId: string): Held | null {
  const { held } = memberOffersStateOf(ctx)
  return held?.saleId === saleId && !held.access.signal.aborted ? held : null
}

function announce(ctx: Ctx, { saleId }: Held): void {
  ctx.publish({ type: 'offer-states', saleId })
}

/** Offers for this member alone, with their types: no field of an offer says them. */
async function loadTargeted(ctx: Ctx, mine: Held): Promise<boolean> {
  const query = { client: servicesOfMember(ctx).offers, log: ctx.log, region: ctx.profile.region, member: mine.access }
  const types = await fetchOfferTypes({ ...query, locale: LOCALES[0] })
  const lists = await Promise.all(LOCALES.map((locale) => fetchOffers({ ...query, locale })))
  for (const [index, list] of lists.entries()) {
    const locale = LOCALES[index]
    if (locale !== undefined && 'offers' in list)
      mine.targeted.set(locale, 'types' in types ? withTypes(list.offers, types.types) : list.offers)
  }
  return lists.every((list) => 'offers' in list)
}

async function loadStates(ctx: Ctx, mine: Held): Promise<boolean> {
  const found = await readStates({ ...servicesOfMember(ctx), region: ctx.profile.region }, mine.access)
  if (found.kind === 'failed') {
    ctx.log.info({ cause: found.cause, correlationId: found.correlationId }, 'no offer states of a member')
    if (isTokenRefused(found) && heldOf(ctx, mine.saleId) === mine) memberSessionsOf(ctx).refused(mine.saleId)
    return false
  }
  mine.states = found.states
  mine.optedIn = found.optedIn
  apply(mine, mine.confirmedSince)
  return true
}

async function load(ctx: Ctx, mine: Held, failures = 0): Promise<void> {
  mine.isReading = true
  mine.confirmedSince.length = 0
  const loaded = await Promise.all([loadStates(ctx, mine), loadTargeted(ctx, mine)])
  mine.isReading = false
  if (heldOf(ctx, mine.saleId) !== mine) return
  mine.state = loaded.every(Boolean) ? 'ready' : 'failed'
  announce(ctx, mine)
  const againMs = AGAIN_MS[failures]
  if (mine.state === 'failed' && againMs !== undefined)
    mine.callOff = ctx.clock.after(againMs, () => {
      if (heldOf(ctx, mine.saleId) === mine) begin(ctx, mine, failures + 1)
    })
}

function begin(ctx: Ctx, mine: Held, failures = 0): void {
  load(ctx, mine, failures).catch((error: unknown) => {
    ctx.log.error({ err: error }, 'the offers of a member could not be read')
  })
}

/** The program said no: what it holds may be otherwise than this lane knew. */
async function readAgain(ctx: Ctx, mine: Held, offerIds: readonly string[]): Promise<void> {
  const { offerState } = servicesOfMember(ctx)
  if (offerState === null) return
  const states = await readStatesOf(offerState, offerIds, mine.access)
  if (states === null || heldOf(ctx, mine.saleId) !== mine) return
  mine.states = new Map([...mine.states, ...offerIds.map((id) => [id, states.get(id) ?? NOTHING_DONE] as const)])
  announce(ctx, mine)
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

/** From memory; null: nobody has signed in at this sale. `targeted` is empty in a language that did not come. */
function of(ctx: Ctx, saleId: string) {
  const mine = heldOf(ctx, saleId)
  return mine && { targeted: (locale: Locale) => mine.targeted.get(locale) ?? NONE, states: mine.states }
}

/** How far the member's offers are known; null: nobody has signed in at this sale. */
function stateOf(ctx: Ctx, saleId: string): Pick<MemberOffersState, 'state' | 'optedIn'> | null {
  const mine = heldOf(ctx, saleId)
  return mine && { state: mine.state, optedIn: mine.optedIn }
}

/** Somebody has signed in at the sale, or whoever had is gone. */
function sessionChanged(ctx: Ctx, saleId: SaleId | null): void {
  const state = memberOffersStateOf(ctx)
  const access = saleId === null ? null : memberSessionsOf(ctx).accessOf(saleId)
  if (state.held && state.held.access === access) return
  state.held?.callOff()
  state.held = null
  if (saleId === null || access === null) return
  state.held = {
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
  announce(ctx, state.held)
  begin(ctx, state.held)
}

/** What became of a change that the member asked for. */
function settled(ctx: Ctx, change: SettledChange): void {
  const mine = heldOf(ctx, change.saleId)
  if (mine && change.to === 'confirmed') confirm(mine, change)
  ctx.publish({ type: 'offer-states', saleId: change.saleId })
  if (mine && change.to === 'refused')
    readAgain(
      ctx,
      mine,
      change.wanted.map(({ offerId }) => offerId),
    ).catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the states of a refused offer could not be read')
    })
}

/**
 * The offers of the member who is signed in, and what they did with any offer: asked for at the sign-in, held in
 * memory, and forgotten with the sign-in. Nobody waits for any of it: what cannot be had leaves the region's offers.
 */
export const memberOffersOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    of,
    stateOf,
    sessionChanged,
    settled,
  }),
)

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

const stateOfRecord = ({ states }: OfferStateRecord): StateOf => ({
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
    for (const record of page.body.records) states.set(record.offerId, stateOfRecord(record))
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
  return new Map(found.body.records.map((record) => [record.offerId, stateOfRecord(record)]))
}
