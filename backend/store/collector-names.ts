import { perLane } from '../core/context.ts'
import { placeOf } from '../core/integrity/seal.ts'
import { storeOf } from './store-link.ts'
import { SaleSecret } from './store-seal.ts'

interface Sealed {
  readonly id: string
  readonly sealed: Buffer | null
}

const MAX_NAMES = 200

const OPEN_SALE = `SELECT id, member_sealed AS sealed FROM sale
  WHERE lane = ? AND state = 'open' AND held_at IS NULL AND member_hash = ?`
const OPEN_OPERATION = `SELECT sale.id, sale.member_sealed AS sealed FROM operation
  LEFT JOIN sale_return ON sale_return.id = operation.sale_id
  JOIN sale ON sale.id = coalesce(sale_return.sale_id, operation.sale_id)
  WHERE operation.collector_hash = ? AND operation.open = 1 ORDER BY operation.rowid LIMIT 1`
/**
 * SQL for the collector of another lane's sale of which goods are returned here: the number is sealed in this lane's
 * copy of the sale, with this lane's key.
 */
const OPEN_STORE_RETURN = `SELECT store_sale.id, secret_sealed AS sealed FROM operation
  JOIN store_return ON store_return.return_id = operation.sale_id
  JOIN store_sale ON store_sale.id = store_return.sale_id
  WHERE operation.collector_hash = ? AND operation.open = 1 ORDER BY operation.rowid LIMIT 1`

/**
 * Returns the name (a hash) by which all lanes of the store know a collector, from this lane's hash of the number. Null
 * when the lane has never connected to its store, or has no row with the number: it then works alone. Each lane hashes
 * with its own key, so the sealed number is opened here once; only the name stays in memory.
 */
export const collectorNameOf = perLane((ctx) => {
  const { db, lane, seal } = ctx
  const openSale = db.prepare<[string, Buffer], Sealed>(OPEN_SALE)
  const openOperation = db.prepare<[Buffer], Sealed>(OPEN_OPERATION)
  const openStoreReturn = db.prepare<[Buffer], Sealed>(OPEN_STORE_RETURN)
  const names = new Map<string, string>()

  // Compare the hash: a corrected call may be for another collector than its sale.
  const isOf = (number: string, hash: Buffer): boolean => Buffer.from(seal.keyedHash(number)).equals(hash)

  function numberIn(row: Sealed | undefined, hash: Buffer): string | null {
    if (!row?.sealed) return null
    const number = seal.open(row.sealed, placeOf('sale', 'member_sealed', row.id)).toString()
    return isOf(number, hash) ? number : null
  }

  /** Returns the number with this hash: of the collector who paid with miles, or of the one who earned them. */
  function numberInSecret(row: Sealed | undefined, hash: Buffer): string | null {
    if (!row?.sealed) return null
    const secret: unknown = JSON.parse(seal.open(row.sealed, placeOf('store_sale', 'secret_sealed', row.id)).toString())
    const { collector, earner } = SaleSecret.parse(secret)
    return [collector, earner].find((number) => number !== undefined && isOf(number, hash)) ?? null
  }

  return (laneHash: string): string | null => {
    const known = names.get(laneHash)
    const keys = storeOf(ctx).seal()
    if (known !== undefined || keys === null) return known ?? null
    const hash = Buffer.from(laneHash, 'hex')
    const number =
      numberIn(openSale.get(lane.id, hash), hash) ??
      numberIn(openOperation.get(hash), hash) ??
      numberInSecret(openStoreReturn.get(hash), hash)
    if (number === null) return null
    const name = keys.hash('collector', number)
    const [oldest] = names.keys()
    if (names.size >= MAX_NAMES && oldest !== undefined) names.delete(oldest)
    names.set(laneHash, name)
    return name
  }
})
