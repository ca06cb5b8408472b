import { OFFER_PATHS, OfferStatesRequest, type Offer } from '../../../contracts/central/offers.ts'
import { OFFER_STATE_PATHS, PutRequest } from '../../../contracts/central/offer-state.ts'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import type { Polled, MemberSignIn } from '../../../backend/loyalty/services/member-sign-in.ts'
import type { CentralCall } from '../../../backend/core/central/transport.ts'
import { toStoredOffer } from '../../../backend/loyalty/offers/fetch.ts'
import type { StoredOffer } from '../../../backend/loyalty/offers/offers.sql.ts'
import type { Collector, Reply } from './central.ts'
import type { SeededRng } from './rng.ts'
import type { World } from './world.ts'

export interface TakenState {
  readonly collector: string
  readonly offerId: string
  readonly name: string
  readonly correlationId: string
}

/**
 * A model of the identity provider for members (RFC 8628) and of the offer and offer-state services, written against
 * specifications 1 and 2.
 */
export interface ModelMembers {
  readonly signIn: MemberSignIn
  handle(call: CentralCall): Reply
  readonly taken: readonly TakenState[]
  /** Every member token that was issued. No token may be stored or shown. */
  readonly tokens: readonly string[]
  readonly lists: () => { readonly offers: readonly StoredOffer[]; readonly fetchedAt: number; readonly stale: boolean }
}

const TARGETED = 2
const COMMON = 4
const MINUTE_MS = 60_000

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

function offerOf(index: number, partnerId: string, massOffer: boolean): Offer {
  return {
    id: idOf(index),
    partnerId,
    partnerLabel: 'Northstar',
    awardShort: `${10 * index} miles`,
    qualifierShort: '$5',
    displayDate: '2020-01-01T00:00:00',
    startDate: '2020-01-01T00:00:00',
    endDate: '2099-12-31T23:59:59',
    programType: 'traditionalcore',
    massOffer,
    tiers: [{ awardValue: 10 * index, qualifierValue: 5, awardLong: `${10 * index} miles`, qualifierLong: '$5' }],
    mechanisms: [{ mechanismType: index % 2 === 0 ? 'optIn' : 'noAction' }],
  }
}

export function createModelMembers(options: {
  readonly world: World
  readonly collectors: readonly Collector[]
  readonly partnerId: string
  readonly rng: SeededRng
  readonly atLane: () => string | null
  readonly met: (kind: string, name: string) => void
}): ModelMembers {
  const { world, collectors, partnerId, rng, met } = options
  const common = Array.from({ length: COMMON }, (_, index) => offerOf(index + 1, partnerId, true))
  const targeted = Array.from({ length: TARGETED }, (_, index) => offerOf(COMMON + index + 1, partnerId, false))
  const known = new Set([...common, ...targeted].map(({ id }) => id))
  /** One offer is closed: the service refuses every call with it. */
  const closed = idOf(1 + rng.below(COMMON + TARGETED))
  const members = new Map<string, string>()
  const ended = new Set<string>()
  const states = new Map<string, Map<string, Set<string>>>()
  const taken: TakenState[] = []
  let codes = 0

  const statesOf = (collector: string): Map<string, Set<string>> => {
    const found = states.get(collector) ?? new Map<string, Set<string>>()
    states.set(collector, found)
    return found
  }
  const reply = (status: number, body: Record<string, unknown> = {}): Reply => ({ status, body, changedAccount: false })

  function polled(): Polled {
    const kind = rng.weighed({ member: 6, pending: 6, 'slow-down': 1, failed: 2, denied: 1, expired: 1, gone: 1 })
    met('sign-in', kind)
    switch (kind) {
      case 'pending':
      case 'slow-down':
      case 'denied':
      case 'expired':
        return { kind }
      case 'failed':
      case 'gone':
        return { kind, reason: 'the provider is unavailable' }
      case 'member': {
        // Sometimes a collector other than that of the sale signs in with their phone.
        const here = rng.onceIn(6) ? rng.pick(collectors).number : (options.atLane() ?? rng.pick(collectors).number)
        const token = `member-${rng.uuid()}`
        members.set(token, here)
        return {
          kind,
          token,
          collectorNumber: here as CollectorNumber,
          endsInMs: rng.onceIn(3) ? rng.below(2 * MINUTE_MS) : 30 * MINUTE_MS,
        }
      }
    }
  }

  function put(collector: string, changes: PutRequest['stateChanges'], correlationId: string): Reply {
    if (changes.some(({ offerId }) => !known.has(offerId) || offerId === closed)) return reply(404)
    for (const change of changes)
      for (const { name } of change.states) {
        const held = statesOf(collector).get(change.offerId) ?? new Set<string>()
        statesOf(collector).set(change.offerId, held.add(name))
        taken.push({ collector, offerId: change.offerId, name, correlationId })
      }
    return reply(204)
  }

  function read(path: string, collector: string, query: URLSearchParams): Reply {
    const held = [...statesOf(collector)]
    const records = held.map(([offerId, names]) => ({
      offerId,
      collectorId: collector,
      states: [...names].map((name) => ({
        name,
        value: name === 'SAVE' ? 'SAVED' : 'OPTED_IN',
        updatedAt: '2026-01-01T00:00:00.000000Z',
      })),
    }))
    if (path === OFFER_STATE_PATHS.count)
      return reply(200, { count: held.filter(([, names]) => names.has('OPT_IN')).length })
    const asked = query.getAll('offerId')
    const found = path === OFFER_STATE_PATHS.get ? records.filter(({ offerId }) => asked.includes(offerId)) : records
    return reply(200, { offers: found, returnedCount: found.length })
  }

  return {
    taken,
    get tokens() {
      return [...members.keys()]
    },
    lists: () => ({ offers: common.map(toStoredOffer), fetchedAt: 0, stale: false }),
    signIn: {
      async begin() {
        await world.sleep(1 + rng.below(200))
        if (rng.onceIn(10)) throw new Error('the provider is unavailable')
        codes += 1
        return {
          deviceCode: `device-${codes}`,
          userCode: `CODE-${codes}`,
          page: 'https://id.example/device',
          pageWithCode: null,
          expiresInMs: 10 * MINUTE_MS,
          intervalMs: 5_000,
        }
      },
      async poll() {
        await world.sleep(1 + rng.below(200))
        return polled()
      },
      async revoke(token) {
        await world.sleep(1 + rng.below(200))
        if (rng.onceIn(3)) return 'the provider is unavailable'
        ended.add(token)
        return null
      },
    },
    handle({ path, memberToken, body, headers }) {
      const collector = members.get(memberToken ?? '')
      if (collector === undefined || ended.has(memberToken ?? '') || rng.onceIn(20)) return reply(401)
      const [where = '', query = ''] = path.split('?')
      const correlationId = headers?.['x-correlation-id'] ?? ''
      const sent: unknown = body ? JSON.parse(Buffer.from(body).toString('utf8')) : null
      if (where === OFFER_STATE_PATHS.put) return put(collector, PutRequest.parse(sent).stateChanges, correlationId)
      if (where.endsWith('/states')) {
        const offerId = where.slice(OFFER_PATHS.list.length + 1).replace(/\/states$/, '')
        const saved = OfferStatesRequest.parse(sent).states.map(({ name }) =>
          name === 'SAVE' ? { name, value: 'SAVED' as const } : { name, value: 'OPTED_IN' as const },
        )
        return put(collector, [{ offerId, states: saved }], correlationId)
      }
      if (where === OFFER_PATHS.list) return reply(200, { offers: targeted, metadata: { total: targeted.length } })
      return read(where, collector, new URLSearchParams(query))
    },
  }
}
