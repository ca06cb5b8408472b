import type { Migrations } from './db/migrate.ts'
import type { Postgres } from './db/postgres.ts'
import type { Feature } from './http/server.ts'
import { CHANGES_PROJECTION, CHANGES_TABLES, changes, differingRegisters } from './changes/changes.ts'
import { catalog, CATALOG_PROJECTION, CATALOG_TABLES } from './changes/catalog.ts'
import { holds, HOLDS_PROJECTION, HOLDS_TABLES } from './holds/holds.ts'
import { holdsVersion } from './holds/holds.sql.ts'
import { lanes, LANES_TABLES, type LanesWatch } from './lanes/lanes.ts'
import type { Identify } from './lanes/caller.ts'
import type { Projection } from './lanes/projection.ts'
import { vouchers, VOUCHERS_TABLES } from './vouchers/vouchers.ts'
import { VOUCHERS } from './vouchers/projection.ts'
import { receipts, RECEIPTS_TABLES } from './receipts/receipts.ts'
import { RECEIPTS } from './receipts/projection.ts'
import { overview, OVERVIEW_TABLES } from './overview/overview.ts'
import { OVERVIEW } from './overview/projection.ts'
import { METRICS_TABLES } from './metrics/metrics.routes.ts'
import { turns, TURNS_TABLES } from './turns/turns.ts'

export interface StoreFeaturesOptions {
  readonly postgres: Postgres
  /** What the lanes share and the database does not have (`lanes/seal-key.ts`). */
  readonly sealKey: Uint8Array
  /** What no lane has (`lanes/proof-key.ts`). */
  readonly proofKey: Uint8Array
  /** PEM of the store's own authority, which lanes pin; default: it has none. */
  readonly authority?: string | null
  readonly identify: Identify
  readonly watch?: LanesWatch
}

/** The tables of everything that the lanes of a store share, in the order in which they need each other. */
export const STORE_TABLES: readonly Migrations[] = [
  LANES_TABLES,
  VOUCHERS_TABLES,
  RECEIPTS_TABLES,
  OVERVIEW_TABLES,
  TURNS_TABLES,
  HOLDS_TABLES,
  METRICS_TABLES,
  CATALOG_TABLES,
  CHANGES_TABLES,
]

/** What each part of the store makes of the facts of its lanes. */
export const PROJECTIONS: readonly Projection[] = [
  VOUCHERS,
  RECEIPTS,
  ...OVERVIEW,
  HOLDS_PROJECTION,
  CATALOG_PROJECTION,
  CHANGES_PROJECTION,
]

/** Everything that the lanes of a store share. */
export const storeFeatures = (options: StoreFeaturesOptions): Feature[] => [
  lanes({ ...options, projections: PROJECTIONS, differingRegisters, holdsVersion }),
  vouchers(options),
  receipts(options),
  overview(options),
  turns(options),
  holds(options),
  catalog(options),
  changes(options),
]
