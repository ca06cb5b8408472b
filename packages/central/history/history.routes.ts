import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CardsQuery, HISTORY_PATHS, type SortField, SponsorsQuery } from '../../../contracts/central/history.ts'
import { type Flaw, present, withoutEmpty } from '../http/answer.ts'
import type { CallDependencies } from '../http/call.ts'
import { type Visit, flawedBody, flawsOf, meet, refuseToken } from '../http/reception.ts'
import type { Bearer } from '../identity/artifacts.ts'
import type { Collector, ProgramRepository, SwitchAnswer } from '../program.ts'
import { type Activity, activitiesOf } from './activities.ts'
import type { HistoryRepository } from './history.sql.ts'

const OUTAGE = { status: 503, body: { message: 'Scheduled maintenance' } } as const
/** "collector account not active, or collector number invalid" (specification 2 §7). */
const NO_COLLECTOR = flawedBody(
  [{ path: 'collectorNumber', message: 'the account is not active, or the number is invalid' }],
  401,
  'Collector account not active or invalid',
)

/**
 * What is asked for the accounts that the switch does not reach, as the table of statuses has it (specification 2 §7).
 */
const TROUBLE: Record<SwitchAnswer, [status: number, body: object]> = {
  '0008': [408, { message: 'The transaction timed out' }],
  '0092': [OUTAGE.status, OUTAGE.body],
  '0096': [500, { message: 'Unknown error' }],
}

/** The transaction-history service: what was issued, returned, redeemed and reversed here (specification 2 §4.2). */
export function historyRoutes(dependencies: CallDependencies, program: ProgramRepository, history: HistoryRepository) {
  const receive = async (
    path: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ visit: Visit; bearer: Bearer } | undefined> => {
    const visit = await meet(dependencies, path, request, reply, OUTAGE)
    if (!visit) return undefined
    if (typeof visit.bearer === 'string') return refuseToken(visit, reply).then(() => undefined)
    const flaws = headerFlaws(request)
    if (flaws.length > 0) return visit.answer(400, flawedBody(flaws)).then(() => undefined)
    return { visit, bearer: visit.bearer }
  }

  const activeCollector = (number: string): Collector | undefined => {
    const collector = program.findCollector(number)
    return collector?.state === 'active' ? collector : undefined
  }

  const health = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const received = await receive(HISTORY_PATHS.health, request, reply)
    await received?.visit.answer(200, { status: 'up' })
  }

  /** The logged-in collector's, over all sponsors: a partner's own token is nobody's login. */
  const cards = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { visit, bearer } = (await receive(HISTORY_PATHS.cards, request, reply)) ?? {}
    if (!visit || !bearer) return
    if (bearer.kind !== 'member') return refuseToken(visit, reply)
    const parsed = CardsQuery.safeParse(request.query)
    if (!parsed.success) return visit.answer(400, flawedBody(flawsOf(parsed.error)))
    const collector = activeCollector(bearer.collectorNumber)
    if (!collector) return visit.answer(401, NO_COLLECTOR)
    if (collector.switchAnswer) return visit.answer(...TROUBLE[collector.switchAnswer])
    return visit.answer(
      200,
      pageOf(activitiesOf(collector, parsed.data, history, program), parsed.data, addressOf(request)),
    )
  }

  /**
   * A given collector's, for the sponsors that are named. Who may ask is not shown: a partner for anybody, a member for
   * themselves.
   */
  const sponsors = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { visit, bearer } = (await receive(HISTORY_PATHS.sponsors, request, reply)) ?? {}
    if (!visit || !bearer) return
    const parsed = SponsorsQuery.safeParse(request.query)
    if (!parsed.success) {
      const onlyNumber =
        typeof (request.query as Record<string, unknown>).collectorNumber === 'string' &&
        parsed.error.issues.every((issue) => issue.path[0] === 'collectorNumber')
      return visit.answer(onlyNumber ? 401 : 400, onlyNumber ? NO_COLLECTOR : flawedBody(flawsOf(parsed.error)))
    }
    const { collectorNumber } = parsed.data
    const collector =
      bearer.kind === 'member' && bearer.collectorNumber !== collectorNumber
        ? undefined
        : activeCollector(collectorNumber)
    if (!collector) return visit.answer(401, NO_COLLECTOR)
    if (collector.switchAnswer) return visit.answer(...TROUBLE[collector.switchAnswer])
    return visit.answer(
      200,
      pageOf(activitiesOf(collector, parsed.data, history, program), parsed.data, addressOf(request)),
    )
  }

  return (app: FastifyInstance): void => {
    app.get(HISTORY_PATHS.health, async (request, reply) => {
      await health(request, reply)
      return reply
    })
    app.get(HISTORY_PATHS.cards, async (request, reply) => {
      await cards(request, reply)
      return reply
    })
    app.get(HISTORY_PATHS.sponsors, async (request, reply) => {
      await sponsors(request, reply)
      return reply
    })
  }
}

/** Which channels there are is not shown: any is served, and none is served differently. */
function headerFlaws({ headers }: FastifyRequest): Flaw[] {
  const flaws: Flaw[] = []
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    flaws.push({ path: 'Content-Type', message: 'application/json is required' })
  // mutant: history-without-channel
  if (!headers['channel-code']) flaws.push({ path: 'Channel-Code', message: 'is required' })
  const language = headers['accept-language']
  if (language !== undefined && !/^(EN|FR)$/i.test(language))
    flaws.push({ path: 'Accept-Language', message: 'EN or FR is expected' })
  return flaws
}

/** Where the caller found the service, query included. A Host that is no host does not break the links. */
function addressOf(request: FastifyRequest): URL {
  const base = `${request.protocol}://${request.host}`
  return new URL(request.url, URL.canParse(base) ? base : 'http://localhost')
}

/** Newest first, unless told otherwise. */
const DEFAULT_SORT: { field: SortField; descending: boolean }[] = [{ field: 'transactionDate', descending: true }]

/**
 * Records sorted, one page, with links to the others (specification 2 §2.3). `address` is the request's own, query
 * included.
 */
export function pageOf(
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
    // Records of one moment stand in the order in which they were posted, read from the same end as the dates.
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
