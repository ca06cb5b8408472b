import { type Cents, cents } from '../../../contracts/core/money.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { perLane } from '../../core/context.ts'

export const LOWEST_PRICE = 'SELECT min(lowest_cents) FROM sold_price WHERE sku = ? AND day >= ?'

export function createSoldPrices(db: Database) {
  const upsert = db.prepare(`INSERT INTO sold_price (sku, day, lowest_cents) VALUES (@sku, @day, @lowestCents)
    ON CONFLICT (sku, day) DO UPDATE SET lowest_cents = @lowestCents WHERE lowest_cents > @lowestCents`)
  const forget = db.prepare('DELETE FROM sold_price WHERE sku = ? AND day < ?')
  const lowest = db.prepare<[string, string], number | null>(LOWEST_PRICE).pluck()
  return {
    /** Stores a price of a day, if it is the lowest of that day, and deletes the item's prices before `oldest`. */
    store(tx: Tx, price: { sku: string; day: string; lowestCents: Cents }, oldest: string): void {
      if (tx.run(upsert, price).changes > 0) tx.run(forget, price.sku, oldest)
    },
    /** Returns the lowest price of an item since a day; null if it was not sold. */
    lowest(sku: string, since: string): Cents | null {
      const found = lowest.get(sku, since) ?? null
      return found === null ? null : cents(found)
    },
  }
}

export const soldPricesOf = perLane(({ db }) => createSoldPrices(db))
