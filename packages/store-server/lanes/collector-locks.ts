import type { FastifyInstance } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import {
  NameLock,
  LOCK_MS,
  LOCK_PATHS,
  TakeLock,
  type LockAnswer,
  type LockStatus,
} from '../../../contracts/store/collector-locks.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import { type Caller, forLane } from './caller.ts'

export const TURNS_TABLES = readMigrations('turns')

/**
 * Interval in milliseconds at which a waiting request checks the lock, because any server of this database may release
 * it.
 */
const POLL_MS = 25

/** Routes of locks per collector: across the lanes of a store, at most one call per collector is in flight. */
export function collectorLockRoutes(app: FastifyInstance, { db }: StoreContext): void {
  app.post(
    LOCK_PATHS.take,
    forLane(TakeLock, async (caller, asked, _request, reply): Promise<LockAnswer> => {
      const until = performance.now() + asked.waitMs
      let isDisconnected = false
      reply.raw.once('close', () => (isDisconnected = true))
      for (;;) {
        const answer = await acquireLock(db, caller, asked)
        if (isDisconnected) await releaseLock(db, caller, asked)
        if (answer.kind === 'yours' || isDisconnected || performance.now() + POLL_MS > until) return answer
        await pause(POLL_MS)
      }
    }),
  )
  app.post(
    LOCK_PATHS.renew,
    forLane(NameLock, async (caller, asked) => {
      return { stands: await renewLock(db, caller, asked) } satisfies LockStatus
    }),
  )
  app.post(
    LOCK_PATHS.release,
    forLane(NameLock, async (caller, asked) => {
      return { stands: await releaseLock(db, caller, asked) } satisfies LockStatus
    }),
  )
}

/** A waiting checkout repeats its request within this time, in milliseconds. */
const WAITS_MS = 1_000

/**
 * SQL condition: a lock is held. Uses clock_timestamp() instead of now(), the transaction's start, because the lock may
 * have been granted since. An expiry beyond the lifetime was written under a clock that was set back, and is ignored.
 */
const isHeld = (until: string, ms: number): string => `(${until} > clock_timestamp()
    AND ${until} <= clock_timestamp() + ${ms} * interval '1 millisecond')`

const WAIT = `INSERT INTO collector_wait (store, collector, id, until)
  VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond')
  ON CONFLICT (store, collector, id) DO UPDATE SET until = excluded.until`
/**
 * Grants a free or expired lock, or the lane's own lock: a lane has one call per collector, so its earlier lock is over
 * or the same. Queued calls get the lock only when no checkout waits.
 */
const TAKE = `INSERT INTO collector_turn AS held (store, collector, id, lane, purpose, fence, until)
  SELECT $1, $2, $3, $4, $5, nextval('collector_fence'), now() + $6 * interval '1 millisecond'
  WHERE $5 = 'now' OR NOT EXISTS (SELECT 1 FROM collector_wait
    WHERE store = $1 AND collector = $2 AND ${isHeld('until', WAITS_MS)})
  ON CONFLICT (store, collector) DO UPDATE SET id = excluded.id, lane = excluded.lane, purpose = excluded.purpose,
    fence = excluded.fence, until = excluded.until
  WHERE NOT ${isHeld('held.until', LOCK_MS)} OR held.lane = excluded.lane
  RETURNING fence`
const WAIT_NO_MORE = 'DELETE FROM collector_wait WHERE store = $1 AND collector = $2 AND id = $3'
const HOLDER = 'SELECT lane FROM collector_turn WHERE store = $1 AND collector = $2 AND until > now()'

async function decideLock(
  tx: Querying,
  { store, lane }: Caller,
  { collector, id, purpose }: TakeLock,
): Promise<LockAnswer> {
  if (purpose === 'now') await tx.query(WAIT, [store, collector, id, WAITS_MS])
  const { rows } = await tx.query<{ fence: string }>(TAKE, [store, collector, id, lane, purpose, LOCK_MS])
  const [given] = rows
  if (given === undefined) {
    const holder = await tx.query<{ lane: string }>(HOLDER, [store, collector])
    return { kind: 'taken', lane: holder.rows[0]?.lane ?? lane }
  }
  if (purpose === 'now') await tx.query(WAIT_NO_MORE, [store, collector, id])
  return { kind: 'yours', fence: Number(given.fence) }
}

export const acquireLock = (db: Postgres, caller: Caller, asked: TakeLock): Promise<LockAnswer> =>
  db.transaction((tx) => decideLock(tx, caller, asked))

/** Renews a lock. Returns false when it had expired, and another lane may hold it. */
export const renewLock = async (
  db: Querying,
  { store, lane }: Caller,
  { collector, id }: NameLock,
): Promise<boolean> => {
  const { count } = await db.query(
    `UPDATE collector_turn SET until = now() + $5 * interval '1 millisecond'
      WHERE store = $1 AND collector = $2 AND id = $3 AND lane = $4 AND until > now()`,
    [store, collector, id, lane, LOCK_MS],
  )
  return count === 1
}

export async function releaseLock(
  db: Querying,
  { store, lane }: Caller,
  { collector, id }: NameLock,
): Promise<boolean> {
  const { count } = await db.query(
    'DELETE FROM collector_turn WHERE store = $1 AND collector = $2 AND id = $3 AND lane = $4',
    [store, collector, id, lane],
  )
  await db.query('DELETE FROM collector_wait WHERE store = $1 AND (id = $2 OR until < now())', [store, id])
  return count === 1
}
