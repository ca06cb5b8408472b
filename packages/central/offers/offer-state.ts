import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  CountQuery,
  FindQuery,
  GetQuery,
  OFFER_STATE_PATHS,
  PutRequest,
  type StateSortField,
} from '../../../contracts/central/offer-state.ts'
import { localDateTime } from '../clock.ts'
import { type Flaw, present } from '../http/answer.ts'
import { type CallDependencies, parseBody } from '../http/call.ts'
import { type Visit, flawedBody, flawsOf, meet, refuseToken } from '../http/reception.ts'
import type { OfferRepository, OfferState, StoredOffer } from './offers.ts'
import { type OfferStateRepository, WARNINGS, warningOf } from './states.ts'
import { PROGRAM_TIME_ZONE, type ProgramRepository } from '../program.ts'
import { z } from 'zod'

/** 503 is none of the statuses of this service (specification 2 §7). */
const OUTAGE = { status: 500, body: { message: 'Scheduled outage' } } as const

/** The offer-state service: what a collector did with offers, for a partner's own list (specification 2). */
export function offerStateRoutes(
  dependencies: CallDependencies,
  program: ProgramRepository,
  offers: OfferRepository,
  states: OfferStateRepository,
) {
  const service = createOfferStateService(offers, states)

  /** Faults, token, headers. Undefined: the request was answered already. */
  const receive = async (
    path: string,
    operation: 'health' | 'read' | 'write',
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ visit: Visit; collectorNumber: string } | undefined> => {
    const correlation = request.headers['x-correlation-id']
    if (typeof correlation === 'string') void reply.header('x-correlation-id', correlation)
    const visit = await meet(dependencies, path, request, reply, OUTAGE)
    if (!visit) return undefined
    const { bearer } = visit
    // Reads and writes act for the collector of the token (specification 2 §5): a partner's own token speaks for none.
    const standing =
      typeof bearer === 'object' &&
      (operation === 'health' ||
        (bearer.kind === 'member' && program.findCollector(bearer.collectorNumber)?.state === 'active'))
    if (!standing) return refuseToken(visit, reply).then(() => undefined)
    const flaws = headerFlaws(request, operation)
    if (flaws.length > 0) return visit.answer(400, flawedBody(flaws)).then(() => undefined)
    return { visit, collectorNumber: bearer.kind === 'member' ? bearer.collectorNumber : '' }
  }

  const health = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const received = await receive(OFFER_STATE_PATHS.health, 'health', request, reply)
    await received?.visit.answer(200, [{ healthy: true, timestamp: new Date(dependencies.clock.now()).toISOString() }])
  }

  const find = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { visit, collectorNumber } = (await receive(OFFER_STATE_PATHS.find, 'read', request, reply)) ?? {}
    if (!visit || collectorNumber === undefined) return
    const parsed = FindQuery.safeParse(request.query)
    if (!parsed.success) return visit.answer(400, flawedBody(flawsOf(parsed.error)))
    const found = service.find(collectorNumber, parsed.data)
    return visit.answer(200, present({ offers: found, returnedCount: found.length }))
  }

  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { visit, collectorNumber } = (await receive(OFFER_STATE_PATHS.get, 'read', request, reply)) ?? {}
    if (!visit || collectorNumber === undefined) return
    const parsed = GetQuery.safeParse(request.query)
    if (!parsed.success) return visit.answer(400, flawedBody(flawsOf(parsed.error)))
    const found = service.get(collectorNumber, parsed.data.offerId)
    return visit.answer(
      200,
      present({ offers: found, requestedCount: parsed.data.offerId.length, returnedCount: found.length }),
    )
  }

  const count = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { visit, collectorNumber } = (await receive(OFFER_STATE_PATHS.count, 'read', request, reply)) ?? {}
    if (!visit || collectorNumber === undefined) return
    const parsed = CountQuery.safeParse(request.query)
    if (!parsed.success) return visit.answer(400, flawedBody(flawsOf(parsed.error)))
    return visit.answer(200, { count: service.count(collectorNumber, parsed.data) })
  }

  /** All changes or none: one offer that is not there refuses the whole request with 404. */
  const put = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { visit, collectorNumber } = (await receive(OFFER_STATE_PATHS.put, 'write', request, reply)) ?? {}
    if (!visit || collectorNumber === undefined) return
    const parsed = PutRequest.safeParse(parseBody(request.body))
    if (!parsed.success) return visit.answer(400, flawedBody(flawsOf(parsed.error)))
    const now = localDateTime(dependencies.clock.now(), PROGRAM_TIME_ZONE)
    const missing = parsed.data.stateChanges.filter(({ offerId }) => {
      const offer = offers.find(offerId.toLowerCase())
      const { warning } = warningOf(
        offer,
        offer?.regions[0] ?? 'ZZ',
        { kind: 'collector', collectorNumber, preferences: [] },
        now,
      )
      return !offer || (warning !== null && !WARNINGS[warning.errorCode].returned)
    })
    if (missing.length > 0)
      return visit.answer(
        404,
        flawedBody(
          missing.map(({ offerId }) => ({ path: offerId, message: 'there is no such offer for this collector' })),
          404,
          'Record not found',
        ),
      )
    await dependencies.commit(() => {
      for (const { offerId, states: changes } of parsed.data.stateChanges)
        for (const change of changes)
          states.change(collectorNumber, offerId.toLowerCase(), change, dependencies.clock.now())
    })
    return visit.answer(204)
  }

  return (app: FastifyInstance): void => {
    app.get(OFFER_STATE_PATHS.health, async (request, reply) => {
      await health(request, reply)
      return reply
    })
    app.get(OFFER_STATE_PATHS.find, async (request, reply) => {
      await find(request, reply)
      return reply
    })
    app.get(OFFER_STATE_PATHS.get, async (request, reply) => {
      await get(request, reply)
      return reply
    })
    app.get(OFFER_STATE_PATHS.count, async (request, reply) => {
      await count(request, reply)
      return reply
    })
    app.put(OFFER_STATE_PATHS.put, async (request, reply) => {
      await put(request, reply)
      return reply
    })
  }
}

const ORIGIN_CLIENT = /^(internal|external):[^:\s,]+:[^:\s,]+$/
const LocalTime = z.iso.datetime({ local: true })

/** Header rules of the offer-state service (specification 2 §4.1). */
export function headerFlaws({ headers }: FastifyRequest, operation: 'health' | 'read' | 'write'): Flaw[] {
  const flaws: Flaw[] = []
  // The table lists it for all calls, those without content too.
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    flaws.push({ path: 'Content-Type', message: 'application/json is required' })
  if (operation === 'health') {
    if (!headers['channel-code']) flaws.push({ path: 'Channel-Code', message: 'is required' })
    const language = headers['accept-language']
    if (language !== undefined && !/^(EN|FR)$/i.test(language))
      flaws.push({ path: 'Accept-Language', message: 'EN or FR is expected' })
    return flaws
  }
  if (!/^[\x21-\x7e]{1,128}$/.test(String(headers['x-correlation-id'] ?? '')))
    flaws.push({ path: 'x-correlation-id', message: 'is required' })
  if (!ORIGIN_CLIENT.test(String(headers['x-origin-client'] ?? '')))
    flaws.push({ path: 'x-origin-client', message: '<internal or external>:<channel>:<client> is required' })
  const localTime = headers['x-local-time']
  if (operation === 'read' && (!LocalTime.safeParse(localTime).success || String(localTime).endsWith('Z')))
    flaws.push({ path: 'x-local-time', message: 'the local date-time without a zone is required' })
  if (operation === 'write' && headers.accept !== undefined && !/application\/(json|\*)|\*\/\*/i.test(headers.accept))
    flaws.push({ path: 'Accept', message: 'application/json is expected' })
  return flaws
}

/**
 * An offer that a collector saved or opted into (specification 2 §2.1). `properties` is empty, and what is empty is
 * left out.
 */
export interface StateRecord {
  readonly offerId: string
  readonly collectorId: string
  readonly states: readonly OfferState[]
}

interface Kept {
  readonly record: StateRecord
  readonly offer: StoredOffer | undefined
  readonly updatedAt: string
}

/** Page size when only a page number is given; without both, everything is one page. */
const PAGE_SIZE = 20

/**
 * Reads what a collector did with offers. Unsaved offers are not reported: the service knows SAVED and OPTED_IN only.
 */
export function createOfferStateService(offers: OfferRepository, states: OfferStateRepository) {
  const keptOf = (collectorNumber: string, { state, partnerId, region }: CountQuery): Kept[] =>
    [...states.of(collectorNumber)].flatMap(([offerId, all]): Kept[] => {
      const kept = all.filter(
        ({ name, value }) => value !== 'UNSAVED' && (!state || state.some((wanted) => wanted === `${name}:${value}`)),
      )
      const offer = offers.find(offerId)
      if (kept.length === 0) return []
      if (partnerId && !(offer && partnerId.includes(offer.partnerId))) return []
      if (region && !offer?.regions.includes(region)) return []
      return [
        {
          record: { offerId, collectorId: collectorNumber, states: kept },
          offer,
          updatedAt:
            kept
              .map(({ updatedAt }) => updatedAt)
              .sort()
              .at(-1) ?? '',
        },
      ]
    })

  return {
    /** All offers that the collector saved or opted into, filtered, sorted, one page. */
    find(collectorNumber: string, query: FindQuery): StateRecord[] {
      const kept = keptOf(collectorNumber, query).sort(orderOf(query))
      const size = query.pageSize ?? (query.pageNumber === undefined ? kept.length : PAGE_SIZE)
      const start = (query.pageNumber ?? 0) * size
      return kept.slice(start, start + size).map(({ record }) => record)
    },
    /** Only those among the given offers. */
    get(collectorNumber: string, offerIds: readonly string[]): StateRecord[] {
      const wanted = new Set(offerIds.map((id) => id.toLowerCase()))
      return keptOf(collectorNumber, {})
        .map(({ record }) => record)
        .filter(({ offerId }) => wanted.has(offerId))
    },
    count: (collectorNumber: string, query: CountQuery): number => keptOf(collectorNumber, query).length,
  }
}

function orderOf({
  firstSortBy,
  firstSortByDescending,
  secondSortBy,
  secondSortByDescending,
}: FindQuery): (a: Kept, b: Kept) => number {
  const by = (field: StateSortField | undefined, descending: boolean | undefined, a: Kept, b: Kept): number => {
    if (field === undefined) return 0
    const [x, y] = [valueOf(a, field), valueOf(b, field)]
    return (x < y ? -1 : x > y ? 1 : 0) * (descending ? -1 : 1)
  }
  return (a, b) =>
    by(firstSortBy, firstSortByDescending, a, b) ||
    // mutant: second-sort-ignored
    by(secondSortBy, secondSortByDescending, a, b) ||
    by('offerId', false, a, b)
}

function valueOf({ record, offer, updatedAt }: Kept, field: StateSortField): string | number {
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
