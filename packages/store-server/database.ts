import { CATALOG_TABLES } from './changes/catalog.ts'
import { CHANGES_TABLES } from './changes/changes.ts'
import { migrate, readMigrations } from './db/migrate.ts'
import { openPostgres, type Postgres, type PostgresOptions } from './db/postgres.ts'
import { ENROLMENT_TABLES } from './enrolment/enrolment.sql.ts'
import { HOLDS_TABLES } from './holds/holds.ts'
import { LANES_TABLES } from './lanes/lanes.ts'
import { METRICS_TABLES } from './metrics/metrics.routes.ts'
import { OVERVIEW_TABLES } from './overview/overview.ts'
import { ONLINE_TABLES } from './receipts/online.ts'
import { RECEIPTS_TABLES } from './receipts/receipts.ts'
import { TURNS_TABLES } from './lanes/collector-locks.ts'
import { UPDATES_TABLES } from './updates.sql.ts'
import { VOUCHERS_TABLES } from './vouchers/vouchers.ts'

/**
 * Grants of the server's role. Runs after the scripts of all tables that it names. See
 * docs/decisions/0028-postgresql-for-a-store.md.
 */
const GRANTS = readMigrations('grants')

export const ALL_TABLES = [
  ENROLMENT_TABLES,
  UPDATES_TABLES,
  LANES_TABLES,
  VOUCHERS_TABLES,
  RECEIPTS_TABLES,
  ONLINE_TABLES,
  OVERVIEW_TABLES,
  TURNS_TABLES,
  HOLDS_TABLES,
  METRICS_TABLES,
  CATALOG_TABLES,
  CHANGES_TABLES,
  GRANTS,
]

/** Opens and migrates the database after waiting up to `waitMs` for it. Rejects with a readable error. */
export async function openDatabase(
  url: string,
  { waitMs = 0, ...options }: Pick<PostgresOptions, 'log' | 'onQuery'> & { readonly waitMs?: number },
): Promise<Postgres> {
  const postgres = openPostgres({ url, ...options })
  try {
    await postgres.waitUntilReachable(waitMs)
    await migrate(postgres, ALL_TABLES)
  } catch (error) {
    await postgres.close()
    throw error
  }
  return postgres
}
