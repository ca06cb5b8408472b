import type { OfferStateChange } from '../../../contracts/central/offers.ts'
import type { Db } from '../db/database.ts'
import type { OfferState, StoredOffer, Viewer } from './offers.ts'
import type { Region } from '../../../contracts/core/regions.ts'
import { isVisible } from './query.ts'

export type OfferStateRepository = ReturnType<typeof createOfferStateRepository>

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

export const WARNINGS = {
  'err-login-required': { returned: true, message: 'This offer is for chosen collectors: sign in to use it' },
  // mutant: region-kept-back
  'err-region': { returned: true, message: 'This offer is not for this region' },
  'err-not-found': { returned: false, message: 'There is no such offer' },
  'err-expired': { returned: false, message: 'This offer has expired' },
  'err-not-live': { returned: false, message: 'This offer has not started yet' },
  'err-exclusive': { returned: false, message: 'This offer is for other collectors' },
} as const
export type WarningCode = keyof typeof WARNINGS

export interface Warned {
  readonly warning: { readonly errorCode: WarningCode; readonly message: string } | null
  readonly returned: boolean
}

/** The warning of a single offer (specification 1 §7). Where several hold, one that keeps the offer back wins. */
export function warningOf(offer: StoredOffer | undefined, region: Region, viewer: Viewer, localNow: string): Warned {
  const code = codeOf(offer, region, viewer, localNow)
  return code === null
    ? { warning: null, returned: true }
    : { warning: { errorCode: code, message: WARNINGS[code].message }, returned: WARNINGS[code].returned }
}

function codeOf(offer: StoredOffer | undefined, region: Region, viewer: Viewer, localNow: string): WarningCode | null {
  if (!offer) return 'err-not-found'
  if (localNow >= offer.endDate) return 'err-expired'
  if (localNow < offer.displayDate) return 'err-not-live'
  if (!isVisible(offer, viewer)) return viewer.kind === 'public' ? 'err-login-required' : 'err-exclusive'
  return offer.regions.includes(region) ? null : 'err-region'
}
