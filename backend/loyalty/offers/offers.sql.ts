import { z } from 'zod'
import { OfferCard } from '../../../contracts/loyalty/offers.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { Database } from '../../core/db/database.ts'
import { OfferTerms } from './offer-terms.ts'

/**
 * An offer as it is kept: the card, from when to when it may be shown (local date-times without zone, specification 1
 * §2.2), and what it asks of a basket.
 */
export const KeptOffer = z.object({
  card: OfferCard.omit({ forDisplay: true }),
  displayDate: z.string(),
  endDate: z.string(),
  startDate: z.string(),
  partnerId: z.string(),
  /** Where the offer service has its picture; null: it has none. */
  imageUrl: z.string().nullable().default(null),
  terms: OfferTerms,
})
export type KeptOffer = z.infer<typeof KeptOffer>

/** Whether an offer may be shown at this local date-time. */
export const isShownAt = ({ displayDate, endDate }: Pick<KeptOffer, 'displayDate' | 'endDate'>, now: string): boolean =>
  displayDate <= now && now < endDate

export interface KeptOffers {
  readonly offers: readonly KeptOffer[]
  /** Epoch ms. */
  readonly fetchedAt: number
}

export interface OfferRepository {
  /** The last whole list in that language, unless it was another region's. */
  find(locale: Locale, region: Region): KeptOffers | undefined
  save(locale: Locale, region: Region, list: KeptOffers): void
}

export function createOfferRepository(db: Database): OfferRepository {
  const select = db.prepare<[string, string], { fetched_at: number; offers: string }>(
    'SELECT fetched_at, offers FROM offer_list WHERE locale = ? AND region = ?',
  )
  const upsert = db.prepare(
    `INSERT INTO offer_list (locale, region, fetched_at, total, offers) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (locale) DO UPDATE
     SET region = excluded.region, fetched_at = excluded.fetched_at, total = excluded.total, offers = excluded.offers`,
  )
  /** Each list is parsed once: a basket is looked at after every item. Nothing else writes these rows. */
  const held = new Map<string, KeptOffers | undefined>()
  const keyOf = (locale: Locale, region: Region): string => `${locale} ${region}`

  function read(locale: Locale, region: Region): KeptOffers | undefined {
    const row = select.get(locale, region)
    // Kept by an earlier release without what is needed now: it is fetched again.
    const offers = row && z.array(KeptOffer).safeParse(JSON.parse(row.offers)).data
    return offers && { fetchedAt: row.fetched_at, offers }
  }

  return {
    find(locale, region) {
      const key = keyOf(locale, region)
      if (!held.has(key)) held.set(key, read(locale, region))
      return held.get(key)
    },
    save(locale, region, { offers, fetchedAt }) {
      upsert.run(locale, region, fetchedAt, offers.length, JSON.stringify(offers))
      // The row of a language is of one region.
      for (const key of held.keys()) if (key.startsWith(`${locale} `)) held.delete(key)
      held.set(keyOf(locale, region), { offers, fetchedAt })
    },
  }
}
