import type { CountQuery, FindQuery, StateSortField } from '../../contracts/central/offer-state.ts'
import type { OfferState, StoredOffer } from '../offers/model.ts'
import type { OfferRepository } from '../offers/repository.ts'
import type { OfferStateRepository } from '../offers/states.ts'

/**
 * An offer that a collector saved or opted into (specification 2 §2.1). `properties` is empty, and what is empty is
 * left out.
 */
export interface StateRecord {
  readonly offerId: string
  readonly collectorId: string
  readonly states: readonly OfferState[]
}

interface Kept {
  readonly record: StateRecord
  readonly offer: StoredOffer | undefined
  readonly updatedAt: string
}

/** Page size when only a page number is given; without both, everything is one page. */
const PAGE_SIZE = 20

/**
 * Reads what a collector did with offers. Unsaved offers are not reported: the service knows SAVED and OPTED_IN only.
 */
export function createOfferStateService(offers: OfferRepository, states: OfferStateRepository) {
  const keptOf = (collectorNumber: string, { state, partnerId, region }: CountQuery): Kept[] =>
    [...states.of(collectorNumber)].flatMap(([offerId, all]): Kept[] => {
      const kept = all.filter(
        ({ name, value }) => value !== 'UNSAVED' && (!state || state.some((wanted) => wanted === `${name}:${value}`)),
      )
      const offer = offers.find(offerId)
      if (kept.length === 0) return []
      if (partnerId && !(offer && partnerId.includes(offer.partnerId))) return []
      if (region && !offer?.regions.includes(region)) return []
      return [
        {
          record: { offerId, collectorId: collectorNumber, states: kept },
          offer,
          updatedAt:
            kept
              .map(({ updatedAt }) => updatedAt)
              .sort()
              .at(-1) ?? '',
        },
      ]
    })

  return {
    /** All offers that the collector saved or opted into, filtered, sorted, one page. */
    find(collectorNumber: string, query: FindQuery): StateRecord[] {
      const kept = keptOf(collectorNumber, query).sort(orderOf(query))
      const size = query.pageSize ?? (query.pageNumber === undefined ? kept.length : PAGE_SIZE)
      const start = (query.pageNumber ?? 0) * size
      return kept.slice(start, start + size).map(({ record }) => record)
    },
    /** Only those among the given offers. */
    get(collectorNumber: string, offerIds: readonly string[]): StateRecord[] {
      const wanted = new Set(offerIds.map((id) => id.toLowerCase()))
      return keptOf(collectorNumber, {})
        .map(({ record }) => record)
        .filter(({ offerId }) => wanted.has(offerId))
    },
    count: (collectorNumber: string, query: CountQuery): number => keptOf(collectorNumber, query).length,
  }
}

function orderOf({
  firstSortBy,
  firstSortByDescending,
  secondSortBy,
  secondSortByDescending,
}: FindQuery): (a: Kept, b: Kept) => number {
  const by = (field: StateSortField | undefined, descending: boolean | undefined, a: Kept, b: Kept): number => {
    if (field === undefined) return 0
    const [x, y] = [valueOf(a, field), valueOf(b, field)]
    return (x < y ? -1 : x > y ? 1 : 0) * (descending ? -1 : 1)
  }
  return (a, b) =>
    by(firstSortBy, firstSortByDescending, a, b) ||
    // mutant: second-sort-ignored
    by(secondSortBy, secondSortByDescending, a, b) ||
    by('offerId', false, a, b)
}

function valueOf({ record, offer, updatedAt }: Kept, field: StateSortField): string | number {
  switch (field) {
    case 'offerId':
      return record.offerId
    case 'updatedAt':
      return updatedAt
    case 'displayPriority':
      return offer?.displayPriority ?? 0
    case 'startDate':
    case 'endDate':
    case 'partnerLabel':
      return offer?.[field] ?? ''
  }
}
