import type { Vector } from '../../contracts/store/protocol.ts'
import type { Querying } from '../db/postgres.ts'
import type { Caller } from './caller.ts'

/** One statement: of servers that see it at once, one marks the streams. */
const PUT_BACK = `WITH put_back AS (
    UPDATE database_identity AS known SET identity = here.identity, since = now() FROM database_here AS here
    WHERE known.identity <> here.identity RETURNING 1
  ) INSERT INTO stream_awaited (store, stream) SELECT store, name FROM stream, put_back
  ON CONFLICT (store, stream) DO UPDATE SET since = now(), ended_at = NULL, given_up_by = NULL, why = NULL`
const UNKNOWN = `INSERT INTO stream_awaited (store, stream)
  SELECT $1, heard.name FROM unnest($2::text[]) AS heard (name)
  WHERE NOT EXISTS (SELECT 1 FROM stream WHERE stream.name = heard.name) ON CONFLICT DO NOTHING`
const AWAITED = `SELECT DISTINCT coalesce(lane, '') AS lane FROM stream_awaited AS awaited
  LEFT JOIN stream ON stream.name = awaited.stream WHERE awaited.store = $1 AND ended_at IS NULL ORDER BY 1`
const OF_LANE = 'awaited.stream IN (SELECT name FROM stream WHERE store = $1 AND lane = $2)'
const IS_AWAITED = `SELECT 1 FROM stream_awaited AS awaited WHERE ended_at IS NULL AND ${OF_LANE} LIMIT 1`
const CAME = `UPDATE stream_awaited AS awaited SET ended_at = now() WHERE ended_at IS NULL AND ${OF_LANE}`
const GIVE_UP = `UPDATE stream_awaited AS awaited SET ended_at = now(), given_up_by = $3, why = $4
  WHERE awaited.store = $1 AND ended_at IS NULL AND (${OF_LANE} OR $2 = ''
    AND NOT EXISTS (SELECT 1 FROM stream WHERE stream.name = awaited.stream))`

/** Looks whether the database was put back from a backup: then all its lanes are awaited. */
export async function lookAtDatabase(on: Querying): Promise<void> {
  await on.query(PUT_BACK)
}

/** A lane has read streams that no lane has greeted with: they began after the backup. */
export async function noteHeardOf(on: Querying, { store }: Caller, vector: Vector): Promise<void> {
  await on.query(UNKNOWN, [store, Object.keys(vector)])
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
  const { rows } = await on.query<{ name: string; applied: number }>(
    'SELECT name, applied FROM stream WHERE store = $1 AND lane = $2',
    [store, lane],
  )
  const applied = new Map(rows.map((stream) => [stream.name, stream.applied]))
  if (Object.entries(told).some(([name, seq]) => seq > (applied.get(name) ?? 0))) return
  await on.query(CAME, [store, lane])
}

/** The owner goes on without a lane that is lost ('': those that nobody knows). Answers whether it was awaited. */
export async function goOnWithout(on: Querying, { store, lane }: Caller, by: string, why: string): Promise<boolean> {
  return (await on.query(GIVE_UP, [store, lane, by, why])).count > 0
}
