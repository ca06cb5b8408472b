import { AskConfirmed, CHANGE_PATHS, type ConfirmedChanges } from '../../contracts/store/confirmed-changes.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import type { Feature } from '../http/server.ts'
import { createForLane, type Identify } from '../lanes/for-lane.ts'

export const CHANGES_TABLES = readMigrations('changes', new URL('./postgres/', import.meta.url))

/** Of the caller's own store alone. */
const CONFIRMED = `SELECT stream, seq, confirmed_by AS by, why FROM change_confirmed
  JOIN stream ON stream.name = stream
  JOIN jsonb_to_recordset($2::jsonb) AS asked (stream text, seq integer) USING (stream, seq) WHERE store = $1`

export interface ChangesOptions {
  readonly postgres: Postgres
  readonly identify: Identify
}

/** What the owner confirmed of the changes that wait at a lane. Only the owner's command writes it. */
export function changes({ postgres, identify }: ChangesOptions): Feature {
  const forLane = createForLane(identify)
  return {
    name: 'changes',
    routes(app) {
      app.post(
        CHANGE_PATHS.confirmed,
        forLane(AskConfirmed, async ({ store }, { facts }) => {
          const { rows } = await postgres.query<ConfirmedChanges['confirmed'][number]>(CONFIRMED, [
            store,
            JSON.stringify(facts),
          ])
          return { confirmed: [...rows] } satisfies ConfirmedChanges
        }),
      )
    },
  }
}
