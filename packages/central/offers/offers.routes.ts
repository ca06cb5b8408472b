import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  OFFER_PATHS,
  type Offer,
  OfferListResponse,
  OfferResponse,
  OfferStatesRequest,
} from '../../../contracts/central/offers.ts'
import { Region } from '../../../contracts/core/regions.ts'
import { localDateTime } from '../clock.ts'
import type { Context } from '../context.ts'
import { type Flaw, present } from '../http/answer.ts'
import {
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
import {
  NO_VALID_TOKEN,
  type Reply,
  type Service,
  type Reception,
  addOperation,
  flawedBody,
  isForMembers,
} from '../http/operations.ts'
import { PROGRAM_TIME_ZONE } from '../program.ts'
import type { OfferLanguage, OfferState, OfferStates, StoredOffer, Viewer } from './offers.sql.ts'
import { PICTURES_PATH, drawPicture, pictureAddress } from './pictures.ts'
import {
  AUTHENTICATED_ONLY,
  OfferQuery,
  WARNINGS,
  effectiveQuery,
  extendedMetadata,
  selectOffers,
  warningOf,
} from './query.ts'

const OUTAGE = { status: 503, body: { message: 'Scheduled outage' } } as const
const NEEDS_MEMBER = 'A member token is required: the token identifies the collector'

const Correlation = z.uuid()
const isLanguage = (value: unknown): value is OfferLanguage => value === 'en-US' || value === 'fr-CA'

/** Headers of specification 1 §4.1. */
const ORIGIN = z.object({
  'X-Correlation-Id': header(
    'a UUID is expected',
    (value) => Correlation.safeParse(value).success,
    'UUID, echoed in the answer; generated when missing',
  ).optional(),
  'X-Origin-Client': header(
    '<internal or external>:<channel>:<client> is required',
    (value) => /^(internal|external):[^:\s]+:[^:\s]+$/.test(value),
    '<internal or external>:<channel>:<client>',
    'internal:pos:milepost',
  ),
})
const READ_HEADERS = ORIGIN.extend({
  'Accept-Language': header('en-US or fr-CA is expected', isLanguage, 'en-US or fr-CA', 'en-US').optional(),
  'Collector-Number': z
    .string()
    .optional()
    .describe('Only with a machine-to-machine token; with a member token the request is rejected'),
})
const WRITE_HEADERS = ORIGIN.extend({
  'Content-Type': JSON_TYPE,
  'Accept-Language': header('is not accepted on PUT', () => false).optional(),
})
const ANYBODY = [{}, ...EITHER]
const OneQuery = z.strictObject({ region: Region.meta({ description: 'One region code', examples: ['ON'] }) })
const OneParams = z.object({ id: z.uuid().meta({ examples: [OFFER_ID] }) })

const OFFER_EXAMPLE = {
  id: OFFER_ID,
  partnerId: '0f0e0d0c-0b0a-4908-8706-050403020100',
  partnerLabel: 'Northstar Markets',
  awardShort: '15 bonus miles',
  qualifierShort: 'Buy whole bean coffee',
  displayDate: '2026-07-01T00:00:00',
  startDate: '2026-07-01T00:00:00',
  endDate: '2026-08-01T23:59:59',
  programType: 'traditionalcore',
  massOffer: true,
  tiers: [{ awardValue: 15, qualifierValue: 1, awardLong: '15 bonus miles', qualifierLong: 'Buy whole bean coffee' }],
  mechanisms: [{ mechanismType: 'noAction' }],
  states: [{ name: 'SAVE', value: 'SAVED', updatedAt: '2026-07-02T15:04:05.123000Z' }],
}

const SERVICE: Service<Viewer> = {
  tag: 'offers',
  outage: OUTAGE,
  answers: { 503: messageOf('Scheduled outage', OUTAGE.body.message) },
  setHeaders(request, reply) {
    // Returns the caller's correlation id, or a new one (specification 1 §4.1).
    const sent = Correlation.safeParse(request.headers['x-correlation-id'])
    void reply.header('x-correlation-id', sent.success ? sent.data : randomUUID())
  },
  admit(ctx, operation, bearer, request) {
    const seen = viewerOf(ctx, request, bearer, isForMembers(operation))
    if (seen === 'token') return { refused: NO_VALID_TOKEN }
    const flaws = headerFlaws(operation.headers, request.headers)
    if (typeof seen === 'object' && 'path' in seen) flaws.push(seen)
    if (flaws.length > 0) return { refused: [400, flawedBody(flaws)] }
    return typeof seen === 'object' && 'kind' in seen
      ? { principal: seen }
      : { refused: [403, { message: NEEDS_MEMBER }] }
  },
}

/** Offer service: the list of offers, one offer, and a collector's states on it (specification 1 §4). */
export function offerRoutes(app: FastifyInstance, ctx: Context): void {
  addOperation(app, ctx, SERVICE, {
    method: 'GET',
    path: OFFER_PATHS.list,
    summary: 'Offers of a region',
    security: ANYBODY,
    headers: READ_HEADERS,
    input: OfferQuery,
    sent: ({ offers }, { query, headers }) => effectiveQuery(query, offers.boundTo(String(headers['x-origin-client']))),
    answers: { 200: answerOf('Offers', OfferListResponse, { offers: [OFFER_EXAMPLE], metadata: { total: 1 } }) },
    perform: listOffers,
  })
  addOperation(app, ctx, SERVICE, {
    method: 'GET',
    path: `${OFFER_PATHS.list}/:id`,
    summary: 'One offer',
    security: ANYBODY,
    headers: READ_HEADERS,
    params: OneParams,
    input: OneQuery,
    answers: {
      200: answerOf(`The offer, a warning, or both: ${Object.keys(WARNINGS).join(', ')}`, OfferResponse, {
        offer: OFFER_EXAMPLE,
        warning: { errorCode: 'err-region', message: WARNINGS['err-region'].message },
      }),
    },
    perform: readOffer,
  })
  addOperation(app, ctx, SERVICE, {
    method: 'PUT',
    path: `${OFFER_PATHS.list}/:id/states`,
    summary: "A collector's states on an offer",
    security: MEMBER,
    headers: WRITE_HEADERS,
    params: OneParams,
    input: OfferStatesRequest.meta({ examples: [{ states: [{ name: 'SAVE', value: 'SAVED' }] }] }),
    answers: {
      204: DONE,
      403: messageOf('A machine-to-machine token: a member token is required', NEEDS_MEMBER),
      404: NO_OFFER,
    },
    perform: setStates,
  })
  app.get<{ Params: { name: string } }>(`${PICTURES_PATH}/:name`, async (request, reply) => {
    const picture = drawPicture(request.params.name)
    if (!picture) return reply.code(404).send({ message: 'There is no such picture' })
    return reply.type('image/png').header('cache-control', 'public, max-age=3600').send(picture)
  })
}

const localNow = ({ clock }: Context): string => localDateTime(clock.now(), PROGRAM_TIME_ZONE)

const addressed = (request: FastifyRequest): string => `${request.protocol}://${request.host}`

const statesOf = ({ offerStates }: Context, viewer: Viewer): OfferStates =>
  viewer.kind === 'collector' ? offerStates.of(viewer.collectorNumber) : new Map()

function listOffers(ctx: Context, viewer: Viewer, query: OfferQuery, request: FastifyRequest): Reply {
  const forbidden: string[] =
    viewer.kind === 'public' ? AUTHENTICATED_ONLY.filter((name) => query[name] !== undefined) : []
  if (viewer.kind === 'public' && query.sort?.includes('collectorRelevance')) forbidden.push('sort')
  if (forbidden.length > 0)
    return [400, flawedBody(forbidden.map((path) => ({ path, message: 'needs a token that identifies a collector' })))]
  const language = languageOf(request)
  const mine = statesOf(ctx, viewer)
  const found = selectOffers(ctx.offers.all(), query, viewer, mine, localNow(ctx))
  return [
    200,
    {
      offers: found.page.map((offer) =>
        viewOf(offer, language, viewer.kind === 'collector' ? (mine.get(offer.id) ?? []) : null, addressed(request)),
      ),
      metadata: { total: found.matching.length, ...(query.extended_metadata ? extendedMetadata(found, language) : {}) },
    },
  ]
}

const offerOf = ({ offers }: Context, { params }: FastifyRequest): StoredOffer | undefined =>
  offers.find((params as { id: string }).id.toLowerCase())

function readOffer(ctx: Context, viewer: Viewer, { region }: z.infer<typeof OneQuery>, request: FastifyRequest): Reply {
  const offer = offerOf(ctx, request)
  const { warning, returned } = warningOf(offer, region, viewer, localNow(ctx))
  const mine = viewer.kind === 'collector' && offer ? (statesOf(ctx, viewer).get(offer.id) ?? []) : null
  return [
    200,
    {
      ...(returned && offer ? { offer: viewOf(offer, languageOf(request), mine, addressed(request)) } : {}),
      warning,
    },
  ]
}

async function setStates(
  ctx: Context,
  viewer: Viewer,
  { states }: OfferStatesRequest,
  request: FastifyRequest,
): Promise<Reply> {
  const offer = offerOf(ctx, request)
  // A state can be set only on an offer that this collector may see in some region.
  const { warning } = warningOf(offer, offer?.regions[0] ?? 'ZZ', viewer, localNow(ctx))
  if (viewer.kind === 'public' || !offer || (warning && !WARNINGS[warning.errorCode].returned)) {
    const message = warning?.message ?? 'There is no such offer'
    return [404, { message, errors: [{ errorCode: warning?.errorCode ?? 'err-not-found', errorReason: message }] }]
  }
  await ctx.commit(() => {
    for (const change of states) ctx.offerStates.change(viewer.collectorNumber, offer.id, change, ctx.clock.now())
  })
  return [204]
}

function languageOf(request: FastifyRequest): OfferLanguage {
  const language = request.headers['accept-language']
  return isLanguage(language) ? language : 'en-US'
}

/**
 * Identifies the viewer (specification 1 §5), or returns a refusal. A machine-to-machine token acts for the collector
 * in the header Collector-Number, for reads only. `write` requires a member token.
 */
function viewerOf(
  { program }: Context,
  request: FastifyRequest,
  bearer: Reception['bearer'],
  write: boolean,
): Viewer | Flaw | 'token' | 'forbidden' {
  if (bearer === 'invalid' || (bearer === 'none' && write)) return 'token'
  const named = request.headers['collector-number']
  if (named !== undefined && (bearer === 'none' || bearer.kind === 'member'))
    return { path: 'Collector-Number', message: 'must be sent only with a machine-to-machine token' }
  if (bearer === 'none') return { kind: 'public' }
  if (bearer.kind === 'partner' && write) return 'forbidden'
  const number = bearer.kind === 'member' ? bearer.collectorNumber : named
  if (typeof number !== 'string') return { kind: 'public' }
  const collector = program.findCollector(number)
  if (collector?.state === 'active')
    return { kind: 'collector', collectorNumber: number, preferences: collector.preferences }
  return bearer.kind === 'member'
    ? 'token'
    : { path: 'Collector-Number', message: 'is not an active collector of the program' }
}

/**
 * Returns an offer in wire format in one language (specification 1 §2.2). Only pictures drawn by these services are
 * reachable, below `address`. `states`: null for the public.
 */
function viewOf(
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
