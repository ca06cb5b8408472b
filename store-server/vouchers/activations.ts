import type { ActivateCard, ActivatedCard } from '../../contracts/store/vouchers.ts'
import type { Querying } from '../db/postgres.ts'
import type { Caller } from '../lanes/caller.ts'

/** So long a lane may take to sell it, or to say that it did not. */
const SELLING = "interval '30 minutes'"
/** The one place where it is decided: of lanes that ask at once one is answered a row. */
const ACTIVATE = `INSERT INTO voucher_activation AS selling (store, hash, lane, asked_at) SELECT $1, $2, $3, $4
  WHERE NOT EXISTS (SELECT 1 FROM voucher_account WHERE store = $1 AND hash = $2)
  ON CONFLICT (store, hash) DO UPDATE SET lane = excluded.lane, at = now(), asked_at = excluded.asked_at
  WHERE selling.lane = excluded.lane OR selling.at < now() - ${SELLING} RETURNING lane`
const IS_ACTIVE = 'SELECT 1 FROM voucher_account WHERE store = $1 AND hash = $2'
/** Not what the lane asked for anew since. */
const FORGO = `DELETE FROM voucher_activation WHERE store = $1 AND hash = $2 AND lane = $3
  AND (asked_at <= $4 OR asked_at IS NULL OR $4::bigint IS NULL)`

type Card = Pick<ActivateCard, 'hash'> & { readonly askedAt?: number | null | undefined }

/** Which lane sells a card with a number of its own. What was sold stands in the accounts. */
export function createActivationsRepository(postgres: Querying) {
  return {
    async activate({ store, lane }: Caller, { hash, askedAt = null }: Card): Promise<ActivatedCard['kind']> {
      if ((await postgres.query(ACTIVATE, [store, hash, lane, askedAt])).count > 0) return 'yours'
      return (await postgres.query(IS_ACTIVE, [store, hash])).count > 0 ? 'active' : 'elsewhere'
    },
    async forgo({ store, lane }: Caller, { hash, askedAt = null }: Card): Promise<void> {
      await postgres.query(FORGO, [store, hash, lane, askedAt])
    },
  }
}
