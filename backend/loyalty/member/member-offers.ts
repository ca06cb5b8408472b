import { LOCALES } from '../../../contracts/i18n/languages.ts'
import type { MemberOffersState } from '../../../contracts/loyalty/basket-offers.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { OfferStateClient, OfferStateRecord, RequestedOffer } from '../services/offer-state.ts'
import type { OffersClient } from '../services/offers.ts'
import { type Failed, type ServiceResult, isTokenRefused } from '../../core/central/service-result.ts'
import { bound, type Ctx, perLane } from '../../core/context.ts'
import { servicesOfMember } from '../services/member-services.ts'
import { memberSessionsOf } from './member-session.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import type { SettledChange } from './offer-states.ts'
import { fetchOfferTypes, fetchOffers, withTypes } from '../offers/fetch.ts'
import type { StoredOffer } from '../offers/offers.sql.ts'
import { MAX_OFFERS_PER_PAGE, type OfferStateFilter } from '../../../contracts/central/offers.ts'

/** Pauses before failed requests are repeated, which bridge short outages of the service. */
const RETRY_PAUSES_MS = [5_000, 15_000, 45_000]

const NONE: readonly StoredOffer[] = []

interface LoadedMember {
  readonly saleId: SaleId
  readonly access: MemberAccess
  state: MemberOffersState['state']
  readonly targeted: Map<Locale, readonly StoredOffer[]>
  /**
   * States of the member's offers. The map is replaced after every change, so that rankings can compare it by identity.
   */
  states: ReadonlyMap<string, StateOf>
  optedIn: number | null
  isReading: boolean
  /**
   * Changes that the program confirmed while the states were being read. They override the read states, which may be
   * older.
   */
  readonly confirmedSince: RequestedOffer[]
  cancelRetry: () => void
}

const memberOffersStateOf = perLane(() => ({ held: null as LoadedMember | null }))

// Do not require that the sale is open: its receipt needs the loaded offers after it was closed and before the commit.
// They are valid until the sign-in ends.
function loadedOf(ctx: Ctx, saleId: string): LoadedMember | null {
  const { held } = memberOffersStateOf(ctx)
  return held?.saleId === saleId && !held.access.signal.aborted ? held : null
}

function announce(ctx: Ctx, { saleId }: LoadedMember): void {
  ctx.publish({ type: 'offer-states', saleId })
}

/**
 * Loads this member's targeted offers, and the lists by type, because the offers themselves do not contain their type.
 */
async function loadTargeted(ctx: Ctx, member: LoadedMember): Promise<boolean> {
  const query = {
    client: servicesOfMember(ctx).offers,
    log: ctx.log,
    region: ctx.profile.region,
    member: member.access,
  }
  const types = await fetchOfferTypes({ ...query, locale: LOCALES[0] })
  const lists = await Promise.all(LOCALES.map((locale) => fetchOffers({ ...query, locale })))
  for (const [index, list] of lists.entries()) {
    const locale = LOCALES[index]
    if (locale !== undefined && 'offers' in list)
      member.targeted.set(locale, 'types' in types ? withTypes(list.offers, types.types) : list.offers)
  }
  return lists.every((list) => 'offers' in list)
}

async function loadStates(ctx: Ctx, member: LoadedMember): Promise<boolean> {
  const found = await readStates({ ...servicesOfMember(ctx), region: ctx.profile.region }, member.access)
  if (found.kind === 'failed') {
    ctx.log.info(
      { cause: found.cause, correlationId: found.correlationId },
      'could not read the offer states of a member',
    )
    if (isTokenRefused(found) && loadedOf(ctx, member.saleId) === member) memberSessionsOf(ctx).refused(member.saleId)
    return false
  }
  member.states = found.states
  member.optedIn = found.optedIn
  apply(member, member.confirmedSince)
  return true
}

async function load(ctx: Ctx, member: LoadedMember, failures = 0): Promise<void> {
  member.isReading = true
  member.confirmedSince.length = 0
  const loaded = await Promise.all([loadStates(ctx, member), loadTargeted(ctx, member)])
  member.isReading = false
  if (loadedOf(ctx, member.saleId) !== member) return
  member.state = loaded.every(Boolean) ? 'ready' : 'failed'
  announce(ctx, member)
  const retryMs = RETRY_PAUSES_MS[failures]
  if (member.state === 'failed' && retryMs !== undefined)
    member.cancelRetry = ctx.clock.after(retryMs, () => {
      if (loadedOf(ctx, member.saleId) === member) begin(ctx, member, failures + 1)
    })
}

function begin(ctx: Ctx, member: LoadedMember, failures = 0): void {
  load(ctx, member, failures).catch((error: unknown) => {
    ctx.log.error({ err: error }, 'could not read the offers of a member')
  })
}

/**
 * Reads the states of these offers again from the offer-state service, if there is one, after the program refused a
 * change, because the lane's copy may be out of date.
 */
async function reloadOffers(ctx: Ctx, member: LoadedMember, offerIds: readonly string[]): Promise<void> {
  const { offerState } = servicesOfMember(ctx)
  if (offerState === null) return
  const states = await readStatesOf(offerState, offerIds, member.access)
  if (states === null || loadedOf(ctx, member.saleId) !== member) return
  member.states = new Map([...member.states, ...offerIds.map((id) => [id, states.get(id) ?? NOTHING_DONE] as const)])
  announce(ctx, member)
}

function confirm(member: LoadedMember, { requested }: SettledChange): void {
  if (member.isReading) member.confirmedSince.push(...requested)
  apply(member, requested)
}

function apply(member: LoadedMember, requested: readonly RequestedOffer[]): void {
  const states = new Map(member.states)
  for (const { offerId, change } of requested) {
    const before = states.get(offerId) ?? NOTHING_DONE
    if (change === 'opt-in' && !before.optedIn && member.optedIn !== null) member.optedIn += 1
    states.set(offerId, change === 'opt-in' ? { ...before, optedIn: true } : { ...before, saved: change === 'save' })
  }
  member.states = states
}

function of(ctx: Ctx, saleId: string) {
  const member = loadedOf(ctx, saleId)
  return member && { targeted: (locale: Locale) => member.targeted.get(locale) ?? NONE, states: member.states }
}

function stateOf(ctx: Ctx, saleId: string): Pick<MemberOffersState, 'state' | 'optedIn'> | null {
  const member = loadedOf(ctx, saleId)
  return member && { state: member.state, optedIn: member.optedIn }
}

function sessionChanged(ctx: Ctx, saleId: SaleId | null): void {
  const state = memberOffersStateOf(ctx)
  const access = saleId === null ? null : memberSessionsOf(ctx).accessOf(saleId)
  if (state.held && state.held.access === access) return
  state.held?.cancelRetry()
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
    cancelRetry: () => undefined,
  }
  announce(ctx, state.held)
  begin(ctx, state.held)
}

function settled(ctx: Ctx, change: SettledChange): void {
  const member = loadedOf(ctx, change.saleId)
  if (member && change.to === 'confirmed') confirm(member, change)
  ctx.publish({ type: 'offer-states', saleId: change.saleId })
  if (member && change.to === 'refused')
    reloadOffers(
      ctx,
      member,
      change.requested.map(({ offerId }) => offerId),
    ).catch((error: unknown) => {
      ctx.log.error({ err: error }, 'could not read the states of a refused offer')
    })
}

/**
 * Offers and offer states of the signed-in member. They are requested at the sign-in and stored in memory until it
 * ends. Nothing waits for them; without them the region's offers remain.
 */
export const memberOffersOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    of,
    stateOf,
    sessionChanged,
    settled,
  }),
)

export interface StateOf {
  readonly optedIn: boolean
  readonly saved: boolean
}

export const NOTHING_DONE: StateOf = { optedIn: false, saved: false }

export interface MemberStates {
  readonly kind: 'found'
  readonly states: ReadonlyMap<string, StateOf>
  readonly optedIn: number | null
}

interface Services {
  readonly offers: Pick<OffersClient, 'list'>
  readonly offerState: Pick<OfferStateClient, 'find' | 'count'> | null
  readonly region: Region
}

const OPTED_IN = 'OPT_IN:OPTED_IN'
const MAX_PAGES = 20
const PAGE = 500

const stateOfRecord = ({ states }: OfferStateRecord): StateOf => ({
  optedIn: states.some(({ name, value }) => name === 'OPT_IN' && value === 'OPTED_IN'),
  saved: states.some(({ name, value }) => name === 'SAVE' && value === 'SAVED'),
})

/**
 * Reads the member's offer states from the offer-state service if there is one (specification 2 §4.1, find and count),
 * else from the offer service (specification 1 §4.2, `states`).
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
  for (let pageNumber = 0; pageNumber < MAX_PAGES; pageNumber += 1) {
    const page = await service.find({ region, pageNumber, pageSize: PAGE }, access)
    if (page.kind === 'failed') return page
    const before = states.size
    for (const record of page.body.records) states.set(record.offerId, stateOfRecord(record))
    if (states.size === before) break
    // The maximum page size is not specified (specification 2 §8), so a page with fewer states than requested is the
    // last one only if no opt-in is missing.
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
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await offers.list(
      { region, states, limit: MAX_OFFERS_PER_PAGE, offset },
      { locale: 'en-CA', ...access },
    )
    if (answer.kind === 'failed') return answer
    ids.push(...answer.body.offers.map(({ id }) => id))
    offset += answer.body.received
    if (offset >= answer.body.metadata.total || answer.body.received === 0) break
  }
  return { ids }
}

/**
 * Reads the program's states of these offers; null on a failure. Offers that the map does not contain have no state.
 */
export async function readStatesOf(
  service: Pick<OfferStateClient, 'get'>,
  offerIds: readonly string[],
  access: MemberAccess,
): Promise<ReadonlyMap<string, StateOf> | null> {
  const found = await service.get({ offerId: [...offerIds] }, access)
  if (found.kind === 'failed') return null
  return new Map(found.body.records.map((record) => [record.offerId, stateOfRecord(record)]))
}
