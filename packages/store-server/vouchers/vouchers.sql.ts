import type { DrawnVoucher, DrawVoucher, FoundVoucher, LaneValue } from '../../../contracts/store/vouchers.ts'
import { VoucherKind } from '../../../contracts/payments/vouchers.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import { awaitedLanes, detectRestore } from '../lanes/awaited.ts'
import type { Caller } from '../lanes/caller.ts'
import { strandReplaced } from './sources.ts'

/** SQL condition: a checkout may still wait for the answer to this draw. A lane itself resolves its older draws. */
const BEING_DRAWN = "state = 'granted' AND at > now() - interval '30 seconds'"

const FIND = 'SELECT kind, last4, issued_at, held_cents FROM voucher_account WHERE store = $1 AND hash = $2'
const AT_LANES = `SELECT lane, cents FROM voucher_at_lane
  WHERE store = $1 AND hash = $2 AND lane <> $3 AND cents > 0 ORDER BY lane`
const DRAWING = `SELECT EXISTS (SELECT 1 FROM voucher_ledger
  WHERE store = $1 AND hash = $2 AND ${BEING_DRAWN}) AS drawn`
/**
 * Grants a draw: adds one ledger row per id, and reduces the account only if its balance suffices and no lane is
 * awaited.
 */
const DRAW = `WITH asked AS (
    INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents)
    VALUES ($1, $2, $3, $4, 'out', 'granted', $5) ON CONFLICT (store, id) DO NOTHING RETURNING id
  ), taken AS (
    UPDATE voucher_account SET held_cents = held_cents - $5 FROM asked
    WHERE store = $1 AND hash = $3 AND held_cents >= $5 AND $6 RETURNING held_cents
  ) SELECT (SELECT count(*)::integer FROM asked) AS asked, (SELECT count(*)::integer FROM taken) AS taken`
const REFUSE = "UPDATE voucher_ledger SET state = 'refused' WHERE store = $1 AND id = $2"
const BEFORE = `SELECT state FROM voucher_ledger
  WHERE store = $1 AND id = $2 AND hash = $3 AND lane = $4 AND direction = 'out' AND amount_cents = $5`
const LOCK = 'SELECT 1 FROM voucher_account WHERE store = $1 AND hash = $2 FOR UPDATE'
/** Stores a draw whose request never arrived as cancelled, so that the request is refused if it arrives later. */
const TOMBSTONE = `INSERT INTO voucher_ledger (store, id, hash, lane, direction, state, amount_cents)
  VALUES ($1, $2, $3, $4, 'out', 'cancelled', $5) ON CONFLICT (store, id) DO NOTHING`
const CANCEL = `UPDATE voucher_ledger SET state = 'cancelled'
  WHERE store = $1 AND id = $2 AND hash = $3 AND lane = $4 AND state IN ('granted', 'refused')
  RETURNING amount_cents, (SELECT state FROM voucher_ledger AS was WHERE was.store = $1 AND was.id = $2) AS was`
const PUT_BACK = 'UPDATE voucher_account SET held_cents = held_cents + $3 WHERE store = $1 AND hash = $2'
const GRANTED =
  "SELECT id FROM voucher_ledger WHERE store = $1 AND lane = $2 AND state = 'granted' ORDER BY at LIMIT 500"
const APPLIED = 'SELECT name, applied FROM stream WHERE store = $1 AND lane = $2'
const OF_LANE = `SELECT hash, kind, last4, issued_at, cents, sealed, about
  FROM voucher_at_lane JOIN voucher_account USING (store, hash) WHERE store = $1 AND lane = $2 AND cents <> 0`

interface Account extends Record<string, unknown> {
  kind: string
  last4: string
  issued_at: string
}

async function locationsOf(on: Querying, { store, lane }: Caller, hash: string) {
  const account = (await on.query<Account & { held_cents: number }>(FIND, [store, hash])).rows[0]
  const { rows: at } = await on.query<{ lane: string; cents: number }>(AT_LANES, [store, hash, lane])
  const { rows: drawing } = await on.query<{ drawn: boolean }>(DRAWING, [store, hash])
  const isDrawn = drawing[0]?.drawn ?? false
  const awaits = await awaitedLanes(on, store)
  // The stored balance is negative while a lane has not sent the transfer again that covered a counted draw.
  return { account, where: { heldCents: Math.max(0, account?.held_cents ?? 0), at: [...at], isDrawn, awaits } }
}

export async function findVoucher(db: Querying, caller: Caller, hash: string): Promise<FoundVoucher> {
  await detectRestore(db)
  const { account, where } = await locationsOf(db, caller, hash)
  if (account === undefined) return { kind: 'unknown' }
  const { kind, last4, issued_at: issuedAt } = account
  return { kind: 'known', voucherKind: VoucherKind.parse(kind), last4, issuedAt: Number(issuedAt), ...where }
}

/** Grants a draw or refuses it finally; returns the earlier result for a known id. */
export const drawVoucher = (
  db: Postgres,
  caller: Caller,
  { id, hash, amountCents }: Omit<DrawVoucher, 'protocol'>,
): Promise<DrawnVoucher> =>
  db.transaction(async (tx) => {
    const { store, lane } = caller
    const one = [store, id, hash, lane, amountCents]
    await detectRestore(tx)
    const isComplete = (await awaitedLanes(tx, store)).length === 0
    const { rows } = await tx.query<{ asked: number; taken: number }>(DRAW, [...one, isComplete])
    const isNew = rows[0]?.asked === 1
    let isGranted = rows[0]?.taken === 1
    if (!isNew) {
      const { rows: before } = await tx.query<{ state: string }>(BEFORE, one)
      isGranted = ['granted', 'taken'].includes(before[0]?.state ?? '')
    } else if (!isGranted) await tx.query(REFUSE, [store, id])
    const { where } = await locationsOf(tx, caller, hash)
    return { kind: isGranted ? 'granted' : 'refused', ...where }
  })

/** Cancels a draw unless its lane has reported it: returns the amount to the store, and refuses a later request. */
export const cancelDraw = (
  db: Postgres,
  { store, lane }: Caller,
  { id, hash, amountCents }: Omit<DrawVoucher, 'protocol'>,
) =>
  db.transaction(async (tx) => {
    const one = [store, id, hash, lane, amountCents]
    // The insert waits for the end of a concurrent request with the same draw id.
    await tx.query(TOMBSTONE, one)
    await tx.query(LOCK, [store, hash])
    const { rows } = await tx.query<{ amount_cents: number; was: string }>(CANCEL, one.slice(0, 4))
    const [cancelled] = rows
    if (cancelled?.was === 'granted') await tx.query(PUT_BACK, [store, hash, cancelled.amount_cents])
    const { rows: now } = await tx.query<{ state: string }>(BEFORE, one)
    return { kind: now[0]?.state === 'taken' ? 'taken' : 'cancelled' } as const
  })

export const grantedDraws = async (db: Querying, { store, lane }: Caller): Promise<string[]> =>
  (await db.query<{ id: string }>(GRANTED, [store, lane])).rows.map(({ id }) => id)

/**
 * Returns the voucher value at this lane by its facts, and the number of the last fact counted. First moves the value
 * at the lane that the caller replaced.
 */
export async function readLaneVouchers(db: Postgres, caller: Caller): Promise<LaneValue> {
  const { store, lane } = caller
  await db.transaction((tx) => strandReplaced(tx, caller))
  return db.transaction(
    async (tx) => {
      const { rows: streams } = await tx.query<{ name: string; applied: number }>(APPLIED, [store, lane])
      const { rows } = await tx.query<Account & Pick<LaneValue['vouchers'][number], 'hash' | 'cents'> & Sealed>(
        OF_LANE,
        [store, lane],
      )
      return {
        applied: Object.fromEntries(streams.map(({ name, applied }) => [name, applied])),
        vouchers: rows.map(({ hash, kind, last4, issued_at: issuedAt, cents, sealed, about }) => ({
          hash,
          voucherKind: VoucherKind.parse(kind),
          last4,
          issuedAt: Number(issuedAt),
          cents,
          sealed,
          about,
        })),
      }
    },
    { isolation: 'repeatable read' },
  )
}

interface Sealed {
  sealed: string
  about: string
}
