import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { OFFER_PATHS, type Offer, OfferStatesRequest } from '../../../contracts/central/offers.ts'
import { Region } from '../../../contracts/core/regions.ts'
import { localDateTime } from '../clock.ts'
import { type CallDependencies, parseBody } from '../http/call.ts'
import { type Visit, flawedBody, flawsOf, meet, refuseToken } from '../http/reception.ts'
import { PROGRAM_TIME_ZONE, type ProgramRepository } from '../program.ts'
import type { OfferLanguage, OfferRepository, OfferState, OfferStates, StoredOffer, Viewer } from './offers.ts'
import { AUTHENTICATED_ONLY, OfferQuery, effectiveQuery, extendedMetadata, selectOffers } from './query.ts'
import { PICTURES_PATH, drawPicture, pictureAddress } from './pictures.ts'
import { type OfferStateRepository, WARNINGS, warningOf } from './states.ts'
import { randomUUID } from 'node:crypto'
import { type Flaw, present } from '../http/answer.ts'

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

const Correlation = z.uuid()
const ORIGIN_CLIENT = /^(internal|external):[^:\s]+:[^:\s]+$/

/** The caller's correlation id, or one of our own: it comes back in the answer (specification 1 §4.1). */
export function correlationOf(request: FastifyRequest): string {
  const parsed = Correlation.safeParse(request.headers['x-correlation-id'])
  return parsed.success ? parsed.data : randomUUID()
}

/** Breaks of the header rules of specification 1 §4.1. */
export function headerFlaws(request: FastifyRequest, write: boolean): Flaw[] {
  const flaws: Flaw[] = []
  const { headers } = request
  const correlation = headers['x-correlation-id']
  if (correlation !== undefined && !Correlation.safeParse(correlation).success)
    flaws.push({ path: 'X-Correlation-Id', message: 'a UUID is expected' })
  if (!ORIGIN_CLIENT.test(String(headers['x-origin-client'] ?? '')))
    flaws.push({ path: 'X-Origin-Client', message: '<internal or external>:<channel>:<client> is required' })
  if (write && !/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    flaws.push({ path: 'Content-Type', message: 'application/json is required' })
  const language = headers['accept-language']
  if (language !== undefined && (write || !isLanguage(language)))
    flaws.push({ path: 'Accept-Language', message: write ? 'is not taken on PUT' : 'en-US or fr-CA is expected' })
  return flaws
}

const isLanguage = (value: string): value is OfferLanguage => value === 'en-US' || value === 'fr-CA'

export function languageOf(request: FastifyRequest): OfferLanguage {
  const language = request.headers['accept-language']
  return language !== undefined && isLanguage(language) ? language : 'en-US'
}

/** Who looks, or why nobody may. */
export type Admission = { readonly viewer: Viewer } | { readonly refused: 'token' | 'forbidden' | Flaw }

/**
 * Who looks (specification 1 §5). No token: the public. A member's token: that collector, and then Collector-Number
 * must not be sent. A machine-to-machine token with Collector-Number: that collector, for reads only; alone it speaks
 * for nobody, and sees what the public sees. `write`: a member's token is required.
 */
export function admit(
  request: FastifyRequest,
  bearer: Visit['bearer'],
  program: ProgramRepository,
  write: boolean,
): Admission {
  if (bearer === 'invalid' || (bearer === 'none' && write)) return { refused: 'token' }
  const named = request.headers['collector-number']
  if (named !== undefined && (bearer === 'none' || bearer.kind === 'member'))
    return { refused: { path: 'Collector-Number', message: 'must be sent only with a machine-to-machine token' } }
  if (bearer === 'none') return { viewer: { kind: 'public' } }
  if (bearer.kind === 'partner' && write) return { refused: 'forbidden' }
  const number = bearer.kind === 'member' ? bearer.collectorNumber : named
  if (typeof number !== 'string') return { viewer: { kind: 'public' } }
  const collector = program.findCollector(number)
  if (collector?.state === 'active')
    return { viewer: { kind: 'collector', collectorNumber: number, preferences: collector.preferences } }
  return {
    refused:
      bearer.kind === 'member'
        ? 'token'
        : { path: 'Collector-Number', message: 'is not an active collector of the program' },
  }
}

/**
 * An offer as the wire has it, in one language (specification 1 §2.2). Pictures are addresses of nobody (`.example`)
 * but for those that these services draw, below their own `address`. `states` is null for the public; a collector who
 * did nothing with the offer gets an empty list.
 */
export function viewOf(
  offer: StoredOffer,
  language: OfferLanguage,
  states: readonly OfferState[] | null,
  address: string,
): Offer {
  const copy = offer.copy[language]
  const { mechanism } = offer
  const fields = present({
    id: offer.id,
    partnerId: offer.partnerId,
    partnerLabel: offer.partnerLabel,
    partnerLogo: { url: `https://images.miles.example/partners/${offer.partnerSlug}.png` },
    partnerProfileURL: `https://www.miles.example/partners/${offer.partnerSlug}`,
    categoryId: offer.categoryId,
    categoryLabel: copy.categoryLabel,
    promotionId: offer.promotionId,
    promotionLabel: copy.promotionLabel,
    awardShort: copy.awardShort,
    qualifierShort: copy.qualifierShort,
    image: { url: pictureAddress(offer, address) },
    displayDate: offer.displayDate,
    startDate: offer.startDate,
    endDate: offer.endDate,
    description: copy.description,
    programType: offer.programType,
    massOffer: offer.massOffer,
    eventBasedOffer: offer.eventBasedOffer,
    displayPriority: offer.displayPriority,
    tiers: offer.tiers.map((tier, index) => ({
      ...tier,
      awardLong: copy.tiers[index]?.awardLong ?? copy.awardShort,
      qualifierLong: copy.tiers[index]?.qualifierLong ?? copy.qualifierShort,
    })),
    mechanisms: [
      present({ mechanismType: mechanism.type, mechanismLabel: copy.mechanismLabel, mechanismValue: mechanism.value }),
    ],
    legalText: copy.legalText,
    cardType: [...offer.cardTypes],
    ctaLabel: copy.ctaLabel === null ? undefined : { [language]: copy.ctaLabel },
    ctaUrl: copy.ctaLabel === null ? undefined : { [language]: `https://www.miles.example/offers/${offer.id}` },
  })
  return states === null ? fields : { ...fields, states: [...states] }
}
