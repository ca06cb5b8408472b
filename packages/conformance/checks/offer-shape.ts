import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Fields, Lane, Say } from '../lane.ts'

export type Offer = Readonly<Record<string, unknown>>

/** Specification 1 §2.1. */
export const REGIONS = [
  'BC',
  'AB',
  'SK',
  'MB',
  'ON',
  'QC',
  'TB',
  'NB',
  'NS',
  'PE',
  'NL',
  'NT',
  'NU',
  'YT',
  'ZZ',
] as const
export const FIELDS = {
  id: expect.UUID,
  partnerId: expect.UUID,
  partnerLabel: /\S/,
  partnerProfileURL: /^https?:\/\//,
  categoryId: expect.UUID,
  categoryLabel: /\S/,
  awardShort: /\S/,
  qualifierShort: /\S/,
  displayDate: expect.LOCAL,
  startDate: expect.LOCAL,
  endDate: expect.LOCAL,
  programType: /^(traditionalcore|cardlinked|loyaltyshops|bankpreapp)$/,
  legalText: /\S/,
} as const

const origin = (lane: Lane): Record<string, string> => ({ 'x-origin-client': lane.bench.offers.originClient })

/** GET of the public flow, unless `say` brings a token. */
export const ask = (lane: Lane, path: string, query: Fields = {}, say: Say = {}): Promise<Received> =>
  lane.get(
    path,
    { region: lane.bench.offers.region, ...query },
    { token: null, ...say, headers: { 'content-type': undefined, ...origin(lane), ...say.headers } },
  )
export const askList = (lane: Lane, query: Fields = {}, say: Say = {}): Promise<Received> =>
  ask(lane, '/offers', query, say)
/** As a collector: a member's token, bound to them. */
export const asMember = async (lane: Lane, role: 'fine' | 'second' = 'fine'): Promise<Say> => ({
  token: await lane.tokens.member(role),
})
/** As a partner that speaks for a collector. */
export const asPartner = async (lane: Lane, role: 'fine' | 'second' = 'fine'): Promise<Say> => ({
  token: await lane.tokens.shared(),
  headers: { 'collector-number': lane.collector(role) },
})

export function offersOf(received: Received): Offer[] {
  expect.status(received, 200)
  return expect.list(received.body.offers, 'offers', received)
}
export const totalOf = (received: Received): number =>
  Number(expect.record(received.body.metadata, 'metadata', received).total)

/** Every matching offer, page after page. */
export async function all(lane: Lane, query: Fields = {}, say: Say = {}): Promise<Offer[]> {
  const offers: Offer[] = []
  for (;;) {
    const received = await askList(lane, { limit: 96, ...query, offset: offers.length }, say)
    const page = offersOf(received)
    offers.push(...page)
    if (page.length === 0 || offers.length >= totalOf(received)) return offers
  }
}

export const putStates = (lane: Lane, id: string, states: unknown, say: Say = {}): Promise<Received> =>
  lane.say('PUT', `/offers/${id}/states`, { states }, { ...say, headers: { ...origin(lane), ...say.headers } })

export const idsOf = (offers: readonly Offer[]): string[] => offers.map(({ id }) => String(id))
export const distinct = (offers: readonly Offer[], field: string): string[] => [
  ...new Set(offers.map((offer) => offer[field]).filter((value) => typeof value === 'string')),
]
export const statesOf = (offer: Offer): Record<string, unknown>[] =>
  Array.isArray(offer.states) ? expect.list(offer.states, 'states') : []
