import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { OFFER_PATHS, OfferStatesRequest } from '../../contracts/central/offers.ts'
import { Region } from '../../contracts/regions.ts'
import { localDateTime } from '../clock.ts'
import type { CallDependencies } from '../http/call.ts'
import { flawedBody, flawsOf, meet, refuseToken, type Visit } from '../http/reception.ts'
import { parseBody } from '../http/body.ts'
import { PROGRAM_TIME_ZONE, type ProgramRepository } from '../program/repository.ts'
import { admit, correlationOf, headerFlaws, languageOf } from './headers.ts'
import type { OfferStates, Viewer } from './model.ts'
import { AUTHENTICATED_ONLY, effectiveQuery, extendedMetadata, OfferQuery, selectOffers } from './query.ts'
import { drawPicture, PICTURES_PATH } from './pictures.ts'
import type { OfferRepository } from './repository.ts'
import type { OfferStateRepository } from './states.ts'
import { viewOf } from './view.ts'
import { WARNINGS, warningOf } from './warnings.ts'

const OUTAGE = { status: 503, body: { message: 'Scheduled outage' } } as const

/** As whoever asks has reached these services. */
const addressed = (request: FastifyRequest): string => `${request.protocol}://${request.host}`

const NO_STATES: OfferStates = new Map()

/** The offer service: the list, one offer, and a collector's states on it (specification 1 §4). */
export function offerRoutes(
  dependencies: CallDependencies,
  program: ProgramRepository,
  offers: OfferRepository,
  states: OfferStateRepository,
) {
  const localNow = (): string => localDateTime(dependencies.clock.now(), PROGRAM_TIME_ZONE)

  /** Faults, header rules and viewer come before every operation. Undefined: the request was answered already. */
  const receive = async (
    path: string,
    request: FastifyRequest,
    reply: FastifyReply,
    write = false,
  ): Promise<{ visit: Visit; viewer: Viewer } | undefined> => {
    void reply.header('x-correlation-id', correlationOf(request))
    const visit = await meet(dependencies, path, request, reply, OUTAGE)
    if (!visit) return undefined
    const admission = admit(request, visit.bearer, program, write)
    if ('refused' in admission && admission.refused === 'token') return refuseToken(visit, reply).then(() => undefined)
    const flaws = headerFlaws(request, write)
    if ('refused' in admission && typeof admission.refused === 'object') flaws.push(admission.refused)
    if (flaws.length > 0) return visit.answer(400, flawedBody(flaws)).then(() => undefined)
    if ('viewer' in admission) return { visit, viewer: admission.viewer }
    return visit
      .answer(403, { message: 'A member token is required: the token identifies the collector' })
      .then(() => undefined)
  }

  const statesOf = (viewer: Viewer): OfferStates =>
    viewer.kind === 'collector' ? states.of(viewer.collectorNumber) : NO_STATES

  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { visit, viewer } = (await receive(OFFER_PATHS.list, request, reply)) ?? {}
    if (!visit || !viewer) return
    const parsed = OfferQuery.safeParse(
      effectiveQuery(request.query, offers.boundTo(String(request.headers['x-origin-client']))),
    )
    if (!parsed.success) return visit.answer(400, flawedBody(flawsOf(parsed.error)))
    const query = parsed.data
    const forbidden: string[] =
      viewer.kind === 'public' ? AUTHENTICATED_ONLY.filter((name) => query[name] !== undefined) : []
    if (viewer.kind === 'public' && query.sort?.includes('collectorRelevance')) forbidden.push('sort')
    if (forbidden.length > 0)
      return visit.answer(
        400,
        flawedBody(forbidden.map((path) => ({ path, message: 'needs a token that identifies a collector' }))),
      )
    const language = languageOf(request)
    const mine = statesOf(viewer)
    const found = selectOffers(offers.all(), query, viewer, mine, localNow())
    return visit.answer(200, {
      offers: found.page.map((offer) =>
        viewOf(offer, language, viewer.kind === 'collector' ? (mine.get(offer.id) ?? []) : null, addressed(request)),
      ),
      metadata: { total: found.matching.length, ...(query.extended_metadata ? extendedMetadata(found, language) : {}) },
    })
  }

  const one = async (id: string, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { visit, viewer } = (await receive(`${OFFER_PATHS.list}/${id}`, request, reply)) ?? {}
    if (!visit || !viewer) return
    const parsed = z.strictObject({ region: Region }).safeParse(request.query)
    if (!parsed.success) return visit.answer(400, flawedBody(flawsOf(parsed.error)))
    const offer = offers.find(id.toLowerCase())
    const { warning, returned } = warningOf(offer, parsed.data.region, viewer, localNow())
    const mine = viewer.kind === 'collector' && offer ? (statesOf(viewer).get(offer.id) ?? []) : null
    return visit.answer(200, {
      ...(returned && offer ? { offer: viewOf(offer, languageOf(request), mine, addressed(request)) } : {}),
      warning,
    })
  }

  const putStates = async (id: string, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { visit, viewer } = (await receive(`${OFFER_PATHS.list}/${id}/states`, request, reply, true)) ?? {}
    if (!visit || viewer?.kind !== 'collector') return
    const parsed = OfferStatesRequest.safeParse(parseBody(request.body))
    if (!parsed.success) return visit.answer(400, flawedBody(flawsOf(parsed.error)))
    const offer = offers.find(id.toLowerCase())
    // A state is kept only on an offer that this collector could be shown somewhere; which region does not matter here.
    const { warning } = warningOf(offer, offer?.regions[0] ?? 'ZZ', viewer, localNow())
    if (!offer || (warning && !WARNINGS[warning.errorCode].returned)) {
      return visit.answer(404, {
        message: warning?.message ?? 'There is no such offer',
        errors: [
          {
            errorCode: warning?.errorCode ?? 'err-not-found',
            errorReason: warning?.message ?? 'There is no such offer',
          },
        ],
      })
    }
    await dependencies.commit(() => {
      for (const change of parsed.data.states)
        states.change(viewer.collectorNumber, offer.id, change, dependencies.clock.now())
    })
    return visit.answer(204)
  }

  return (app: FastifyInstance): void => {
    app.get(OFFER_PATHS.list, async (request, reply) => {
      await list(request, reply)
      return reply
    })
    app.get<{ Params: { id: string } }>(`${OFFER_PATHS.list}/:id`, async (request, reply) => {
      await one(request.params.id, request, reply)
      return reply
    })
    app.get<{ Params: { name: string } }>(`${PICTURES_PATH}/:name`, async (request, reply) => {
      const picture = drawPicture(request.params.name)
      if (!picture) return reply.code(404).send({ message: 'There is no such picture' })
      return reply.type('image/png').header('cache-control', 'public, max-age=3600').send(picture)
    })
    app.put<{ Params: { id: string } }>(`${OFFER_PATHS.list}/:id/states`, async (request, reply) => {
      await putStates(request.params.id, request, reply)
      return reply
    })
  }
}
