import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Fields, Lane, CallOptions } from '../lane.ts'

export type Offer = Readonly<Record<string, unknown>>

/** The regions of specification 1 §2.1. */
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

export const ask = (lane: Lane, path: string, query: Fields = {}, options: CallOptions = {}): Promise<Received> =>
  lane.get(
    path,
    { region: lane.bench.offers.region, ...query },
    { token: null, ...options, headers: { 'content-type': undefined, ...origin(lane), ...options.headers } },
  )
export const requestList = (lane: Lane, query: Fields = {}, options: CallOptions = {}): Promise<Received> =>
  ask(lane, '/offers', query, options)
export const asMember = async (lane: Lane, role: 'fine' | 'second' = 'fine'): Promise<CallOptions> => ({
  token: await lane.tokens.member(role),
})
export const asPartner = async (lane: Lane, role: 'fine' | 'second' = 'fine'): Promise<CallOptions> => ({
  token: await lane.tokens.shared(),
  headers: { 'collector-number': lane.collector(role) },
})

export function offersOf(received: Received): Offer[] {
  expect.status(received, 200)
  return expect.list(received.body.offers, 'offers', received)
}
export const totalOf = (received: Received): number =>
  Number(expect.record(received.body.metadata, 'metadata', received).total)

export async function all(lane: Lane, query: Fields = {}, options: CallOptions = {}): Promise<Offer[]> {
  const offers: Offer[] = []
  for (;;) {
    const received = await requestList(lane, { limit: 96, ...query, offset: offers.length }, options)
    const page = offersOf(received)
    offers.push(...page)
    if (page.length === 0 || offers.length >= totalOf(received)) return offers
  }
}

export const putStates = (lane: Lane, id: string, states: unknown, options: CallOptions = {}): Promise<Received> =>
  lane.send('PUT', `/offers/${id}/states`, { states }, { ...options, headers: { ...origin(lane), ...options.headers } })

export const idsOf = (offers: readonly Offer[]): string[] => offers.map(({ id }) => String(id))
export const distinct = (offers: readonly Offer[], field: string): string[] => [
  ...new Set(offers.map((offer) => offer[field]).filter((value) => typeof value === 'string')),
]
export const statesOf = (offer: Offer): Record<string, unknown>[] =>
  Array.isArray(offer.states) ? expect.list(offer.states, 'states') : []
