import type { Db } from '../db/open.ts'
import type { StoredOffer } from './model.ts'

export interface OfferRepository {
  all(): readonly StoredOffer[]
  find(id: string): StoredOffer | undefined
}

/** The offers of the database, read once: they change only when the services start. */
export function createOfferRepository(db: Db): OfferRepository {
  const offers = db.prepare<[], { document: string }>('SELECT document FROM offer ORDER BY id').all().map((row) => JSON.parse(row.document) as StoredOffer)
  const byId = new Map(offers.map((offer) => [offer.id, offer]))
  return { all: () => offers, find: (id) => byId.get(id) }
}
