import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  type CountQuery,
  CountResponse,
  type FindQuery,
  type GetQuery,
  OFFER_STATE_PATHS,
  PutRequest,
  StateHealthResponse,
  StateListResponse,
} from '../../../contracts/central/offer-state.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { localDateTime } from '../../core/zone.ts'
import type { Breaker } from '../../core/central/breaker.ts'
import { encode } from './cash.ts'
import { channelHeaders, jsonOf, parametersOf } from '../../core/central/wire.ts'
import {
  type CallTiming,
  READ_TIMEOUT_MS,
  type ServiceResult,
  callService,
  parseNoContent,
} from '../../core/central/service-result.ts'
import type { OfferWriter, OffersClient, StoredStates } from './offers.ts'
import { OFFER_PATHS, type OfferStateChange, OfferStatesRequest } from '../../../contracts/central/offers.ts'
import type { OfferChange } from '../../../contracts/loyalty/basket-offers.ts'
import type { Ctx } from '../../core/context.ts'
import { centralOf } from '../../core/central/services.ts'

/** Credentials of the member, which all calls except the health check need (specification 2 §5). */
export interface MemberCall extends CallTiming {
  readonly memberToken: string
}

/** A member's states of one offer, with names and values converted to capitals (specification 2 §1). */
export interface OfferStateRecord {
  readonly offerId: string
  readonly states: readonly { readonly name: string; readonly value: string; readonly updatedAt?: string | undefined }[]
}
export interface OfferStateList {
  readonly records: readonly OfferStateRecord[]
  readonly returnedCount: number
  /** Number of offers that the answer to `get` reports as requested; null in other answers. */
  readonly requestedCount: number | null
}

const headersOf = (originClient: string): Record<string, string> => ({
  'content-type': 'application/json',
  'x-correlation-id': randomUUID(),
  'x-origin-client': originClient,
})

const read = <Body>(
  ctx: Ctx,
  breaker: Breaker | undefined,
  path: string,
  query: URLSearchParams,
  { memberToken, timeoutMs, signal }: MemberCall,
  bodyOf: (json: unknown) => Body | undefined,
): Promise<ServiceResult<Body>> =>
  callService(
    centralOf(ctx).transport,
    {
      service: 'offerState',
      method: 'GET',
      path: query.size === 0 ? path : `${path}?${query.toString()}`,
      headers: {
        ...headersOf(ctx.profile.program.originClient),
        'x-local-time': localDateTime(ctx.clock.now(), ctx.profile.timeZone),
      },
      timeoutMs: timeoutMs ?? READ_TIMEOUT_MS,
      signal,
      authenticate: true,
      memberToken,
    },
    bodyOf,
    breaker,
  )

export type OfferStateClient = ReturnType<typeof createOfferStateClient>

/**
 * Requests of the offer-state service (specification 2 §4.1). Failures are results, never thrown. `breaker` applies to
 * reads; without it, each read is sent.
 */
export function createOfferStateClient(ctx: Ctx, breaker?: Breaker) {
  const { transport } = centralOf(ctx)
  const { originClient } = ctx.profile.program

  return {
    /**
     * Returns whether the service reports itself healthy: `[{healthy, timestamp}]` (specification 2 §2.2). Uses the
     * lane's token.
     */
    health: ({
      locale,
      timeoutMs,
      signal,
    }: CallTiming & { readonly locale: Locale }): Promise<ServiceResult<boolean>> =>
      callService(
        transport,
        {
          service: 'offerState',
          method: 'GET',
          path: OFFER_STATE_PATHS.health,
          headers: channelHeaders(originClient, locale),
          timeoutMs: timeoutMs ?? READ_TIMEOUT_MS,
          signal,
          authenticate: true,
        },
        (json) => {
          const records = StateHealthResponse.safeParse(json).data ?? []
          return records.length === 0 ? undefined : records.every(({ healthy }) => healthy)
        },
        breaker,
      ),

    /** Returns a page of all offers that the member opted into or saved. Pages count from 0. */
    find: (query: FindQuery, member: MemberCall): Promise<ServiceResult<OfferStateList>> =>
      read(ctx, breaker, OFFER_STATE_PATHS.find, parametersOf(query), member, listOf),

    get: (query: z.infer<typeof GetQuery>, member: MemberCall): Promise<ServiceResult<OfferStateList>> =>
      read(
        ctx,
        breaker,
        OFFER_STATE_PATHS.get,
        new URLSearchParams(query.offerId.map((id): [string, string] => ['offerId', id])),
        member,
        listOf,
      ),

    count: (query: CountQuery, member: MemberCall): Promise<ServiceResult<number>> =>
      read(
        ctx,
        breaker,
        OFFER_STATE_PATHS.count,
        parametersOf(query),
        member,
        (json) => CountResponse.safeParse(json).data?.count,
      ),

    /** Encodes a request that saves offers or opts in to them. The service applies all of its changes or none. */
    storedPut: (request: PutRequest): StoredStates => ({
      method: 'PUT',
      path: OFFER_STATE_PATHS.put,
      request: encode(request),
    }),

    /**
     * Sends stored bytes unchanged. 404: one of the offers is not available to this member. `timeout`: the request may
     * have arrived.
     */
    sendPut: (
      stored: StoredStates,
      { memberToken, timeoutMs, signal, correlationId }: MemberCall & { readonly correlationId?: string },
    ): Promise<ServiceResult<null>> =>
      callService(
        transport,
        {
          service: 'offerState',
          method: stored.method,
          path: stored.path,
          headers: {
            ...headersOf(originClient),
            accept: 'application/json',
            ...(correlationId === undefined ? {} : { 'x-correlation-id': correlationId }),
          },
          body: stored.request,
          timeoutMs: timeoutMs ?? READ_TIMEOUT_MS,
          signal,
          authenticate: true,
          memberToken,
        },
        parseNoContent,
      ),
  }
}

const List = StateListResponse.extend({ offers: z.array(z.unknown()).optional() })
const State = z.object({ name: z.string(), value: z.string(), updatedAt: z.string().optional() })
const StateRecord = z.object({ offerId: z.uuid(), states: z.array(State).default([]) })

/**
 * Empty elements are omitted (specification 2 §1): `offers`, and the states of a record. Invalid records are skipped.
 */
function listOf(json: unknown): OfferStateList | undefined {
  const list = List.safeParse(json).data
  return (
    list && {
      records: (list.offers ?? [])
        .flatMap((entry) => StateRecord.safeParse(entry).data ?? [])
        .map(({ offerId, states }) => ({
          offerId,
          states: states.map(({ name, value, ...more }) => ({
            name: name.toUpperCase(),
            value: value.toUpperCase(),
            ...more,
          })),
        })),
      returnedCount: list.returnedCount,
      requestedCount: list.requestedCount ?? null,
    }
  )
}

export interface RequestedOffer {
  readonly offerId: string
  readonly change: OfferChange
}

const STATES = {
  'opt-in': { name: 'OPT_IN', value: 'OPTED_IN' },
  save: { name: 'SAVE', value: 'SAVED' },
  unsave: { name: 'SAVE', value: 'UNSAVED' },
} as const satisfies Record<OfferChange, OfferStateChange>

/**
 * Encodes changes of offer states as the requests to store and then to send. Several changes go in one atomic call of
 * the offer-state service (specification 2 §4.1); a single change, or one that this service lacks, uses the offer's own
 * path (specification 1 §4.4). Without an offer-state service, `offerState` is null and each offer is a separate call.
 */
export function createOfferWrites(
  offers: Pick<OffersClient, 'storedStates' | 'sendStates'>,
  offerState: Pick<OfferStateClient, 'storedPut' | 'sendPut'> | null,
) {
  const alone = ({ offerId, change }: RequestedOffer): StoredStates => offers.storedStates(offerId, [STATES[change]])

  return {
    /**
     * Returns the calls for these changes of offer states, a combined call first. `apart`: one call for each offer,
     * after a combined call was refused.
     */
    storedFor(requested: readonly RequestedOffer[], { apart = false } = {}): StoredStates[] {
      const together = requested.flatMap(({ offerId, change }) =>
        change === 'unsave' ? [] : [{ offerId, states: [STATES[change]] }],
      )
      if (apart || offerState === null || together.length < 2) return requested.map(alone)
      const left = requested.filter(({ change }) => change === 'unsave')
      return [offerState.storedPut({ stateChanges: together }), ...left.map(alone)]
    },

    send(stored: Pick<StoredStates, 'path' | 'request'>, writer: OfferWriter): Promise<ServiceResult<null>> {
      const call = { ...stored, method: 'PUT' } as const
      return offerState !== null && stored.path === OFFER_STATE_PATHS.put
        ? offerState.sendPut(call, writer)
        : offers.sendStates(call, writer)
    },
  }
}

const changeOf = ({ name, value }: OfferStateChange): OfferChange =>
  name === 'OPT_IN' ? 'opt-in' : value === 'SAVED' ? 'save' : 'unsave'

/** Parses the changes from stored bytes. Throws a ZodError for other bytes. */
export function requestedBy({ path, request }: Pick<StoredStates, 'path' | 'request'>): RequestedOffer[] {
  if (path === OFFER_STATE_PATHS.put)
    return PutRequest.parse(jsonOf(request)).stateChanges.flatMap(({ offerId, states }) =>
      states.map((state) => ({ offerId, change: changeOf(state) })),
    )
  const offerId = decodeURIComponent(path.slice(OFFER_PATHS.list.length + 1).replace(/\/states$/, ''))
  return OfferStatesRequest.parse(jsonOf(request)).states.map((state) => ({ offerId, change: changeOf(state) }))
}
