import type { Database } from '../db/open.ts'
import { placeOf, type Seal } from '../outbox/seal.ts'
import type { StoreSeal } from './store-seal.ts'

/** Lanes have keys of their own, and so other hashes of a collector: the number is opened once, and kept by no one. */
export type CollectorName = (laneHash: string) => string | null

export interface CollectorNamesOptions {
  readonly db: Database
  readonly lane: string
  readonly seal: Pick<Seal, 'open' | 'keyedHash'>
  readonly storeSeal: () => StoreSeal | null
}

interface Sealed {
  readonly id: string
  readonly sealed: Buffer | null
}

/** Names that are remembered; then the oldest is worked out again. */
const MOST_NAMES = 200

const OPEN_SALE = `SELECT id, member_sealed AS sealed FROM sale
  WHERE lane = ? AND state = 'open' AND held_at IS NULL AND member_hash = ?`
const OPEN_OPERATION = `SELECT sale.id, sale.member_sealed AS sealed FROM operation
  LEFT JOIN sale_return ON sale_return.id = operation.sale_id
  JOIN sale ON sale.id = coalesce(sale_return.sale_id, operation.sale_id)
  WHERE operation.collector_hash = ? AND operation.open = 1 ORDER BY operation.rowid LIMIT 1`

/**
 * What the lanes of the store call a collector, by this lane's hash of it. Null where the lane never spoke with its
 * store, or has no number at hand: then it goes on alone.
 */
export function createCollectorNames({ db, lane, seal, storeSeal }: CollectorNamesOptions): CollectorName {
  const openSale = db.prepare<[string, Buffer], Sealed>(OPEN_SALE)
  const openOperation = db.prepare<[Buffer], Sealed>(OPEN_OPERATION)
  const names = new Map<string, string>()

  function numberIn(row: Sealed | undefined, hash: Buffer): string | null {
    if (!row?.sealed) return null
    const number = seal.open(row.sealed, placeOf('sale', 'member_sealed', row.id)).toString()
    // A call that was corrected is of another number than its sale.
    return Buffer.from(seal.keyedHash(number)).equals(hash) ? number : null
  }

  return (laneHash) => {
    const known = names.get(laneHash)
    const keys = storeSeal()
    if (known !== undefined || keys === null) return known ?? null
    const hash = Buffer.from(laneHash, 'hex')
    const number = numberIn(openSale.get(lane, hash), hash) ?? numberIn(openOperation.get(hash), hash)
    if (number === null) return null
    const name = keys.hash('collector', number)
    const [oldest] = names.keys()
    if (names.size >= MOST_NAMES && oldest !== undefined) names.delete(oldest)
    names.set(laneHash, name)
    return name
  }
}
