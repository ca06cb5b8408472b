import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  CardsQuery,
  HISTORY_PATHS,
  HistoryHealthResponse,
  HistoryPage,
  type SortField,
  SponsorsQuery,
} from '../../../contracts/central/history.ts'
import type { Context } from '../context.ts'
import { present, withoutEmpty } from '../http/answer.ts'
import { CHANNEL_HEADERS, EITHER, MEMBER, answerOf, headerFlaws, messageOf } from '../http/declare.ts'
import { NO_VALID_TOKEN, type Reply, type Service, addOperation, flawedBody, isForMembers } from '../http/operations.ts'
import type { Bearer } from '../identity/artifacts.ts'
import type { SwitchAnswer } from '../program.ts'
import { type Activity, activitiesOf } from './activities.ts'

const OUTAGE = { status: 503, body: { message: 'Scheduled maintenance' } } as const
const NO_COLLECTOR: Reply = [
  401,
  flawedBody(
    [{ path: 'collectorNumber', message: 'the account is not active, or the number is invalid' }],
    401,
    'Collector account not active or invalid',
  ),
]

/**
 * Answers of the switch in front of the service, to requests for accounts whose test data name the code (specification
 * 2 §7).
 */
const TROUBLE: Readonly<Record<SwitchAnswer, Reply>> = {
  '0008': [408, { message: 'The transaction timed out' }],
  '0092': [OUTAGE.status, OUTAGE.body],
  '0096': [500, { message: 'Unknown error' }],
}

const SERVICE: Service<Bearer> = {
  tag: 'transaction history',
  outage: OUTAGE,
  answers: {
    408: messageOf('Timed out', 'The transaction timed out'),
    500: messageOf('Unknown error', 'Unknown error'),
    503: messageOf('Scheduled maintenance', OUTAGE.body.message),
  },
  admit(_, operation, bearer, request) {
    if (typeof bearer === 'string') return { refused: NO_VALID_TOKEN }
    const flaws = headerFlaws(operation.headers, request.headers)
    if (flaws.length > 0) return { refused: [400, flawedBody(flaws)] }
    return isForMembers(operation) && bearer.kind !== 'member' ? { refused: NO_VALID_TOKEN } : { principal: bearer }
  },
}

const ACTIVITY_EXAMPLE = {
  transactionId: '9d4a7b0e-51c2-4f63-8a7e-1b2c3d4e5f60',
  memberId: 1,
  cardNumber: '80000000011',
  activityType: 'ISSUANCE',
  transactionDate: '2026-07-01T16:00:00.000Z',
  postingDate: '2026-07-01T16:00:00.000Z',
  transactionDescription: '1 mile for every $5',
  transactionValue: 8,
  cashMiles: 4,
  dreamMiles: 4,
  cashRatio: 0.5,
  dreamRatio: 0.5,
  externalReferenceNumber: 'N10101000000010001',
  externalReferenceType: 'CHECKOUT_TRANSACTION',
  channel: 'ETS',
  initiatorId: 'NRTH',
  sponsorCode: 'NRTH',
  sponsorDescriptionEnglish: 'Northstar Markets',
  sponsorDescriptionFrench: 'Marchés Northstar',
  offerClass: 'BASE',
  offerCode: 'NRBASE',
  offerDescriptionEnglish: '1 mile for every $5',
  offerDescriptionFrench: '1 mille par tranche de 5 $',
  locationCode: 'N101',
  locationDescription: 'Toronto',
  balancePostTransaction: 17_058,
} satisfies Partial<Activity>
const PAGE = answerOf('A page', HistoryPage, {
  _embedded: { genericActivityDtoList: [ACTIVITY_EXAMPLE] },
  page: { size: 20, totalElements: 1, totalPages: 1, number: 0 },
  _links: Object.fromEntries(
    ['first', 'self', 'last'].map((name) => [
      name,
      {
        href:
          'https://services.example/transaction-history/cards' +
          '?from=2026-01-01T00%3A00%3A00Z&to=2026-12-31T00%3A00%3A00Z&page=0&size=20',
      },
    ]),
  ),
})

/** Transaction-history service: issues, returns, redemptions and reversals (specification 2 §4.2). */
export function historyRoutes(app: FastifyInstance, ctx: Context): void {
  addOperation(app, ctx, SERVICE, {
    method: 'GET',
    path: HISTORY_PATHS.health,
    summary: 'Whether the transaction-history service is well',
    security: EITHER,
    headers: CHANNEL_HEADERS,
    answers: { 200: answerOf('Well', HistoryHealthResponse, { status: 'up' }) },
    perform: () => [200, { status: 'up' }],
  })
  addOperation(app, ctx, SERVICE, {
    method: 'GET',
    path: HISTORY_PATHS.cards,
    summary: "The logged-in collector's transactions",
    security: MEMBER,
    headers: CHANNEL_HEADERS,
    input: CardsQuery,
    answers: { 200: PAGE },
    // The history over all sponsors. A partner's own token is refused, because it has no collector.
    perform: (_, bearer, query, request) =>
      bearer.kind === 'member' ? historyOf(ctx, bearer.collectorNumber, query, request) : NO_VALID_TOKEN,
  })
  addOperation(app, ctx, SERVICE, {
    method: 'GET',
    path: HISTORY_PATHS.sponsors,
    summary: "A given collector's transactions at given sponsors",
    security: EITHER,
    headers: CHANNEL_HEADERS,
    input: SponsorsQuery,
    answers: { 200: PAGE },
    refuse: (error, { query }) =>
      typeof (query as Record<string, unknown>).collectorNumber === 'string' &&
      error.issues.every((issue) => issue.path[0] === 'collectorNumber')
        ? NO_COLLECTOR
        : undefined,
    // The specification does not show who may read this history. Assumption: a partner for any collector, a member for
    // themselves.
    perform: (_, bearer, query, request) =>
      bearer.kind === 'member' && bearer.collectorNumber !== query.collectorNumber
        ? NO_COLLECTOR
        : historyOf(ctx, query.collectorNumber, query, request),
  })
}

function historyOf(
  ctx: Context,
  collectorNumber: string,
  query: CardsQuery | SponsorsQuery,
  request: FastifyRequest,
): Reply {
  const collector = ctx.program.findCollector(collectorNumber)
  if (collector?.state !== 'active') return NO_COLLECTOR
  if (collector.switchAnswer) return TROUBLE[collector.switchAnswer]
  return [200, pageOf(activitiesOf(ctx, collector, query), query, addressOf(request))]
}

/** Returns the request's URL. Falls back to localhost when the Host header is invalid, so that links stay valid. */
function addressOf(request: FastifyRequest): URL {
  const base = `${request.protocol}://${request.host}`
  return new URL(request.url, URL.canParse(base) ? base : 'http://localhost')
}

const DEFAULT_SORT: { field: SortField; descending: boolean }[] = [{ field: 'transactionDate', descending: true }]

/**
 * Sorts the records and returns one page with links to the others (specification 2 §2.3). `address` is the request's
 * URL.
 */
function pageOf(
  activities: readonly Activity[],
  { page, size, sort = DEFAULT_SORT }: CardsQuery,
  address: URL,
): Record<string, unknown> {
  const order = new Map(activities.map((activity, index) => [activity, index]))
  const sorted = [...activities].sort((a, b) => {
    for (const { field, descending } of sort) {
      const [x, y] = [a[field] ?? '', b[field] ?? '']
      if (x !== y) return (x < y ? -1 : 1) * (descending ? -1 : 1)
    }
    // Records with equal sort fields are in posting order, which is reversed when the first field sorts descending.
    return ((order.get(a) ?? 0) - (order.get(b) ?? 0)) * (sort[0]?.descending ? -1 : 1)
  })
  const totalPages = Math.ceil(sorted.length / size)
  const last = Math.max(0, totalPages - 1)
  const link = (number: number): { href: string } => {
    const linked = new URL(address)
    linked.searchParams.set('page', String(number))
    linked.searchParams.set('size', String(size))
    return { href: linked.href }
  }
  const records = sorted.slice(page * size, (page + 1) * size).map((activity) => withoutEmpty(activity))
  return present({
    _embedded: records.length > 0 ? { genericActivityDtoList: records } : undefined,
    _links: { first: link(0), self: link(page), ...(page < last ? { next: link(page + 1) } : {}), last: link(last) },
    page: { size, totalElements: sorted.length, totalPages, number: page },
  })
}
