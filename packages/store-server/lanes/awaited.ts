import type { ProvenVector, Vector } from '../../../contracts/store/protocol.ts'
import type { Querying } from '../db/postgres.ts'
import type { Caller } from './caller.ts'
import type { FactsOf } from './projection.ts'
import type { StreamProofs } from './key-files.ts'
import { revokedSql } from './guard.ts'

/**
 * Marks the streams that a restored database waits for, in one statement, so that exactly one of several servers does
 * it. Takes each lane's newest stream, because restored or replaced lanes send no more in earlier ones. Skips lanes
 * removed before the backup: they could not use store value in the lost period.
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
/** Finds the streams of which a lane has read more facts than this database has. */
const BEYOND = `SELECT named.name, coalesce(stream.applied, 0) AS applied
  FROM jsonb_each_text($1::jsonb) AS named (name, seq) LEFT JOIN stream ON stream.name = named.name
  WHERE stream.name IS NULL OR named.seq::bigint > stream.applied`
/**
 * SQL condition: the lane that reported these fact numbers was revoked later, so an attacker with its key may have
 * reported them.
 */
const REPORT_IS_VOID = `(awaited.claimed_by IS NOT NULL AND EXISTS (SELECT 1 FROM device
  WHERE device.store = awaited.store AND device.lane = awaited.claimed_by
    AND device.revoked_at >= extract(epoch FROM awaited.claimed_at) * 1000))`
const REPORTED_SEQ = `CASE WHEN ${REPORT_IS_VOID} THEN 0 ELSE awaited.heard END`
/** SQL condition on `stream_awaited AS awaited`: the store waits for the stream. */
export const IS_OPEN = `awaited.ended_at IS NULL AND (awaited.put_back OR NOT ${REPORT_IS_VOID})`
/**
 * Begins the wait for a stream. Also resumes a wait that ended, because a lane has read facts that this database does
 * not have; but not a wait that the database owner ended. Column `claimed_by`: the lane that reported the stream.
 */
const REPORT_STREAM = `INSERT INTO stream_awaited AS awaited (store, stream, heard, put_back, claimed_by, claimed_at)
  SELECT $1, named.name, named.seq::bigint, false, $3, now() FROM jsonb_each_text($2::jsonb) AS named (name, seq)
  ON CONFLICT (store, stream) DO UPDATE SET heard = greatest(${REPORTED_SEQ}, excluded.heard),
    claimed_by = excluded.claimed_by, claimed_at = excluded.claimed_at,
    put_back = awaited.put_back AND awaited.ended_at IS NULL,
    ended_at = CASE WHEN awaited.given_up_by IS NOT NULL THEN awaited.ended_at END
  WHERE ${REPORT_IS_VOID} OR awaited.heard < excluded.heard
    OR (awaited.ended_at IS NOT NULL AND awaited.given_up_by IS NULL)`
const AWAITED = `SELECT DISTINCT coalesce(lane, '') AS lane FROM stream_awaited AS awaited
  LEFT JOIN stream ON stream.name = awaited.stream WHERE awaited.store = $1 AND ${IS_OPEN} ORDER BY 1`
const OF_LANE = 'awaited.stream IN (SELECT name FROM stream WHERE store = $1 AND lane = $2)'
const IS_AWAITED = `SELECT 1 FROM stream_awaited AS awaited WHERE ${IS_OPEN} AND ${OF_LANE} LIMIT 1`
/**
 * Ends the wait for streams whose facts the lane has sent completely. A lane that knows fewer facts of a stream than
 * the store is an older copy; the facts of the newer copy are unknown. Unread facts may contain a draw that the
 * database lost.
 */
const END_WAIT = `WITH sent AS (SELECT named.name, named.seq::bigint AS seq, stream.applied, stream.unread_from
    FROM jsonb_each_text($3::jsonb) AS named (name, seq)
    LEFT JOIN stream ON stream.name = named.name AND store = $1 AND lane = $2
  ) UPDATE stream_awaited AS awaited SET ended_at = now() FROM sent
  WHERE awaited.store = $1 AND awaited.stream = sent.name AND ended_at IS NULL
    AND sent.seq = sent.applied AND ${REPORTED_SEQ} <= sent.applied
    AND NOT EXISTS (SELECT 1 FROM sent WHERE seq > coalesce(applied, 0) OR unread_from IS NOT NULL)`
/**
 * Finds out whether a lost database may have granted a draw or reservation that a lane reports as used. That is
 * possible if the report arrived within seven days after this database was created or restored; if it arrived later,
 * but the use was before that; or if it arrived while the store waited for the lane.
 */
const MAY_BE_LOST = `SELECT 1 FROM (SELECT coalesce($3::timestamptz, now()) AS at) AS sent
  WHERE EXISTS (SELECT 1 FROM database_identity AS known WHERE sent.at >= since
    AND (sent.at <= since + interval '7 days' OR $4::bigint < extract(epoch FROM since) * 1000))
  OR EXISTS (SELECT 1 FROM stream_awaited AS awaited WHERE awaited.store = $1 AND awaited.stream = $2
    AND sent.at BETWEEN since AND coalesce(ended_at, 'infinity'))`
const GIVE_UP = `UPDATE stream_awaited AS awaited SET ended_at = now(), given_up_by = $3, why = $4
  WHERE awaited.store = $1 AND ended_at IS NULL AND (${OF_LANE} OR $2 = ''
    AND NOT EXISTS (SELECT 1 FROM stream WHERE stream.name = awaited.stream))`

/** Detects a database restored from a backup, and makes the store wait for all its lanes. */
export async function detectRestore(on: Querying): Promise<void> {
  await on.query(PUT_BACK)
}

/**
 * Records how far a lane has read each stream. If that is beyond this database, the store waits for the stream,
 * provided that the lane has a proof that the database had those facts. Returns the number of unproven entries, which
 * are ignored.
 */
export async function noteVector(
  on: Querying,
  { store, lane }: Caller,
  {
    vector,
    reported = {},
    proofs,
  }: { readonly vector: Vector; readonly reported?: ProvenVector; readonly proofs: StreamProofs },
): Promise<number> {
  const named: Record<string, number> = { ...vector }
  for (const [stream, { seq }] of Object.entries(reported)) named[stream] = Math.max(named[stream] ?? 0, seq)
  const { rows } = await on.query<{ name: string; applied: number }>(BEYOND, [JSON.stringify(named)])
  const proven = rows.flatMap(({ name, applied }) => {
    const entry = reported[name]
    return entry && entry.seq > applied && proofs.isProof(entry.proof, store, name, entry.seq)
      ? [[name, entry.seq]]
      : []
  })
  if (proven.length > 0) await on.query(REPORT_STREAM, [store, JSON.stringify(Object.fromEntries(proven)), lane])
  return rows.length - proven.length
}

/** Returns the lanes that may have used store value in the lost period; '' means an unknown lane. */
export async function awaitedLanes(on: Querying, store: string): Promise<string[]> {
  const { rows } = await on.query<{ lane: string }>(AWAITED, [store])
  return rows.map(({ lane }) => lane)
}

export async function isAwaited(on: Querying, { store, lane }: Caller): Promise<boolean> {
  return (await on.query(IS_AWAITED, [store, lane])).count > 0
}

/** Records that the lane sent all facts up to these numbers; the lane will send facts again that are missing here. */
export async function noteAllSent(on: Querying, { store, lane }: Caller, sent: Vector): Promise<void> {
  await on.query(END_WAIT, [store, lane, JSON.stringify(sent)])
}

/**
 * Returns whether a lost database may have granted the draw or reservation that a lane used at `at` by its own clock.
 */
export async function mayBeFromLostDatabase(
  on: Querying,
  { store, stream, receivedAt }: Pick<FactsOf, 'store' | 'stream' | 'receivedAt'>,
  at: number,
): Promise<boolean> {
  return (await on.query(MAY_BE_LOST, [store, stream, receivedAt, at])).count > 0
}

/**
 * Ends the wait for a lost lane ('' for unknown ones) by the database owner's decision. Returns whether the store
 * waited for the lane.
 */
export async function endWaitForLane(on: Querying, { store, lane }: Caller, by: string, why: string): Promise<boolean> {
  return (await on.query(GIVE_UP, [store, lane, by, why])).count > 0
}
