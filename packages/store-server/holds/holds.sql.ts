import {
  MAX_HOLDS,
  type ReserveHoldAnswer,
  type ReserveHold,
  type HeldContent,
  type HoldList,
  type OfferHold,
  type HoldDecision,
  type StoredHold,
} from '../../../contracts/store/holds.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import { awaitedLanes, IS_OPEN, detectRestore, mayBeFromLostDatabase } from '../lanes/awaited.ts'
import type { Caller } from '../lanes/caller.ts'
import { otherLaneOf, requireOwnId } from '../lanes/guard.ts'
import type { FactsOf } from '../lanes/projection.ts'

type Listed = Omit<StoredHold, 'goods' | 'heldAt'> & { content: HeldContent; heldAt: string }
/**
 * Row of the list of held sales: the version of the list and a sale, or only the version if there is no sale or the
 * caller knows this version.
 */
type ListRow = { version: string } & (Listed | { lane: null })

const OFFER = `INSERT INTO held_sale (id, store, lane, sale, state, held_at, name, cashier, item_count, total_cents,
    member_last4, content, sealed)
  SELECT $1, $2, $3, $4, 'offered', $5, $6, $7, $8, $9, $10, $11, $12
  WHERE NOT EXISTS (SELECT 1 FROM held_sale_gone WHERE store = $2 AND sale = $4) ON CONFLICT DO NOTHING`
const GIVEN = `UPDATE held_sale SET state = 'waiting', changed_at = now()
  WHERE id = $1 AND store = $2 AND lane = $3 AND state = 'offered'`
/** Marks a held sale as withdrawn by its lane, even if the offer of the sale has not arrived yet. */
const WITHDRAW = `INSERT INTO held_sale AS held (id, store, lane, sale, state) VALUES ($1, $2, $3, $4, 'withdrawn')
  ON CONFLICT (id) DO UPDATE SET state = 'withdrawn', content = NULL, sealed = NULL, changed_at = now()
  WHERE held.state = 'offered' AND held.store = $2 AND held.lane = $3`
const COPIED = `UPDATE held_sale SET copied_at = $3 WHERE store = $1 AND sale = $2 AND state IN ('waiting', 'claimed')`
const NEWEST = `FROM held_sale WHERE store = $1 AND state IN ('waiting', 'claimed')`
/** Version of the list, which changes with every listed sale and with the lanes that the store waits for. */
export const VERSION = `SELECT md5($3::text[]::text || coalesce(string_agg(
    json_build_array(id, claimed_by, copied_at)::text, ' ' ORDER BY held_at, id), '')) AS version
  FROM (SELECT id, held_at, claimed_by, copied_at ${NEWEST} ORDER BY held_at DESC LIMIT $2) AS newest`
/**
 * Lists the held sales. Returns at least one row, with the version of the list; reads the sales only if the caller
 * knows another version.
 */
export const LIST = `WITH listing AS (${VERSION}) SELECT version, lane, sale, held_at AS "heldAt",
    name, cashier, item_count AS "itemCount", total_cents AS "totalCents", member_last4 AS "memberLast4", content,
    claimed_by AS "claimedBy", copied_at AS "copiedAt"
  FROM listing LEFT JOIN LATERAL (SELECT * ${NEWEST} AND version IS DISTINCT FROM $4 ORDER BY held_at DESC LIMIT $2)
    AS held ON true ORDER BY held_at`
/** Records a reservation request. Waits for a concurrent release of the same reservation. */
const REQUEST_HOLD = `INSERT INTO hold_claim AS claim (id, store, lane) VALUES ($1, $2, $3)
  ON CONFLICT (id) DO UPDATE SET at = now() WHERE claim.store = $2 AND claim.lane = $3 RETURNING is_back`
const RESERVE = `UPDATE held_sale SET state = 'claimed', claim = $3, claimed_by = $4, changed_at = now()
  WHERE store = $1 AND sale = $2 AND (state = 'waiting' OR (state = 'claimed' AND claim = $3 AND claimed_by = $4))
  RETURNING lane, content, sealed`
const HOLDER = `SELECT claimed_by AS lane FROM held_sale WHERE store = $1 AND sale = $2 AND claimed_by IS NOT NULL
  ORDER BY changed_at DESC LIMIT 1`
const RESERVED = `SELECT claim FROM held_sale WHERE store = $1 AND claimed_by = $2 AND state = 'claimed'
  ORDER BY changed_at LIMIT 500`
const GIVE_BACK = `INSERT INTO hold_claim AS claim (id, store, lane, is_back) VALUES ($1, $2, $3, true)
  ON CONFLICT (id) DO UPDATE SET is_back = true WHERE claim.store = $2 AND claim.lane = $3`
const UNRESERVE = `UPDATE held_sale SET state = 'waiting', claim = NULL, claimed_by = NULL, changed_at = now()
  WHERE claim = $1 AND store = $2 AND claimed_by = $3 AND state = 'claimed'`
const RESUMED = `UPDATE held_sale SET state = 'resumed', resumed_as = $4, content = NULL, sealed = NULL,
    changed_at = now() WHERE claim = $1 AND store = $2 AND claimed_by = $3 AND state = 'claimed'`
/**
 * Marks a held sale permanently as resumed elsewhere, because a lane or database restored from a backup may offer it
 * again.
 */
const MARK_RESUMED_ELSEWHERE = `INSERT INTO held_sale_gone (store, sale, lane, resumed_as) VALUES ($1, $2, $3, $4)
  ON CONFLICT (store, sale) DO NOTHING`
/**
 * Marks a held sale as resumed although a restored database lost the reservation. If the sale kept its id, a later hold
 * of it by the same lane stays.
 */
const RESUMED_UNRESERVED = `UPDATE held_sale SET state = 'resumed', claim = $1, claimed_by = $3, resumed_as = $4,
    content = NULL, sealed = NULL, changed_at = now()
  WHERE store = $2 AND sale = $5 AND state IN ('offered', 'waiting')
    AND ($5::text <> $4::text OR (lane = $3 AND held_at <= $6))
    AND NOT EXISTS (SELECT 1 FROM held_sale WHERE claim = $1)`

/**
 * Finds why a lane cannot have resumed a held sale: its reservation is of another lane or was released, or another lane
 * reserved, resumed or still holds the sale. A store that waits for lanes may have lost the message by which the other
 * lane gave the sale to the store.
 */
const NOT_OWN = `SELECT 1 FROM hold_claim WHERE id = $1 AND (store <> $2 OR lane <> $3 OR is_back)
  UNION ALL SELECT 1 FROM held_sale WHERE claim = $1 AND (store <> $2 OR claimed_by <> $3 OR sale <> $4)
  UNION ALL SELECT 1 FROM held_sale WHERE store = $2 AND sale = $4 AND claimed_by <> $3
    AND (state = 'claimed' OR resumed_as <> sale)
  UNION ALL SELECT 1 FROM held_sale WHERE store = $2 AND sale = $4 AND lane <> $3 AND state = 'offered'
    AND NOT EXISTS (SELECT 1 FROM stream_awaited AS awaited WHERE awaited.store = $2 AND ${IS_OPEN})`

/**
 * Finds out whether the lane requested this reservation, or (when facts are read again) is already recorded as the one
 * that resumed the sale.
 */
const IS_RESERVED = `SELECT 1 FROM hold_claim WHERE id = $1 AND store = $2 AND lane = $3
  UNION ALL SELECT 1 FROM held_sale WHERE claim = $1
  UNION ALL SELECT 1 FROM held_sale_gone WHERE store = $2 AND sale = $4 AND lane = $3 AND resumed_as = $5 LIMIT 1`
const HELD_AT = 'SELECT max(held_at) AS "heldAt" FROM held_sale WHERE store = $1 AND sale = $2'

/** Result of a reservation. `awaiting`: lanes that must send all their facts before anything is granted. */
export type HoldReservation = ReserveHoldAnswer | { readonly kind: 'awaiting'; readonly lanes: string[] }

export type Listing = Required<HoldList>

export async function holdsVersion(on: Querying, store: string, awaited: readonly string[]): Promise<string> {
  return (await on.query<{ version: string }>(VERSION, [store, MAX_HOLDS, awaited])).rows[0]?.version ?? ''
}

async function decideReservation(
  tx: Querying,
  { store, lane }: Caller,
  { claim: id, sale }: ReserveHold,
): Promise<HoldReservation> {
  await detectRestore(tx)
  // Grant nothing while the store waits for lanes: one of them may have resumed the sale in the period that the
  // database lost.
  const lanes = await awaitedLanes(tx, store)
  if (lanes.length > 0) return { kind: 'awaiting', lanes }
  const asked = await tx.query<{ is_back: boolean }>(REQUEST_HOLD, [id, store, lane])
  if (asked.rows[0]?.is_back !== false) return { kind: 'gone' }
  const reserved = await tx.query<{ lane: string; content: HeldContent; sealed: string | null }>(RESERVE, [
    store,
    sale,
    id,
    lane,
  ])
  const [held] = reserved.rows
  if (held) return { kind: 'yours', ...held }
  const [holder] = (await tx.query<{ lane: string }>(HOLDER, [store, sale])).rows
  return holder ? { kind: 'taken', lane: holder.lane } : { kind: 'gone' }
}

/**
 * Offers a held sale to the store. Returns false when an earlier hold of this sale has not ended, another lane has
 * resumed it, or the sale belongs to another lane, which may offer it itself.
 */
export async function offerHold(
  db: Querying,
  { store, lane }: Caller,
  { hold, content, sealed, ...facts }: OfferHold,
): Promise<boolean> {
  const { sale, heldAt, name, cashier, itemCount, totalCents, memberLast4 } = facts
  if (otherLaneOf(lane, sale) !== null) return false
  await db.query(OFFER, [
    hold,
    store,
    lane,
    sale,
    heldAt,
    name,
    cashier,
    itemCount,
    totalCents,
    memberLast4,
    JSON.stringify(content),
    sealed,
  ])
  return (await db.query('SELECT 1 FROM held_sale WHERE id = $1', [hold])).count === 1
}

export async function recordHoldDecision(db: Postgres, { store, lane }: Caller, { what }: HoldDecision): Promise<void> {
  switch (what.kind) {
    case 'given':
      return void (await db.query(GIVEN, [what.hold, store, lane]))
    case 'kept':
      return void (await db.query(WITHDRAW, [what.hold, store, lane, what.sale]))
    case 'copied':
      return void (await db.query(COPIED, [store, what.sale, lane]))
    case 'back':
      await db.transaction(async (tx) => {
        await tx.query(GIVE_BACK, [what.claim, store, lane])
        await tx.query(UNRESERVE, [what.claim, store, lane])
      })
  }
}

/**
 * Lists the newest held sales of all lanes that are available or reserved, oldest first, and the lanes that a restored
 * database waits for; no sale is granted until then.
 */
export const listHolds = (db: Postgres, { store }: Caller, known: string | null = null): Promise<Listing> =>
  db.transaction(async (tx) => {
    const lanes = await awaitedLanes(tx, store)
    const { rows } = await tx.query<ListRow & Record<string, unknown>>(LIST, [store, MAX_HOLDS, lanes, known])
    const version = rows[0]?.version ?? ''
    return {
      version,
      unchanged: version === known,
      holds: rows.flatMap((row) => (row.lane === null ? [] : [holdOf(row)])),
      awaits: lanes.length > 0,
      awaitedLanes: lanes,
    }
  })

export const reservedHolds = async (db: Querying, { store, lane }: Caller): Promise<string[]> =>
  (await db.query<{ claim: string }>(RESERVED, [store, lane])).rows.map(({ claim: id }) => id)

export const reserveHold = (db: Postgres, caller: Caller, asked: ReserveHold): Promise<HoldReservation> =>
  db.transaction((tx) => decideReservation(tx, caller, asked))

/**
 * Records that a lane resumed a held sale at `at` by the lane's clock. Throws for a sale of another lane that the lane
 * had not reserved, and for a sale that another lane reserved or resumed.
 */
export async function markResumed(
  tx: Querying,
  of: FactsOf,
  reservation: string,
  resumed: { readonly sale: string; readonly resumedAs: string; readonly at: number },
): Promise<void> {
  const { store, lane } = of
  const { sale, resumedAs, at } = resumed
  requireOwnId(lane, resumedAs)
  if (sale !== resumedAs) await requireReserved(tx, of, reservation, resumed)
  if ((await tx.query(NOT_OWN, [reservation, store, lane, sale])).rows.length > 0)
    throw new Error(`lane ${lane} has not reserved sale ${sale}`)
  await tx.query(RESUMED, [reservation, store, lane, resumedAs])
  if (sale !== resumedAs) await tx.query(MARK_RESUMED_ELSEWHERE, [store, sale, lane, resumedAs])
  await tx.query(RESUMED_UNRESERVED, [reservation, store, lane, resumedAs, sale, at])
}

/** Throws unless the lane reserved the held sale, or a lost database may have granted the reservation. */
async function requireReserved(
  tx: Querying,
  of: FactsOf,
  reservation: string,
  { sale, resumedAs, at }: { readonly sale: string; readonly resumedAs: string; readonly at: number },
): Promise<void> {
  const { store, lane } = of
  if ((await tx.query(IS_RESERVED, [reservation, store, lane, sale, resumedAs])).rows.length > 0) return
  const [held] = (await tx.query<{ heldAt: string | null }>(HELD_AT, [store, sale])).rows
  if (!(await mayBeFromLostDatabase(tx, of, Math.max(at, Number(held?.heldAt ?? 0)))))
    throw new Error(`lane ${lane} resumed sale ${sale} by a reservation that was not granted`)
}

const holdOf = ({ lane, sale, heldAt, name, cashier, content, ...row }: Listed): StoredHold => ({
  lane,
  sale,
  heldAt: Number(heldAt),
  name,
  cashier,
  itemCount: row.itemCount,
  totalCents: row.totalCents,
  memberLast4: row.memberLast4,
  goods: goodsOf(content),
  claimedBy: row.claimedBy,
  copiedAt: row.copiedAt,
})

const goodsOf = ({ lines }: HeldContent): StoredHold['goods'] =>
  lines.flatMap(({ sku, quantity, unitPriceCents, packPieces, measure, voided }) =>
    voided === 1
      ? []
      : [{ sku, quantity, unitPriceCents, ...(packPieces ? { packPieces } : {}), ...(measure ? { measure } : {}) }],
  )
