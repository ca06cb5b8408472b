import { migrate, readMigrations } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { openPostgres, type Postgres, type PostgresOptions } from './db/postgres.ts'
import { createPostgresRepository, enrolmentMigrations } from './enrolment/postgres-repository.ts'
import type { EnrolmentRepository } from './enrolment/repository.ts'
import { createSqliteRepository } from './enrolment/sqlite-repository.ts'
import { STORE_TABLES } from './features.ts'
import { type HaltRequests, type ReportRepository, createFileHaltRequests } from './updates/repository.ts'
import { createPostgresHaltRequests, createPostgresReports, updateMigrations } from './updates/postgres-repository.ts'
import { createSqliteReports } from './updates/sqlite-repository.ts'

/** Where what the server knows is kept. */
export interface Storage {
  readonly enrolment: EnrolmentRepository
  readonly reports: ReportRepository
  readonly haltRequests: HaltRequests
  /** The store's database; null: a file of this server alone. */
  readonly postgres: Postgres | null
  close(): Promise<void>
}

/** The tables of every feature on PostgreSQL. */
export const allMigrations = () => [enrolmentMigrations(), updateMigrations(), ...STORE_TABLES, grants()]

/** What the role of the server may do with them; after every table that it names. */
const grants = () => readMigrations('grants', new URL('./db/grants/', import.meta.url))

/** In a file of the data folder, for one server that enrols lanes. */
export function openFileStorage(data: string): Storage {
  const db = openDatabase(data)
  return {
    enrolment: createSqliteRepository(db),
    reports: createSqliteReports(db),
    haltRequests: createFileHaltRequests(data),
    postgres: null,
    async close() {
      db.close()
    },
  }
}

/** In PostgreSQL, which is waited for for so long, and brought up to date. Rejects in plain words. */
export async function openPostgresStorage(
  url: string,
  { patienceMs = 0, ...options }: Pick<PostgresOptions, 'log' | 'onQuery'> & { readonly patienceMs?: number },
): Promise<Storage> {
  const postgres = openPostgres({ url, ...options })
  try {
    await postgres.untilThere(patienceMs)
    await migrate(postgres, allMigrations())
  } catch (error) {
    await postgres.close()
    throw error
  }
  return {
    enrolment: createPostgresRepository(postgres),
    reports: createPostgresReports(postgres),
    haltRequests: createPostgresHaltRequests(postgres),
    postgres,
    close: () => postgres.close(),
  }
}
