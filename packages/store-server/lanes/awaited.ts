import type { Heard, Vector } from '../../../contracts/store/protocol.ts'
import type { Querying } from '../db/postgres.ts'
import type { Caller } from './caller.ts'
import type { FactsOf } from './projection.ts'
import type { StreamProofs } from './key-files.ts'
import { revokedSql } from './guard.ts'

/**
 * One statement: of servers that see it at once, one marks the streams. Of each lane its newest: in those before it a
 * lane that was restored or replaced before the backup was made tells nothing more. One that had been taken out of the
 * store by then could draw nothing in the lost hours; where it was enrolled again in them, it tells of itself.
 */
const PUT_BACK = `WITH put_back AS (
    UPDATE database_identity AS known SET identity = here.identity, since = now() FROM database_here AS here
    WHERE known.identity <> here.identity RETURNING 1
  ), newest AS (SELECT DISTINCT ON (store, lane) store, lane, name FROM stream
    ORDER BY store, lane, created_at DESC, epoch DESC
  ) INSERT INTO stream_awaited (store, stream) SELECT store, name FROM newest, put_back
  WHERE ${revokedSql('newest')} IS NULL
  ON CONFLICT (store, stream) DO UPDATE
    SET since = now(), ended_at = NULL, given_up_by = NULL, why = NULL, put_back = true`
/** What the database lacks of what a lane names. */
const BEYOND = `SELECT said.name, coalesce(stream.applied, 0) AS applied
  FROM jsonb_each_text($1::jsonb) AS said (name, seq) LEFT JOIN stream ON stream.name = said.name
  WHERE stream.name IS NULL OR said.seq::bigint > stream.applied`
/** The lane that made the claim was revoked since: whoever had its key may have made it. */
const CLAIM_IS_OVER = `(awaited.claimed_by IS NOT NULL AND EXISTS (SELECT 1 FROM device
  WHERE device.store = awaited.store AND device.lane = awaited.claimed_by
    AND device.revoked_at >= extract(epoch FROM awaited.claimed_at) * 1000))`
/** How far the claim of a lane that is not revoked goes. */
const CLAIMED = `CASE WHEN ${CLAIM_IS_OVER} THEN 0 ELSE awaited.heard END`
/** Of the table `stream_awaited AS awaited`: streams that the store waits for. */
export const IS_OPEN = `awaited.ended_at IS NULL AND (awaited.put_back OR NOT ${CLAIM_IS_OVER})`
/** Also one that had come, as far as this database can tell; not one without which the owner goes on. */
const CLAIM = `INSERT INTO stream_awaited AS awaited (store, stream, heard, put_back, claimed_by, claimed_at)
  SELECT $1, said.name, said.seq::bigint, false, $3, now() FROM jsonb_each_text($2::jsonb) AS said (name, seq)
  ON CONFLICT (store, stream) DO UPDATE SET heard = greatest(${CLAIMED}, excluded.heard),
    claimed_by = excluded.claimed_by, claimed_at = excluded.claimed_at,
    put_back = awaited.put_back AND awaited.ended_at IS NULL,
    ended_at = CASE WHEN awaited.given_up_by IS NOT NULL THEN awaited.ended_at END
  WHERE ${CLAIM_IS_OVER} OR awaited.heard < excluded.heard
    OR (awaited.ended_at IS NOT NULL AND awaited.given_up_by IS NULL)`
const AWAITED = `SELECT DISTINCT coalesce(lane, '') AS lane FROM stream_awaited AS awaited
  LEFT JOIN stream ON stream.name = awaited.stream WHERE awaited.store = $1 AND ${IS_OPEN} ORDER BY 1`
const OF_LANE = 'awaited.stream IN (SELECT name FROM stream WHERE store = $1 AND lane = $2)'
const IS_AWAITED = `SELECT 1 FROM stream_awaited AS awaited WHERE ${IS_OPEN} AND ${OF_LANE} LIMIT 1`
/**
 * Of a lane that knows less of a stream than is here, another copy went on in it: what that told last is not known.
 * Unread facts may tell of a draw that the database has lost.
 */
const CAME = `WITH told AS (SELECT said.name, said.seq::bigint AS seq, stream.applied, stream.unread_from
    FROM jsonb_each_text($3::jsonb) AS said (name, seq)
    LEFT JOIN stream ON stream.name = said.name AND store = $1 AND lane = $2
  ) UPDATE stream_awaited AS awaited SET ended_at = now() FROM told
  WHERE awaited.store = $1 AND awaited.stream = told.name AND ended_at IS NULL
    AND told.seq = told.applied AND ${CLAIMED} <= told.applied
    AND NOT EXISTS (SELECT 1 FROM told WHERE seq > coalesce(applied, 0) OR unread_from IS NOT NULL)`
/**
 * A database that is lost may have granted it: this one is new or was put back within seven days before the lane told
 * it, or, of a lane that comes later than that, since it was done; or the store waited for the lane.
 */
const MAY_BE_LOST = `SELECT 1 FROM (SELECT coalesce($3::timestamptz, now()) AS at) AS told
  WHERE EXISTS (SELECT 1 FROM database_identity AS known WHERE told.at >= since
    AND (told.at <= since + interval '7 days' OR $4::bigint < extract(epoch FROM since) * 1000))
  OR EXISTS (SELECT 1 FROM stream_awaited AS awaited WHERE awaited.store = $1 AND awaited.stream = $2
    AND told.at BETWEEN since AND coalesce(ended_at, 'infinity'))`
const GIVE_UP = `UPDATE stream_awaited AS awaited SET ended_at = now(), given_up_by = $3, why = $4
  WHERE awaited.store = $1 AND ended_at IS NULL AND (${OF_LANE} OR $2 = ''
    AND NOT EXISTS (SELECT 1 FROM stream WHERE stream.name = awaited.stream))`

/** Looks whether the database was put back from a backup: then all its lanes are awaited. */
export async function lookAtDatabase(on: Querying): Promise<void> {
  await on.query(PUT_BACK)
}

/**
 * How far a lane has read. Where that is beyond this database the store waits for it, if the lane has a proof that the
 * database had it. Returns how many statements had none and were ignored.
 */
export async function noteHeardOf(
  on: Querying,
  { store, lane }: Caller,
  { vector, heard = {}, proofs }: { readonly vector: Vector; readonly heard?: Heard; readonly proofs: StreamProofs },
): Promise<number> {
  const named: Record<string, number> = { ...vector }
  for (const [stream, { seq }] of Object.entries(heard)) named[stream] = Math.max(named[stream] ?? 0, seq)
  const { rows } = await on.query<{ name: string; applied: number }>(BEYOND, [JSON.stringify(named)])
  const proven = rows.flatMap(({ name, applied }) => {
    const said = heard[name]
    return said && said.seq > applied && proofs.isProof(said.proof, store, name, said.seq) ? [[name, said.seq]] : []
  })
  if (proven.length > 0) await on.query(CLAIM, [store, JSON.stringify(Object.fromEntries(proven)), lane])
  return rows.length - proven.length
}

/** Lanes that may have taken something of the store in hours that the database has lost; '' is one it does not know. */
export async function awaitedLanes(on: Querying, store: string): Promise<string[]> {
  const { rows } = await on.query<{ lane: string }>(AWAITED, [store])
  return rows.map(({ lane }) => lane)
}

export async function isAwaited(on: Querying, { store, lane }: Caller): Promise<boolean> {
  return (await on.query(IS_AWAITED, [store, lane])).count > 0
}

/** The lane says that it has told all, up to these numbers; where that much is not here, it will tell it again. */
export async function noteToldAll(on: Querying, { store, lane }: Caller, told: Vector): Promise<void> {
  await on.query(CAME, [store, lane, JSON.stringify(told)])
}

/** Whether what a lane did or took up at `at`, by its clock, may have been granted by a database that is lost. */
export async function mayBeOfLostDatabase(
  on: Querying,
  { store, stream, toldAt }: Pick<FactsOf, 'store' | 'stream' | 'toldAt'>,
  at: number,
): Promise<boolean> {
  return (await on.query(MAY_BE_LOST, [store, stream, toldAt, at])).count > 0
}

/** The owner goes on without a lane that is lost ('': those that nobody knows). Answers whether it was awaited. */
export async function goOnWithout(on: Querying, { store, lane }: Caller, by: string, why: string): Promise<boolean> {
  return (await on.query(GIVE_UP, [store, lane, by, why])).count > 0
}
