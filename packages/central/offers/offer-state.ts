import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import {
  CountQuery,
  CountResponse,
  FindQuery,
  GetQuery,
  OFFER_STATE_PATHS,
  PutRequest,
  StateHealthResponse,
  StateListResponse,
  type StateSortField,
} from '../../../contracts/central/offer-state.ts'
import { localDateTime } from '../clock.ts'
import type { Context } from '../context.ts'
import { present } from '../http/answer.ts'
import {
  CHANNEL_HEADERS,
  DONE,
  EITHER,
  JSON_TYPE,
  MEMBER,
  NO_OFFER,
  OFFER_ID,
  answerOf,
  header,
  headerFlaws,
  messageOf,
} from '../http/declare.ts'
import { NO_VALID_TOKEN, type Reply, type Service, addOperation, flawedBody, isForMembers } from '../http/operations.ts'
import { PROGRAM_TIME_ZONE } from '../program.ts'
import type { OfferState, StoredOffer } from './offers.sql.ts'
import { WARNINGS, warningOf } from './query.ts'

/** Answer during an outage: 500, because 503 is not a status of this service (specification 2 §7). */
const OUTAGE = { status: 500, body: { message: 'Scheduled outage' } } as const

const LocalTime = z.iso.datetime({ local: true })

/** Headers of specification 2 §4.1. Content-Type is listed for every call, with or without a body. */
const STATE_HEADERS = z.object({
  'Content-Type': JSON_TYPE,
  'x-correlation-id': header(
    'is required',
    (value) => /^[\x21-\x7e]{1,128}$/.test(value),
    'Traces the request',
    'trace-1',
  ),
  'x-origin-client': header(
    '<internal or external>:<channel>:<client> is required',
    (value) => /^(internal|external):[^:\s,]+:[^:\s,]+$/.test(value),
    '<internal or external>:<channel>:<client>',
    'internal:pos:milepost',
  ),
})
const READ_HEADERS = STATE_HEADERS.extend({
  'x-local-time': header(
    'the local date-time without a zone is required',
    (value) => LocalTime.safeParse(value).success && !value.endsWith('Z'),
    "The client's local date-time without a zone",
    '2026-07-01T12:00:00',
  ),
})
const WRITE_HEADERS = STATE_HEADERS.extend({
  Accept: header('application/json is expected', (value) => /application\/(json|\*)|\*\/\*/i.test(value)).optional(),
})

/** Collector number of the token; empty for a partner, whose token is accepted only by the health call. */
type Principal = string

const SERVICE: Service<Principal> = {
  tag: 'offer state',
  outage: OUTAGE,
  answers: { 500: messageOf('Scheduled outage', OUTAGE.body.message) },
  setHeaders(request, reply) {
    const correlation = request.headers['x-correlation-id']
    if (typeof correlation === 'string') void reply.header('x-correlation-id', correlation)
  },
  admit({ program }, operation, bearer, request) {
    // The health call accepts any valid token. The other calls need a member token of an active collector, whose states
    // they read and write (specification 2 §5).
    const admitted =
      typeof bearer === 'object' &&
      (!isForMembers(operation) ||
        (bearer.kind === 'member' && program.findCollector(bearer.collectorNumber)?.state === 'active'))
    if (!admitted) return { refused: NO_VALID_TOKEN }
    const flaws = headerFlaws(operation.headers, request.headers)
    if (flaws.length > 0) return { refused: [400, flawedBody(flaws)] }
    return { principal: bearer.kind === 'member' ? bearer.collectorNumber : '' }
  },
}

const STATE_EXAMPLE = {
  offerId: OFFER_ID,
  collectorId: '80000000011',
  states: [{ name: 'SAVE', value: 'SAVED', updatedAt: '2026-07-02T15:04:05.123000Z' }],
}
const READ = { method: 'GET', security: MEMBER, headers: READ_HEADERS } as const

/** Offer-state service: a collector's saved and opted-in offers (specification 2). */
export function offerStateRoutes(app: FastifyInstance, ctx: Context): void {
  addOperation(app, ctx, SERVICE, {
    method: 'GET',
    path: OFFER_STATE_PATHS.health,
    summary: 'Whether the offer-state service is well',
    security: EITHER,
    headers: CHANNEL_HEADERS,
    answers: {
      200: answerOf('Well', StateHealthResponse, [{ healthy: true, timestamp: '2026-07-01T16:00:00.000Z' }]),
    },
    perform: ({ clock }) => [200, [{ healthy: true, timestamp: new Date(clock.now()).toISOString() }]],
  })
  addOperation(app, ctx, SERVICE, {
    ...READ,
    path: OFFER_STATE_PATHS.find,
    summary: 'The offers that the collector saved or opted into',
    input: FindQuery,
    answers: {
      200: answerOf('Records; without any, only the count', StateListResponse, {
        offers: [STATE_EXAMPLE],
        returnedCount: 1,
      }),
    },
    perform: find,
  })
  addOperation(app, ctx, SERVICE, {
    ...READ,
    path: OFFER_STATE_PATHS.get,
    summary: 'Which of these offers the collector saved or opted into',
    input: GetQuery,
    answers: {
      200: answerOf('Records', StateListResponse, { offers: [STATE_EXAMPLE], requestedCount: 1, returnedCount: 1 }),
    },
    perform: get,
  })
  addOperation(app, ctx, SERVICE, {
    ...READ,
    path: OFFER_STATE_PATHS.count,
    summary: 'How many',
    input: CountQuery,
    answers: { 200: answerOf('The number', CountResponse, { count: 1 }) },
    perform: (_, collectorNumber, query) => [200, { count: savedOf(ctx, collectorNumber, query).length }],
  })
  addOperation(app, ctx, SERVICE, {
    method: 'PUT',
    path: OFFER_STATE_PATHS.put,
    summary: 'Saves and opts in; all changes or none',
    security: MEMBER,
    headers: WRITE_HEADERS,
    input: PutRequest.meta({
      examples: [{ stateChanges: [{ offerId: OFFER_ID, states: [{ name: 'OPT_IN', value: 'OPTED_IN' }] }] }],
    }),
    answers: { 204: DONE, 404: NO_OFFER },
    perform: put,
  })
}

/**
 * An offer that a collector saved or opted into (specification 2 §2.1). The field `properties` is always empty and left
 * out.
 */
interface StateRecord {
  readonly offerId: string
  readonly collectorId: string
  readonly states: readonly OfferState[]
}

interface SavedOffer {
  readonly record: StateRecord
  readonly offer: StoredOffer | undefined
  readonly updatedAt: string
}

/** Page size when only a page number is given; without a page number and size, one page has all records. */
const PAGE_SIZE = 20

function savedOf(
  { offers, offerStates }: Context,
  collectorNumber: Principal,
  { state, partnerId, region }: CountQuery,
): SavedOffer[] {
  return [...offerStates.of(collectorNumber)].flatMap(([offerId, all]): SavedOffer[] => {
    const states = all.filter(
      ({ name, value }) => value !== 'UNSAVED' && (!state || state.some((wanted) => wanted === `${name}:${value}`)),
    )
    const offer = offers.find(offerId)
    if (states.length === 0) return []
    if (partnerId && !(offer && partnerId.includes(offer.partnerId))) return []
    if (region && !offer?.regions.includes(region)) return []
    const updatedAt = states
      .map((one) => one.updatedAt)
      .sort()
      .at(-1)
    return [{ record: { offerId, collectorId: collectorNumber, states }, offer, updatedAt: updatedAt ?? '' }]
  })
}

function find(ctx: Context, collectorNumber: Principal, query: FindQuery): Reply {
  const states = savedOf(ctx, collectorNumber, query).sort(orderOf(query))
  const size = query.pageSize ?? (query.pageNumber === undefined ? states.length : PAGE_SIZE)
  const start = (query.pageNumber ?? 0) * size
  const found = states.slice(start, start + size).map(({ record }) => record)
  return [200, present({ offers: found, returnedCount: found.length })]
}

function get(ctx: Context, collectorNumber: Principal, { offerId: offerIds }: z.infer<typeof GetQuery>): Reply {
  const wanted = new Set(offerIds.map((id) => id.toLowerCase()))
  const found = savedOf(ctx, collectorNumber, {})
    .map(({ record }) => record)
    .filter(({ offerId }) => wanted.has(offerId))
  return [200, present({ offers: found, requestedCount: offerIds.length, returnedCount: found.length })]
}

/** Changes all offers or none: a request with an offer that the collector cannot see is refused with 404. */
async function put(ctx: Context, collectorNumber: Principal, { stateChanges }: PutRequest): Promise<Reply> {
  const now = localDateTime(ctx.clock.now(), PROGRAM_TIME_ZONE)
  const missing = stateChanges.filter(({ offerId }) => {
    const offer = ctx.offers.find(offerId.toLowerCase())
    const viewer = { kind: 'collector', collectorNumber, preferences: [] } as const
    const { warning } = warningOf(offer, offer?.regions[0] ?? 'ZZ', viewer, now)
    return !offer || (warning !== null && !WARNINGS[warning.errorCode].returned)
  })
  if (missing.length > 0) {
    const flaws = missing.map(({ offerId }) => ({
      path: offerId,
      message: 'there is no such offer for this collector',
    }))
    return [404, flawedBody(flaws, 404, 'Record not found')]
  }
  await ctx.commit(() => {
    for (const { offerId, states: changes } of stateChanges)
      for (const change of changes)
        ctx.offerStates.change(collectorNumber, offerId.toLowerCase(), change, ctx.clock.now())
  })
  return [204]
}

function orderOf({
  firstSortBy,
  firstSortByDescending,
  secondSortBy,
  secondSortByDescending,
}: FindQuery): (a: SavedOffer, b: SavedOffer) => number {
  const by = (
    field: StateSortField | undefined,
    descending: boolean | undefined,
    a: SavedOffer,
    b: SavedOffer,
  ): number => {
    if (field === undefined) return 0
    const [x, y] = [valueOf(a, field), valueOf(b, field)]
    return (x < y ? -1 : x > y ? 1 : 0) * (descending ? -1 : 1)
  }
  return (a, b) =>
    by(firstSortBy, firstSortByDescending, a, b) ||
    by(secondSortBy, secondSortByDescending, a, b) ||
    by('offerId', false, a, b)
}

function valueOf({ record, offer, updatedAt }: SavedOffer, field: StateSortField): string | number {
  switch (field) {
    case 'offerId':
      return record.offerId
    case 'updatedAt':
      return updatedAt
    case 'displayPriority':
      return offer?.displayPriority ?? 0
    case 'startDate':
    case 'endDate':
    case 'partnerLabel':
      return offer?.[field] ?? ''
  }
}
