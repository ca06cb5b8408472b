import type { OfferStateChange } from '../../../contracts/central/offers.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { Db } from '../db/database.ts'

export type OfferLanguage = 'en-US' | 'fr-CA'

/** Copy of an offer in one language. */
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

/** An offer as the service keeps it: what both languages share, and the copy of each. */
export interface StoredOffer {
  readonly id: string
  readonly partnerId: string
  readonly partnerLabel: string
  readonly partnerSlug: string
  /** 1 comes first. */
  readonly partnerPriority: number
  readonly categoryId: string
  readonly subCategoryId: string | null
  readonly promotionId: string | null
  readonly type: 'buy' | 'spend'
  readonly programType: 'traditionalcore' | 'cardlinked' | 'loyaltyshops' | 'bankpreapp'
  readonly availability: readonly ('online' | 'in-store')[]
  readonly regions: readonly Region[]
  /** How much a region's collectors take it up; higher is more popular. */
  readonly popularity: Readonly<Partial<Record<Region, number>>>
  /** The arm of an experiment that it belongs to. */
  readonly experiment: string | null
  /** Kinds of card that a card-linked offer is for. Their real spellings are not shown (specification 1 §2.2). */
  readonly cardTypes: readonly string[]
  /** `YYYY-MM-DDTHH:MM:SS`, no zone (specification 1 §2.2). */
  readonly displayDate: string
  readonly startDate: string
  readonly endDate: string
  readonly massOffer: boolean
  /** Collectors that a targeted offer is for. */
  readonly eligible: readonly string[]
  readonly eventBasedOffer: boolean
  /** 1 comes first. */
  readonly displayPriority: number
  readonly tiers: readonly { readonly awardValue?: number | undefined; readonly qualifierValue?: number | undefined }[]
  readonly mechanism: { readonly type: 'button' | 'couponCode' | 'noAction' | 'optIn'; readonly value: string | null }
  readonly copy: Readonly<Record<OfferLanguage, OfferCopy>>
}

/** Who looks: anybody, or a collector whom a token speaks for; `preferences` are category ids, best liked first. */
export type Viewer =
  | { readonly kind: 'public' }
  | { readonly kind: 'collector'; readonly collectorNumber: string; readonly preferences: readonly string[] }

/** What a collector did with an offer (specification 1 §3). */
export interface OfferState {
  readonly name: 'SAVE' | 'OPT_IN'
  readonly value: 'SAVED' | 'UNSAVED' | 'OPTED_IN'
  /** UTC with microseconds and Z. */
  readonly updatedAt: string
}

/** A collector's states by offer id. */
export type OfferStates = ReadonlyMap<string, readonly OfferState[]>

export interface OfferRepository {
  all(): readonly StoredOffer[]
  find(id: string): StoredOffer | undefined
  /** Query parameters bound to an X-Origin-Client; empty for most (specification 1 §4.1). */
  boundTo(originClient: string): Readonly<Record<string, string>>
}

/** The offers of the database, read once: they change only when the services start. */
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

/** What collectors did with offers, kept for the offer service and the offer-state service alike. */
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
    /** A collector's states by offer id. */
    of(collectorNumber: string): Map<string, OfferState[]> {
      const states = new Map<string, OfferState[]>()
      for (const { offer_id: offerId, name, value, updated_at: updatedAt } of list.all(collectorNumber)) {
        const kept = states.get(offerId) ?? []
        kept.push({ name, value, updatedAt })
        states.set(offerId, kept)
      }
      return states
    },
    /**
     * Moves one state by the table of specification 1 §3. A move to where it is already changes nothing; what was never
     * saved cannot be unsaved.
     */
    change(collectorNumber: string, offerId: string, { name, value }: OfferStateChange, now: number): void {
      const found = find.get(collectorNumber, offerId, name)?.value
      if (found === value || (found === undefined && value === 'UNSAVED')) return
      put.run(collectorNumber, offerId, name, value, microseconds(now))
    },
  }
}

/** Milliseconds are what the clock has; the specification writes six digits (1 §2.2). */
const microseconds = (at: number): string => new Date(at).toISOString().replace('Z', '000Z')

interface StateRow {
  offer_id: string
  name: OfferState['name']
  value: OfferState['value']
  updated_at: string
}
