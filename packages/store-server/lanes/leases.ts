import type { HeartbeatRequest } from '../../../contracts/store/protocol.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import type { Caller } from './caller.ts'

/**
 * A lease ends this much later at the store server than at the lane: the lane's monotonic clock may be slower and miss
 * a sleep of up to 30 seconds (`backend/store/lease.ts`).
 */
const MARGIN = "interval '10 minutes'"
/** Minimum interval between writes of a lease; the stored lease is longer by this time. */
const SLACK = "interval '1 minute'"

const SESSION = `INSERT INTO lane_lease AS lease (store, lane, code_id, session) VALUES ($1, $2, $3, 1)
  ON CONFLICT (store, lane, code_id) DO UPDATE SET session = lease.session + 1 RETURNING session`
const OF_LANE = 'store = $1 AND lane = $2 AND code_id = $3'
const IS_COVERED = `SELECT 1 FROM lane_lease WHERE ${OF_LANE} AND ended_at IS NULL
  AND EXISTS (SELECT 1 FROM device WHERE ${OF_LANE} AND revoked_at IS NULL)
  AND CASE WHEN $4::bigint IS NULL THEN until IS NULL
    ELSE until >= now() + $4::bigint * interval '1 millisecond' + ${MARGIN} END`
/**
 * Checks and locks the caller's token. The lock conflicts with a new enrolment that replaces the lane, so that a
 * replaced lane gets no confirmation.
 */
const IS_ENROLLED = `SELECT 1 FROM device WHERE ${OF_LANE} AND revoked_at IS NULL FOR SHARE`
const CONFIRM = `INSERT INTO lane_lease AS lease (store, lane, code_id, lease_ms, until)
  VALUES ($1, $2, $3, $4::bigint, now() + $4::bigint * interval '1 millisecond' + ${MARGIN} + ${SLACK})
  ON CONFLICT (store, lane, code_id) DO UPDATE SET lease_ms = excluded.lease_ms, ended_at = NULL,
    until = CASE WHEN excluded.until IS NOT NULL THEN greatest(lease.until, excluded.until) END`
/** Ends a lease, if all facts of the lane's own streams arrived and the session is the lane's newest. */
const END = `UPDATE lane_lease SET ended_at = now() WHERE ${OF_LANE} AND session = $4 AND NOT EXISTS (
  SELECT 1 FROM jsonb_each_text($5::jsonb) AS sent (name, seq)
    LEFT JOIN stream ON stream.name = sent.name AND stream.store = $1 AND stream.lane = $2
    WHERE sent.seq::bigint > coalesce(stream.applied, 0))`

type Beat = Pick<HeartbeatRequest, 'session' | 'leaseMs' | 'own' | 'health'>

/** Starts a session of the lane and returns its number; null for a lane without enrolment, as in tests. */
export async function startSession(on: Querying, { store, lane, codeId }: Caller): Promise<number | null> {
  if (codeId === undefined) return null
  return (await on.query<{ session: number }>(SESSION, [store, lane, codeId])).rows[0]?.session ?? null
}

/** Returns whether the caller's token is valid. Locks the token until the transaction ends. */
export async function isEnrolled(tx: Querying, { store, lane, codeId }: Caller): Promise<boolean> {
  return codeId === undefined || (await tx.query(IS_ENROLLED, [store, lane, codeId])).count > 0
}

/** Returns whether the caller's token is valid and the stored lease covers this heartbeat. */
export async function isLeaseCovered(on: Querying, { store, lane, codeId }: Caller, beat: Beat): Promise<boolean> {
  if (codeId === undefined) return true
  const { leaseMs = null } = beat
  return leaseMs !== 0 && (await on.query(IS_COVERED, [store, lane, codeId, leaseMs])).count > 0
}

/**
 * Stores the lease before the heartbeat is answered, or ends it on the lane's request. Returns false if the token was
 * revoked; then the answer must confirm nothing.
 */
export async function noteLease(postgres: Postgres, caller: Caller, beat: Beat): Promise<boolean> {
  const { store, lane, codeId } = caller
  if (codeId === undefined) return true
  const { session, leaseMs = null, own, health } = beat
  const of = [store, lane, codeId]
  return postgres.transaction(async (tx) => {
    if (!(await isEnrolled(tx, caller))) return false
    if (leaseMs !== 0) await tx.query(CONFIRM, [...of, leaseMs])
    else if (session !== undefined && own !== undefined && health.untold === 0)
      await tx.query(END, [...of, session, JSON.stringify(own)])
    return true
  })
}
