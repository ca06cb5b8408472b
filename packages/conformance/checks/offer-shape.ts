import * as expect from '../expect.ts'
import type { Received } from '../expect.ts'
import type { Fields, Client, CallOptions } from '../client.ts'

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

const origin = (client: Client): Record<string, string> => ({ 'x-origin-client': client.bench.offers.originClient })

export const ask = (client: Client, path: string, query: Fields = {}, options: CallOptions = {}): Promise<Received> =>
  client.get(
    path,
    { region: client.bench.offers.region, ...query },
    { token: null, ...options, headers: { 'content-type': undefined, ...origin(client), ...options.headers } },
  )
export const requestList = (client: Client, query: Fields = {}, options: CallOptions = {}): Promise<Received> =>
  ask(client, '/offers', query, options)
export const asMember = async (client: Client, role: 'fine' | 'second' = 'fine'): Promise<CallOptions> => ({
  token: await client.tokens.member(role),
})
export const asPartner = async (client: Client, role: 'fine' | 'second' = 'fine'): Promise<CallOptions> => ({
  token: await client.tokens.shared(),
  headers: { 'collector-number': client.collector(role) },
})

export function offersOf(received: Received): Offer[] {
  expect.status(received, 200)
  return expect.list(received.body.offers, 'offers', received)
}
export const totalOf = (received: Received): number =>
  Number(expect.record(received.body.metadata, 'metadata', received).total)

export async function all(client: Client, query: Fields = {}, options: CallOptions = {}): Promise<Offer[]> {
  const offers: Offer[] = []
  for (;;) {
    const received = await requestList(client, { limit: 96, ...query, offset: offers.length }, options)
    const page = offersOf(received)
    offers.push(...page)
    if (page.length === 0 || offers.length >= totalOf(received)) return offers
  }
}

export const putStates = (client: Client, id: string, states: unknown, options: CallOptions = {}): Promise<Received> =>
  client.send(
    'PUT',
    `/offers/${id}/states`,
    { states },
    { ...options, headers: { ...origin(client), ...options.headers } },
  )

export const idsOf = (offers: readonly Offer[]): string[] => offers.map(({ id }) => String(id))
export const distinct = (offers: readonly Offer[], field: string): string[] => [
  ...new Set(offers.map((offer) => offer[field]).filter((value) => typeof value === 'string')),
]
export const statesOf = (offer: Offer): Record<string, unknown>[] =>
  Array.isArray(offer.states) ? expect.list(offer.states, 'states') : []
