import type { FastifyInstance } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import {
  NameTurn,
  TURN_MS,
  TURN_PATHS,
  TakeTurn,
  type TurnAnswer,
  type TurnStands,
} from '../../../contracts/store/turns.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import { type Caller, forLane } from './caller.ts'

export const TURNS_TABLES = readMigrations('turns')

/** How often a turn that is waited for is looked at: any server of this database may have given it back. */
const LOOK_MS = 25

/** One call in flight per collector, over the lanes of a store. */
export function turnRoutes(app: FastifyInstance, { db }: StoreContext): void {
  app.post(
    TURN_PATHS.take,
    forLane(TakeTurn, async (caller, asked, _request, reply): Promise<TurnAnswer> => {
      const until = performance.now() + asked.waitMs
      let isGone = false
      reply.raw.once('close', () => (isGone = true))
      for (;;) {
        const answer = await takeTurn(db, caller, asked)
        // Nobody hears that it was given, nor waits any more.
        if (isGone) await dropTurn(db, caller, asked)
        if (answer.kind === 'yours' || isGone || performance.now() + LOOK_MS > until) return answer
        await pause(LOOK_MS)
      }
    }),
  )
  app.post(
    TURN_PATHS.keep,
    forLane(NameTurn, async (caller, asked) => {
      return { stands: await keepTurn(db, caller, asked) } satisfies TurnStands
    }),
  )
  app.post(
    TURN_PATHS.drop,
    forLane(NameTurn, async (caller, asked) => {
      return { stands: await dropTurn(db, caller, asked) } satisfies TurnStands
    }),
  )
}

/** Whoever waits at a till asks again before this is over, in milliseconds. */
const WAITS_MS = 1_000

/**
 * Not now(), which is when a transaction began: another may have given the turn since. A time further away than any
 * that is given was given by a clock that was set back since, and nobody waits for that.
 */
const stands = (until: string, ms: number): string => `(${until} > clock_timestamp()
    AND ${until} <= clock_timestamp() + ${ms} * interval '1 millisecond')`

const WAIT = `INSERT INTO collector_wait (store, collector, id, until)
  VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond')
  ON CONFLICT (store, collector, id) DO UPDATE SET until = excluded.until`
/**
 * Given where it is free, has ended, or is this lane's: one call of a collector is under way at a lane, so what it had
 * is over, or is this very turn. To a queue only while nobody waits at a till.
 */
const TAKE = `INSERT INTO collector_turn AS turn (store, collector, id, lane, purpose, fence, until)
  SELECT $1, $2, $3, $4, $5, nextval('collector_fence'), now() + $6 * interval '1 millisecond'
  WHERE $5 = 'now' OR NOT EXISTS (SELECT 1 FROM collector_wait
    WHERE store = $1 AND collector = $2 AND ${stands('until', WAITS_MS)})
  ON CONFLICT (store, collector) DO UPDATE SET id = excluded.id, lane = excluded.lane, purpose = excluded.purpose,
    fence = excluded.fence, until = excluded.until
  WHERE NOT ${stands('turn.until', TURN_MS)} OR turn.lane = excluded.lane
  RETURNING fence`
const WAIT_NO_MORE = 'DELETE FROM collector_wait WHERE store = $1 AND collector = $2 AND id = $3'
const HOLDER = 'SELECT lane FROM collector_turn WHERE store = $1 AND collector = $2 AND until > now()'

async function decideTurn(
  tx: Querying,
  { store, lane }: Caller,
  { collector, id, purpose }: TakeTurn,
): Promise<TurnAnswer> {
  if (purpose === 'now') await tx.query(WAIT, [store, collector, id, WAITS_MS])
  const { rows } = await tx.query<{ fence: string }>(TAKE, [store, collector, id, lane, purpose, TURN_MS])
  const [given] = rows
  if (given === undefined) {
    const holder = await tx.query<{ lane: string }>(HOLDER, [store, collector])
    return { kind: 'taken', lane: holder.rows[0]?.lane ?? lane }
  }
  if (purpose === 'now') await tx.query(WAIT_NO_MORE, [store, collector, id])
  return { kind: 'yours', fence: Number(given.fence) }
}

export const takeTurn = (db: Postgres, caller: Caller, asked: TakeTurn): Promise<TurnAnswer> =>
  db.transaction((tx) => decideTurn(tx, caller, asked))

/** False: it had ended, and may be another's by now. */
export const keepTurn = async (
  db: Querying,
  { store, lane }: Caller,
  { collector, id }: NameTurn,
): Promise<boolean> => {
  const { count } = await db.query(
    `UPDATE collector_turn SET until = now() + $5 * interval '1 millisecond'
      WHERE store = $1 AND collector = $2 AND id = $3 AND lane = $4 AND until > now()`,
    [store, collector, id, lane, TURN_MS],
  )
  return count === 1
}

export async function dropTurn(db: Querying, { store, lane }: Caller, { collector, id }: NameTurn): Promise<boolean> {
  const { count } = await db.query(
    'DELETE FROM collector_turn WHERE store = $1 AND collector = $2 AND id = $3 AND lane = $4',
    [store, collector, id, lane],
  )
  await db.query('DELETE FROM collector_wait WHERE store = $1 AND (id = $2 OR until < now())', [store, id])
  return count === 1
}
