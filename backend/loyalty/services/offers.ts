import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  MAX_OFFERS_PER_PAGE,
  Offer,
  OFFER_PATHS,
  OfferListResponse,
  OfferResponse,
  type OfferAvailability,
  type OfferProgramType,
  type OfferSort,
  type OfferStateChange,
  type OfferStateFilter,
  type OfferStatesRequest,
} from '../../../contracts/central/offers.ts'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { Breaker } from '../../core/central/breaker.ts'
import { encode } from './cash.ts'
import { parametersOf } from '../../core/central/wire.ts'
import {
  callService,
  parseNoContent,
  READ_TIMEOUT_MS,
  type CallTiming,
  type ServiceResult,
} from '../../core/central/service-result.ts'
import type { CentralCall } from '../../core/central/transport.ts'
import type { Ctx } from '../../core/context.ts'
import { centralOf } from '../../core/central/services.ts'

/** The query of GET /offers (specification 1 §4.2). An offer matches if it has any of the values of each filter. */
export interface OfferListQuery {
  readonly region: Region
  readonly partnerIds?: readonly string[]
  readonly categoryIds?: readonly string[]
  readonly subcategoryIds?: readonly string[]
  readonly promotionId?: string
  /** Offer types such as `buy` and `spend`; the specification has no complete list. */
  readonly types?: readonly string[]
  readonly programTypes?: readonly OfferProgramType[]
  readonly availability?: readonly OfferAvailability[]
  /** Sort keys, the most significant first; `collectorRelevance` requires a collector. */
  readonly sort?: readonly OfferSort[]
  readonly offset?: number
  /** Offers per page, 1 to 96; the service's default is 20. */
  readonly limit?: number
  readonly extendedMetadata?: boolean
  /**
   * Only offers that the member opted into or saved; requires a collector. With `SAVED`, the service ignores all other
   * filters and the sort.
   */
  readonly states?: OfferStateFilter
  /** True for mass offers only, false for targeted offers only, which requires a collector. */
  readonly massOffer?: boolean
  readonly eventBased?: boolean
  readonly experiments?: readonly string[]
  readonly excludePartnerIds?: readonly string[]
}

/**
 * The reader of the offers (specification 1 §5). Without credentials: the public, which sees mass offers.
 * `memberToken`: that member. `collectorNumber`: that collector, with the lane's token. Never both (specification 1
 * §4.1).
 */
export interface OfferReader extends CallTiming {
  readonly locale: Locale
  readonly memberToken?: string | undefined
  readonly collectorNumber?: CollectorNumber | undefined
}

export interface OfferWriter extends CallTiming {
  readonly memberToken: string
  readonly correlationId?: string
}

export interface OfferPage {
  readonly offers: readonly Offer[]
  /** Number of offers on the page of the service, including skipped ones; the next page starts after them. */
  readonly received: number
  readonly leftOut: readonly (readonly string[])[]
  readonly metadata: OfferListResponse['metadata']
}

export interface OfferDetail {
  readonly offer: Offer | null
  /** Code of the warning, such as `err-region` or `err-expired` (specification 1 §7). */
  readonly warning: { readonly errorCode: string; readonly message: string } | null
}

/**
 * A stored PUT of offer states, for one offer or, at the offer-state service, for several. It needs no idempotency key,
 * because repeating it changes nothing (specification 1 §3).
 */
export interface StoredStates {
  readonly method: 'PUT'
  readonly path: string
  readonly request: Uint8Array<ArrayBuffer>
}

export type OffersClient = ReturnType<typeof createOffersClient>

/**
 * Encodes the request PUT /offers/{id}/states (specification 1 §4.4). `states`: at least one; the last value of a name
 * counts.
 */
const storedStates = (id: string, states: readonly OfferStateChange[]): StoredStates => ({
  method: 'PUT',
  path: `${OFFER_PATHS.list}/${encodeURIComponent(id)}/states`,
  request: encode({ states: [...states] } satisfies OfferStatesRequest),
})

/**
 * Sends stored bytes unchanged for a signed-in member. 404 with an `errorCode` such as `err-expired`: nothing was
 * changed. `timeout`: the request may have arrived, and may be sent again.
 */
const sendStates = (ctx: Ctx, stored: StoredStates, writer: OfferWriter): Promise<ServiceResult<null>> =>
  callService(
    centralOf(ctx).transport,
    {
      service: 'offers',
      method: stored.method,
      path: stored.path,
      headers: {
        'x-origin-client': ctx.profile.program.originClient,
        'x-correlation-id': writer.correlationId ?? randomUUID(),
        'content-type': 'application/json',
      },
      body: stored.request,
      timeoutMs: writer.timeoutMs ?? READ_TIMEOUT_MS,
      signal: writer.signal,
      authenticate: true,
      memberToken: writer.memberToken,
    },
    parseNoContent,
  )

/**
 * Requests of the offer service (specification 1 §4). Failures are results, never thrown. `breaker` applies to reads;
 * without it, each read is sent.
 */
export function createOffersClient(ctx: Ctx, breaker?: Breaker) {
  const { transport } = centralOf(ctx)
  const { originClient } = ctx.profile.program
  const { sortTokens } = ctx.profile.offers
  const get = (
    path: string,
    { locale, memberToken, collectorNumber, timeoutMs, signal }: OfferReader,
  ): CentralCall & { readonly service: 'offers' } => ({
    service: 'offers',
    method: 'GET',
    path,
    headers: {
      'x-origin-client': originClient,
      'x-correlation-id': randomUUID(),
      'accept-language': LANGUAGES[locale].acceptLanguage,
      ...(collectorNumber === undefined ? {} : { 'collector-number': collectorNumber }),
    },
    timeoutMs: timeoutMs ?? READ_TIMEOUT_MS,
    signal,
    authenticate: memberToken !== undefined || collectorNumber !== undefined,
    ...(memberToken === undefined ? {} : { memberToken }),
  })

  return {
    /**
     * Sends GET /offers (specification 1 §4.2) for one page. Rejects with a RangeError or a TypeError for an invalid
     * query or reader, such as a limit outside of 1 to 96, or collector parameters without a collector.
     */
    async list(query: OfferListQuery, reader: OfferReader): Promise<ServiceResult<OfferPage>> {
      checkReader(reader)
      checkQuery(query, reader)
      return callService(
        transport,
        get(`${OFFER_PATHS.list}?${wireOf(query, sortTokens).toString()}`, reader),
        pageOf,
        breaker,
      )
    },

    /**
     * Sends GET /offers/{id} (specification 1 §4.3). Returns the offer, a warning why it is unavailable to this
     * collector or region, or both.
     */
    async detail(id: string, region: Region, reader: OfferReader): Promise<ServiceResult<OfferDetail>> {
      checkReader(reader)
      const path = `${OFFER_PATHS.list}/${encodeURIComponent(id)}?${new URLSearchParams({ region }).toString()}`
      return callService(transport, get(path, reader), detailOf, breaker)
    },

    storedStates,
    sendStates: (stored: StoredStates, writer: OfferWriter) => sendStates(ctx, stored, writer),
  }
}

function checkReader({ memberToken, collectorNumber }: OfferReader): void {
  if (memberToken !== undefined && collectorNumber !== undefined)
    throw new TypeError('a collector number must not go with a member token (specification 1 §4.1)')
}

function checkQuery(query: OfferListQuery, { memberToken, collectorNumber }: OfferReader): void {
  const { limit, offset } = query
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= MAX_OFFERS_PER_PAGE))
    throw new RangeError(`limit is 1 to ${MAX_OFFERS_PER_PAGE} (specification 1 §8), not ${limit}`)
  if (offset !== undefined && !(Number.isInteger(offset) && offset >= 0))
    throw new RangeError(`offset is a number of offers, not ${offset}`)
  if (memberToken !== undefined || collectorNumber !== undefined) return
  if (query.states !== undefined || query.massOffer !== undefined || query.sort?.includes('collectorRelevance'))
    throw new TypeError('states, massOffer and collectorRelevance need a member token (specification 1 §4.2)')
}

const wireOf = (query: OfferListQuery, tokens: Readonly<Partial<Record<OfferSort, string>>>): URLSearchParams =>
  parametersOf({
    region: query.region,
    partner_id: query.partnerIds,
    category_id: query.categoryIds,
    subcategory_id: query.subcategoryIds,
    promotion_id: query.promotionId,
    type: query.types,
    program_type: query.programTypes,
    availability: query.availability,
    sort: query.sort?.map((sort) => tokens[sort] ?? sort),
    offset: query.offset,
    limit: query.limit,
    extended_metadata: query.extendedMetadata,
    states: query.states,
    mass_offer: query.massOffer,
    event_based: query.eventBased,
    experiment: query.experiments,
    exclude_partner_id: query.excludePartnerIds,
  })

const { partners, categories } = OfferListResponse.shape.metadata.shape
const Page = z.object({
  offers: z.array(z.unknown()),
  metadata: z.object({
    total: z.int().min(0),
    // An invalid list of partners or categories is left out, because both lists are optional.
    partners: partners.catch(undefined),
    categories: categories.catch(undefined),
  }),
})

function pageOf(json: unknown): OfferPage | undefined {
  const page = Page.safeParse(json).data
  if (!page) return undefined
  const read = page.offers.map((entry) => Offer.safeParse(withoutNulls(entry)))
  return {
    offers: read.flatMap(({ data }) => data ?? []),
    received: page.offers.length,
    leftOut: read.flatMap(({ error }) => (error ? [error.issues.map((issue) => issue.path.join('.'))] : [])),
    metadata: page.metadata,
  }
}

/** Depth to which null fields are removed: an offer, its tiers and its mechanisms. Nothing deeper is read. */
const DEPTH = 3

/** Removes null fields, because specification 1 §2.2 omits empty fields. */
function withoutNulls(json: unknown, depth = DEPTH): unknown {
  if (depth === 0 || typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map((entry) => withoutNulls(entry, depth - 1))
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, value]) => (value === null ? [] : [[name, withoutNulls(value, depth - 1)]])),
  )
}

const Detail = z.object({
  offer: z.preprocess((json) => withoutNulls(json), Offer).nullish(),
  warning: OfferResponse.shape.warning.optional(),
})

function detailOf(json: unknown): OfferDetail | undefined {
  const { offer = null, warning = null } = Detail.safeParse(json).data ?? {}
  return offer || warning ? { offer, warning } : undefined
}
