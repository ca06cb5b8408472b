import type { OfferStateChange } from '../../../contracts/central/offers.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { Db } from '../db/database.ts'

export type OfferLanguage = 'en-US' | 'fr-CA'

export interface OfferCopy {
  readonly awardShort: string
  readonly qualifierShort: string
  readonly description: string
  readonly legalText: string
  readonly categoryLabel: string
  readonly subCategoryLabel: string | null
  readonly promotionLabel: string | null
  readonly mechanismLabel: string | null
  readonly ctaLabel: string | null
  readonly tiers: readonly { readonly awardLong: string; readonly qualifierLong: string }[]
}

export interface StoredOffer {
  readonly id: string
  readonly partnerId: string
  readonly partnerLabel: string
  readonly partnerSlug: string
  /** Rank of the partner; 1 is first. */
  readonly partnerPriority: number
  readonly categoryId: string
  readonly subCategoryId: string | null
  readonly promotionId: string | null
  readonly type: 'buy' | 'spend'
  readonly programType: 'traditionalcore' | 'cardlinked' | 'loyaltyshops' | 'bankpreapp'
  readonly availability: readonly ('online' | 'in-store')[]
  readonly regions: readonly Region[]
  /** Popularity per region; a higher number is more popular. */
  readonly popularity: Readonly<Partial<Record<Region, number>>>
  readonly experiment: string | null
  /** Kinds of payment card that a card-linked offer is for. Specification 1 §2.2 does not show their real spellings. */
  readonly cardTypes: readonly string[]
  /** When the offer is first shown: `YYYY-MM-DDTHH:MM:SS`, no zone (specification 1 §2.2). */
  readonly displayDate: string
  readonly startDate: string
  readonly endDate: string
  readonly massOffer: boolean
  readonly eligible: readonly string[]
  readonly eventBasedOffer: boolean
  /** Rank of the offer; 1 is first. */
  readonly displayPriority: number
  readonly tiers: readonly { readonly awardValue?: number | undefined; readonly qualifierValue?: number | undefined }[]
  readonly mechanism: { readonly type: 'button' | 'couponCode' | 'noAction' | 'optIn'; readonly value: string | null }
  readonly copy: Readonly<Record<OfferLanguage, OfferCopy>>
}

/** Reader of offers: the public or an identified collector; `preferences` are category ids, preferred first. */
export type Viewer =
  | { readonly kind: 'public' }
  | { readonly kind: 'collector'; readonly collectorNumber: string; readonly preferences: readonly string[] }

/** A collector's state on an offer (specification 1 §3). */
export interface OfferState {
  readonly name: 'SAVE' | 'OPT_IN'
  readonly value: 'SAVED' | 'UNSAVED' | 'OPTED_IN'
  /** Time of the offer state's last change, in UTC with microseconds and Z. */
  readonly updatedAt: string
}

export type OfferStates = ReadonlyMap<string, readonly OfferState[]>

export interface OfferRepository {
  all(): readonly StoredOffer[]
  find(id: string): StoredOffer | undefined
  /** Returns the query parameters that are bound to an X-Origin-Client (specification 1 §4.1). */
  boundTo(originClient: string): Readonly<Record<string, string>>
}

/** Reads the offers once, because they change only at a start. */
export function createOfferRepository(db: Db): OfferRepository {
  const offers = db
    .prepare<[], { document: string }>('SELECT document FROM offer ORDER BY id')
    .all()
    .map((row) => JSON.parse(row.document) as StoredOffer)
  const byId = new Map(offers.map((offer) => [offer.id, offer]))
  const feeds = new Map(
    db
      .prepare<[], { origin_client: string; parameters: string }>('SELECT origin_client, parameters FROM feed_mapping')
      .all()
      .map((row) => [row.origin_client, JSON.parse(row.parameters) as Record<string, string>]),
  )
  return { all: () => offers, find: (id) => byId.get(id), boundTo: (originClient) => feeds.get(originClient) ?? {} }
}

export function createOfferStateRepository(db: Db) {
  const list = db.prepare<[string], StateRow>(
    'SELECT offer_id, name, value, updated_at FROM offer_state WHERE collector_number = ? ORDER BY offer_id, name DESC',
  )
  const find = db.prepare<[string, string, string], { value: OfferState['value'] }>(
    'SELECT value FROM offer_state WHERE collector_number = ? AND offer_id = ? AND name = ?',
  )
  const put = db.prepare(`
    INSERT INTO offer_state (collector_number, offer_id, name, value, updated_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (collector_number, offer_id, name) DO UPDATE
    SET value = excluded.value, updated_at = excluded.updated_at`)

  return {
    of(collectorNumber: string): Map<string, OfferState[]> {
      const states = new Map<string, OfferState[]>()
      for (const { offer_id: offerId, name, value, updated_at: updatedAt } of list.all(collectorNumber)) {
        const list = states.get(offerId) ?? []
        list.push({ name, value, updatedAt })
        states.set(offerId, list)
      }
      return states
    },
    /**
     * Changes one state by the table of specification 1 §3. The same state again changes nothing; an offer that was
     * never saved cannot be unsaved.
     */
    change(collectorNumber: string, offerId: string, { name, value }: OfferStateChange, now: number): void {
      const found = find.get(collectorNumber, offerId, name)?.value
      if (found === value || (found === undefined && value === 'UNSAVED')) return
      put.run(collectorNumber, offerId, name, value, microseconds(now))
    },
  }
}

/** Formats a time with six decimals of a second, which specification 1 §2.2 requires; the clock has milliseconds. */
const microseconds = (at: number): string => new Date(at).toISOString().replace('Z', '000Z')

interface StateRow {
  offer_id: string
  name: OfferState['name']
  value: OfferState['value']
  updated_at: string
}
