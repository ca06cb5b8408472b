import type { ActivatedCard } from '../../contracts/store/vouchers.ts'
import type { Querying } from '../db/postgres.ts'
import type { Caller } from '../lanes/caller.ts'

/** So long a lane may take to sell it, or to say that it did not. */
const SELLING = "interval '30 minutes'"
/** The one place where it is decided: of lanes that ask at once one is answered a row. */
const ACTIVATE = `INSERT INTO voucher_activation AS selling (store, hash, lane) SELECT $1, $2, $3
  WHERE NOT EXISTS (SELECT 1 FROM voucher_account WHERE store = $1 AND hash = $2)
  ON CONFLICT (store, hash) DO UPDATE SET lane = excluded.lane, at = now()
  WHERE selling.lane = excluded.lane OR selling.at < now() - ${SELLING} RETURNING lane`
const IS_ACTIVE = 'SELECT 1 FROM voucher_account WHERE store = $1 AND hash = $2'
const FORGO = 'DELETE FROM voucher_activation WHERE store = $1 AND hash = $2 AND lane = $3'

/** Which lane sells a card with a number of its own. What was sold stands in the accounts. */
export function createActivationsRepository(postgres: Querying) {
  return {
    async activate({ store, lane }: Caller, hash: string): Promise<ActivatedCard['kind']> {
      if ((await postgres.query(ACTIVATE, [store, hash, lane])).count > 0) return 'yours'
      return (await postgres.query(IS_ACTIVE, [store, hash])).count > 0 ? 'active' : 'elsewhere'
    },
    async forgo({ store, lane }: Caller, hash: string): Promise<void> {
      await postgres.query(FORGO, [store, hash, lane])
    },
  }
}
