import { OFFER_PATHS, OfferStatesRequest, type OfferStateChange } from '../../contracts/central/offers.ts'
import { OFFER_STATE_PATHS, PutRequest } from '../../contracts/central/offer-state.ts'
import type { OfferChange } from '../../contracts/api/basket-offers.ts'
import { jsonOf } from './json.ts'
import type { OffersClient, OfferWriter, StoredStates } from './offers.ts'
import type { OfferStateClient } from './offer-state.ts'
import type { ServiceResult } from './service-result.ts'

/** What a member wants of one offer. */
export interface WantedOffer {
  readonly offerId: string
  readonly change: OfferChange
}

const STATES = {
  'opt-in': { name: 'OPT_IN', value: 'OPTED_IN' },
  save: { name: 'SAVE', value: 'SAVED' },
  unsave: { name: 'SAVE', value: 'UNSAVED' },
} as const satisfies Record<OfferChange, OfferStateChange>

export interface OfferWritesOptions {
  readonly offers: Pick<OffersClient, 'storedStates' | 'sendStates'>
  /** Null where the profile has no offer-state service: each offer is a call of its own. */
  readonly offerState: Pick<OfferStateClient, 'storedPut' | 'sendPut'> | null
}

export type OfferWrites = ReturnType<typeof createOfferWrites>

/**
 * Changes of offer states as exact bytes, to be stored before they are sent. Several go in one call of the offer-state
 * service, all or none (specification 2 §4.1); one alone, and what that service does not know, by the offer's own path
 * (specification 1 §4.4).
 */
export function createOfferWrites({ offers, offerState }: OfferWritesOptions) {
  const alone = ({ offerId, change }: WantedOffer): StoredStates => offers.storedStates(offerId, [STATES[change]])

  return {
    /** The calls that bring these about, in order; `apart`: each offer by itself, since together they were refused. */
    storedFor(wanted: readonly WantedOffer[], { apart = false } = {}): StoredStates[] {
      const together = wanted.flatMap(({ offerId, change }) =>
        change === 'unsave' ? [] : [{ offerId, states: [STATES[change]] }],
      )
      if (apart || offerState === null || together.length < 2) return wanted.map(alone)
      const left = wanted.filter(({ change }) => change === 'unsave')
      return [offerState.storedPut({ stateChanges: together }), ...left.map(alone)]
    },

    /** Sends stored bytes as they are. */
    send(stored: Pick<StoredStates, 'path' | 'request'>, writer: OfferWriter): Promise<ServiceResult<null>> {
      const call = { ...stored, method: 'PUT' } as const
      return offerState !== null && stored.path === OFFER_STATE_PATHS.put
        ? offerState.sendPut(call, writer)
        : offers.sendStates(call, writer)
    },
  }
}

const changeOf = ({ name, value }: OfferStateChange): OfferChange =>
  name === 'OPT_IN' ? 'opt-in' : value === 'SAVED' ? 'save' : 'unsave'

/** What stored bytes ask for. Throws a ZodError for bytes that are none of these. */
export function wantedBy({ path, request }: Pick<StoredStates, 'path' | 'request'>): WantedOffer[] {
  if (path === OFFER_STATE_PATHS.put)
    return PutRequest.parse(jsonOf(request)).stateChanges.flatMap(({ offerId, states }) =>
      states.map((state) => ({ offerId, change: changeOf(state) })),
    )
  const offerId = decodeURIComponent(path.slice(OFFER_PATHS.list.length + 1).replace(/\/states$/, ''))
  return OfferStatesRequest.parse(jsonOf(request)).states.map((state) => ({ offerId, change: changeOf(state) }))
}
