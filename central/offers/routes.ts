import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { OFFER_PATHS } from '../../contracts/central/offers.ts'
import { Region } from '../../contracts/regions.ts'
import { localDateTime } from '../clock.ts'
import type { Flaw } from '../http/answer.ts'
import type { CallDesk } from '../http/call.ts'
import { drop, hang, sendBytes } from '../http/delivery.ts'
import { NO_TOKEN_BODY } from '../identity/bearer.ts'
import { PROGRAM_TIME_ZONE, type ProgramRepository } from '../program/repository.ts'
import { correlationOf, headerFlaws, languageOf, viewerOf } from './headers.ts'
import type { Viewer } from './model.ts'
import { AUTHENTICATED_ONLY, extendedMetadata, OfferQuery, selectOffers } from './query.ts'
import type { OfferRepository } from './repository.ts'
import { viewOf } from './view.ts'
import { warningOf } from './warnings.ts'

/** The offer service: the list and one offer (specification 1 §4.2, §4.3). */
export function offerRoutes(desk: CallDesk, program: ProgramRepository, offers: OfferRepository) {
  const localNow = (): string => localDateTime(desk.clock.now(), PROGRAM_TIME_ZONE)

  /** Header rules, faults and viewer come before every operation. Undefined: the request was answered already. */
  const receive = (path: string, request: FastifyRequest, reply: FastifyReply): Viewer | undefined => {
    desk.requests.receive(request.method, path, request.headers, Buffer.alloc(0), request.query)
    void reply.header('x-correlation-id', correlationOf(request))
    const fault = desk.faults.strike(path, undefined)
    switch (fault?.kind) {
      case 'hang-before': case 'hang-after': hang(reply); return undefined
      case 'drop-before': case 'drop-after': drop(reply); return undefined
      case 'answer': sendBytes(reply, fault.status, Buffer.from(JSON.stringify(fault.body ?? {}))); return undefined
      default: break
    }
    const flaws = headerFlaws(request)
    if (flaws.length > 0) { refuse(reply, flaws); return undefined }
    const viewer = viewerOf(request, desk.artifacts)
    if (!viewer) { void reply.code(401).send(NO_TOKEN_BODY); return undefined }
    if (viewer.kind === 'collector' && !program.findCollector(viewer.collectorNumber)) {
      refuse(reply, [{ path: 'Collector-Number', message: 'is not a collector of the program' }])
      return undefined
    }
    return viewer
  }

  return (app: FastifyInstance): void => {
    app.get(OFFER_PATHS.list, async (request, reply) => {
      const viewer = receive(OFFER_PATHS.list, request, reply)
      if (!viewer) return reply
      const parsed = OfferQuery.safeParse(request.query)
      if (!parsed.success) return refuse(reply, flawsOf(parsed.error))
      const query = parsed.data
      const forbidden = viewer.kind === 'public' ? AUTHENTICATED_ONLY.filter((name) => query[name] !== undefined) : []
      if (forbidden.length > 0) return refuse(reply, forbidden.map((path) => ({ path, message: 'needs a token' })))
      const language = languageOf(request)
      const found = selectOffers(offers.all(), query, viewer, localNow())
      return reply.send({
        offers: found.page.map((offer) => viewOf(offer, language)),
        metadata: { total: found.matching.length, ...(query.extended_metadata ? extendedMetadata(found, language) : {}) },
      })
    })

    app.get<{ Params: { id: string } }>(`${OFFER_PATHS.list}/:id`, async (request, reply) => {
      const viewer = receive(`${OFFER_PATHS.list}/${request.params.id}`, request, reply)
      if (!viewer) return reply
      const parsed = z.strictObject({ region: Region }).safeParse(request.query)
      if (!parsed.success) return refuse(reply, flawsOf(parsed.error))
      const offer = offers.find(request.params.id.toLowerCase())
      const { warning, returned } = warningOf(offer, parsed.data.region, viewer, localNow())
      return reply.send({ ...(returned && offer ? { offer: viewOf(offer, languageOf(request)) } : {}), warning })
    })
  }
}

const flawsOf = (error: z.ZodError): Flaw[] => error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))

const refuse = (reply: FastifyReply, flaws: readonly Flaw[]): FastifyReply => reply.code(400).send({
  message: 'Bad request', errors: flaws.map(({ path, message }) => ({ errorCode: '400', errorReason: path === '' ? message : `${path}: ${message}` })),
})
