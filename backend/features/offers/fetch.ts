import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { Offer, OFFER_PATHS } from '../../../contracts/central/offers.ts'
import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Region } from '../../../contracts/regions.ts'
import type { Transport } from '../../central/transport.ts'
import type { OfferType } from '../../domain/offer-terms.ts'
import type { Logger } from '../../log.ts'
import type { KeptOffer } from './repository.ts'

/** Largest page of GET /offers (specification 1 §8). */
const PAGE = 96
/** What can be used at a lane; offers of the web alone are for nobody who stands there (specification 1 §4.2). */
const AVAILABILITY = 'in-store'
/** A list that does not end is not a list. */
const MAX_PAGES = 50

const Page = z.object({ offers: z.array(z.unknown()), metadata: z.object({ total: z.int().min(0) }) })

export interface OfferQuery {
  readonly transport: Transport
  readonly log: Logger
  readonly region: Region
  readonly locale: Locale
  /** Only offers of this type (specification 1 §4.2); left out: all of them. */
  readonly type?: OfferType
  /** `<internal or external>:<channel>:<client>`, required by the service. */
  readonly originClient: string
  readonly timeoutMs: number
}

/**
 * All offers of a region in one language, page by page, by the public flow: no token, so mass offers only
 * (specification 1 §1). A page that fails fails the list: half a list would be shown as if it were whole.
 */
export async function fetchOffers(query: OfferQuery): Promise<{ offers: KeptOffer[] } | { failed: string }> {
  const found = new Map<string, KeptOffer>()
  let received = 0
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const parameters = new URLSearchParams({
      region: query.region,
      availability: AVAILABILITY,
      limit: String(PAGE),
      offset: String(received),
      ...(query.type === undefined ? {} : { type: query.type }),
    })
    const answer = await query.transport.send({
      service: 'offers',
      method: 'GET',
      path: `${OFFER_PATHS.list}?${parameters.toString()}`,
      headers: {
        'x-origin-client': query.originClient,
        'x-correlation-id': randomUUID(),
        'accept-language': LANGUAGES[query.locale].acceptLanguage,
      },
      timeoutMs: query.timeoutMs,
      authenticate: false,
    })
    if (answer.kind !== 'answer') return { failed: answer.reason }
    if (answer.status !== 200) return { failed: `status ${answer.status}` }
    const body = readPage(answer.bytes)
    if (!body) return { failed: 'the answer is not an offer list' }
    for (const entry of body.offers) {
      const offer = Offer.safeParse(entry)
      // One offer that a newer service writes differently must not take the others with it.
      if (offer.success) found.set(offer.data.id, keptOffer(offer.data))
      else
        query.log.warn(
          { fields: offer.error.issues.map((issue) => issue.path.join('.')) },
          'an offer was left out: it does not have the documented fields',
        )
    }
    received += body.offers.length
    if (received >= body.metadata.total || body.offers.length === 0) return { offers: [...found.values()] }
  }
  return { failed: `the list did not end after ${MAX_PAGES} pages` }
}

function readPage(bytes: Uint8Array): z.infer<typeof Page> | undefined {
  try {
    return Page.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data
  } catch {
    return undefined
  }
}

/** An offer of the service as the lane keeps it. `type`: null, since no answer says it of an offer. */
export const keptOffer = (offer: Offer): KeptOffer => ({
  displayDate: offer.displayDate,
  endDate: offer.endDate,
  startDate: offer.startDate,
  partnerId: offer.partnerId,
  card: {
    id: offer.id,
    partner: offer.partnerLabel,
    category: offer.categoryLabel ?? null,
    award: offer.awardShort,
    qualifier: offer.qualifierShort,
    description: offer.description ?? null,
    endsOn: offer.endDate.slice(0, 10),
    legalText: offer.legalText ?? null,
  },
  terms: {
    type: null,
    programType: offer.programType,
    targeted: !offer.massOffer,
    priority: offer.displayPriority ?? null,
    promotionId: offer.promotionId ?? null,
    categoryId: offer.categoryId ?? null,
    tiers: offer.tiers.map(({ awardValue, qualifierValue, awardLong, qualifierLong }) => ({
      miles: awardValue ?? null,
      asks: qualifierValue ?? null,
      award: awardLong,
      qualifier: qualifierLong,
    })),
    mechanisms: offer.mechanisms.map(({ mechanismType, mechanismValue }) => ({
      type: mechanismType,
      value: mechanismValue ?? null,
    })),
  },
})
