import type { FastifyRequest } from 'fastify'
import type { Migrations } from './db/migrate.ts'
import type { Postgres } from './db/postgres.ts'
import type { Feature } from './http/server.ts'
import { holds, HOLDS_PROJECTION, HOLDS_TABLES } from './holds/feature.ts'
import { lanes, LANES_TABLES } from './lanes/feature.ts'
import type { Projection } from './lanes/projection.ts'
import type { Caller } from './lanes/repository.ts'
import { turns, TURNS_TABLES } from './turns/feature.ts'

export interface StoreFeaturesOptions {
  readonly postgres: Postgres
  /** What the lanes share and the database does not have (`lanes/seal-key.ts`). */
  readonly sealKey: Uint8Array
  /** Which lane’s token the call carries; null: nobody’s. */
  readonly identify: (request: FastifyRequest) => Promise<Caller | null>
}

/** The tables of everything that the lanes of a store share, in the order in which they need each other. */
export const STORE_TABLES: readonly Migrations[] = [LANES_TABLES, TURNS_TABLES, HOLDS_TABLES]

/** What each part of the store makes of the facts of its lanes. */
const PROJECTIONS: readonly Projection[] = [HOLDS_PROJECTION]

/** Everything that the lanes of a store share. */
export const storeFeatures = (options: StoreFeaturesOptions): Feature[] => [
  lanes({ ...options, projections: PROJECTIONS }),
  turns(options),
  holds(options),
]
