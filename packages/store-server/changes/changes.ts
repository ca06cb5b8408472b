import type { FastifyInstance } from 'fastify'
import {
  ConfirmedRequest,
  CHANGE_PATHS,
  CHANGE_VALUES,
  type ConfirmedChanges,
  isChangeKind,
} from '../../../contracts/store/changes.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Querying } from '../db/postgres.ts'
import { forLane } from '../lanes/caller.ts'
import { LATEST_AHEAD, MAX_CLOCK_AHEAD } from '../../../contracts/store/bounds.ts'
import { FACT_SCHEMAS } from '../../../contracts/store/facts.ts'
import type { RegisterDigests, RegisterStamps } from '../../../contracts/store/registers.ts'
import type { Projection } from '../lanes/projection.ts'

export const CHANGES_TABLES = readMigrations('changes')

const CONFIRMED = `SELECT stream, seq, confirmed_by AS by, why FROM change_confirmed
  JOIN stream ON stream.name = stream
  JOIN jsonb_to_recordset($2::jsonb) AS asked (stream text, seq integer) USING (stream, seq) WHERE store = $1`

/**
 * Route by which a lane asks which of its pending changes the database owner has confirmed. Only the owner's CLI
 * command line writes confirmations.
 */
export function changeRoutes(app: FastifyInstance, { db }: StoreContext): void {
  app.post(
    CHANGE_PATHS.confirmed,
    forLane(ConfirmedRequest, async ({ store }, { facts }) => {
      const { rows } = await db.query<ConfirmedChanges['confirmed'][number]>(CONFIRMED, [store, JSON.stringify(facts)])
      return { confirmed: [...rows] } satisfies ConfirmedChanges
    }),
  )
}

const NOTE = `INSERT INTO change_register AS known (store, kind, subject, clock, lane) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (store, kind, subject) DO UPDATE SET clock = excluded.clock, lane = excluded.lane
  WHERE (known.clock, known.lane) < (excluded.clock, excluded.lane)`
/** SQL that computes the same hash as `digestOf` of the lanes (contracts/store/registers.ts). */
const DIGESTS = `SELECT kind, encode(sha256(convert_to(
    string_agg(subject || ' ' || clock || ' ' || lane, chr(10) ORDER BY subject), 'UTF8')), 'hex') AS digest
  FROM change_register WHERE store = $1 GROUP BY kind`
const STAMPS = `SELECT kind, subject, clock::float8 AS clock, lane FROM change_register
  WHERE store = $1 AND kind = ANY ($2) ORDER BY kind, subject`

const NEWEST = 'SELECT coalesce(max(clock), 0) AS newest FROM change_register WHERE store = $1'

/**
 * Stores the stamp of the latest change of each subject. Ignores a change that no lane can read. Throws for a clock
 * after `LATEST_AHEAD` that is more than `MAX_CLOCK_AHEAD` ahead of the store's newest one.
 */
export const CHANGES_PROJECTION: Projection = {
  kinds: Object.keys(CHANGE_VALUES),
  async apply(tx, facts, { store, lane }) {
    for (const { kind, body } of facts) {
      const change = isChangeKind(kind) ? FACT_SCHEMAS[kind].safeParse(body) : null
      if (!change?.success) continue
      const { subject, clock } = change.data
      if (clock > LATEST_AHEAD) await requireNear(tx, store, clock)
      await tx.query(NOTE, [store, kind, subject, clock, lane])
    }
  },
  beforeRebuild: async (tx) => {
    await tx.query('DELETE FROM change_register')
    return null
  },
}

async function requireNear(tx: Querying, store: string, clock: number): Promise<void> {
  const { rows } = await tx.query<{ newest: number }>(NEWEST, [store])
  if (clock > (rows[0]?.newest ?? 0) + MAX_CLOCK_AHEAD) throw new Error(`clock ${clock} is too far ahead`)
}

export async function differingRegisters(
  on: Querying,
  store: string,
  ofLane: RegisterDigests,
): Promise<RegisterStamps> {
  const { rows } = await on.query<{ kind: string; digest: string }>(DIGESTS, [store])
  const here = new Map(rows.map(({ kind, digest }) => [kind, digest]))
  // Only kinds that the lane lists in its request are sent.
  const kinds = Object.keys(ofLane).filter((kind) => ofLane[kind] !== (here.get(kind) ?? ''))
  if (kinds.length === 0) return {}
  const stamps = await on.query<{ kind: string; subject: string; clock: number; lane: string }>(STAMPS, [store, kinds])
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      stamps.rows.flatMap((row) =>
        row.kind === kind ? [{ subject: row.subject, clock: row.clock, lane: row.lane }] : [],
      ),
    ]),
  )
}
