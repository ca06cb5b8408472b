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
