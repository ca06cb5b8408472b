import { z } from 'zod'
import { OfferCard } from '../../../contracts/loyalty/offers.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import type { Database } from '../../core/db/database.ts'
import { OfferTerms } from './offer-terms.ts'

/**
 * A stored offer: its texts for display, its display and validity dates (local date-times without a zone, specification
 * 1 §2.2), and its terms.
 */
export const StoredOffer = z.object({
  card: OfferCard.omit({ forDisplay: true }),
  displayDate: z.string(),
  endDate: z.string(),
  startDate: z.string(),
  partnerId: z.string(),
  imageUrl: z.string().nullable().default(null),
  terms: OfferTerms,
})
export type StoredOffer = z.infer<typeof StoredOffer>

export const isShownAt = (
  { displayDate, endDate }: Pick<StoredOffer, 'displayDate' | 'endDate'>,
  now: string,
): boolean => displayDate <= now && now < endDate

export interface StoredOffers {
  readonly offers: readonly StoredOffer[]
  readonly fetchedAt: number
}

export interface OfferRepository {
  find(locale: Locale, region: Region): StoredOffers | undefined
  save(locale: Locale, region: Region, list: StoredOffers): void
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
  /**
   * Parsed lists of offers. They are cached because a basket is evaluated against them after every item; only this
   * repository writes the rows.
   */
  const held = new Map<string, StoredOffers | undefined>()
  const keyOf = (locale: Locale, region: Region): string => `${locale} ${region}`

  function read(locale: Locale, region: Region): StoredOffers | undefined {
    const row = select.get(locale, region)
    // A list that an earlier release stored without required fields counts as missing and is fetched again.
    const offers = row && z.array(StoredOffer).safeParse(JSON.parse(row.offers)).data
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
      // A new list replaces the stored one of any region, because the table has one row for each language.
      for (const key of held.keys()) if (key.startsWith(`${locale} `)) held.delete(key)
      held.set(keyOf(locale, region), { offers, fetchedAt })
    },
  }
}
