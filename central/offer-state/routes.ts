import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CountQuery, FindQuery, GetQuery, OFFER_STATE_PATHS, PutRequest } from '../../contracts/central/offer-state.ts'
import { localDateTime } from '../clock.ts'
import { present } from '../http/answer.ts'
import type { CallDependencies } from '../http/call.ts'
import { flawedBody, flawsOf, meet, refuseToken, type Visit } from '../http/reception.ts'
import { parseBody } from '../http/body.ts'
import type { OfferRepository } from '../offers/repository.ts'
import type { OfferStateRepository } from '../offers/states.ts'
import { WARNINGS, warningOf } from '../offers/warnings.ts'
import { PROGRAM_TIME_ZONE, type ProgramRepository } from '../program/repository.ts'
import { headerFlaws } from './headers.ts'
import { createOfferStateService } from './service.ts'

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
