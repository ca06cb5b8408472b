import { migrate, readMigrations } from './db/migrate.ts'
import { openPostgres, type Postgres, type PostgresOptions } from './db/postgres.ts'
import { ENROLMENT_TABLES } from './enrolment/enrolment.sql.ts'
import { STORE_TABLES } from './features.ts'
import { UPDATES_TABLES } from './updates/updates.sql.ts'

/** What the role of the server may do with the tables; after every table that it names. */
const GRANTS = readMigrations('grants', new URL('./db/grants/', import.meta.url))

/** The tables of every feature, in the order in which they need each other. */
export const ALL_TABLES = [ENROLMENT_TABLES, UPDATES_TABLES, ...STORE_TABLES, GRANTS]

/** Opens the database, waits for it for up to `patienceMs`, and migrates it. Rejects in plain words. */
export async function openDatabase(
  url: string,
  { patienceMs = 0, ...options }: Pick<PostgresOptions, 'log' | 'onQuery'> & { readonly patienceMs?: number },
): Promise<Postgres> {
  const postgres = openPostgres({ url, ...options })
  try {
    await postgres.untilThere(patienceMs)
    await migrate(postgres, ALL_TABLES)
  } catch (error) {
    await postgres.close()
    throw error
  }
  return postgres
}
