import { MOST_OFFERS_A_PAGE, type OfferStateFilter } from '../../../contracts/central/offers.ts'
import type { Region } from '../../../contracts/regions.ts'
import type { OffersClient } from '../../central/offers.ts'
import type { OfferStateClient, OfferStateRecord } from '../../central/offer-state.ts'
import type { Failed, ServiceResult } from '../../central/service-result.ts'
import type { MemberAccess } from '../../loyalty/offer-states.ts'

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
