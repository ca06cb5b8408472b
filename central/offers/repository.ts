import type { Db } from '../db/open.ts'
import type { StoredOffer } from './model.ts'

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
