import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { NO_POSTGRES, type StartedPostgres, findPostgres } from '../db/start-postgres.ts'

const run = promisify(execFile)

function program(name: string): string {
  const folder = findPostgres()
  if (folder === null) throw new Error(NO_POSTGRES)
  return path.join(folder, name)
}

/** Makes the nightly backup of docs/store.md: the database as one file. */
export async function backUp(cluster: Pick<StartedPostgres, 'url'>, database: string, file: string): Promise<void> {
  await run(program('pg_dump'), ['--format=custom', `--file=${file}`, `--dbname=${cluster.url(database)}`])
}

/** Restores as described in docs/store.md: into a new database, completely. */
export async function restore(cluster: Pick<StartedPostgres, 'url'>, database: string, file: string): Promise<void> {
  const other = `--maintenance-db=${cluster.url('template1')}`
  await run(program('dropdb'), ['--force', other, database])
  await run(program('createdb'), [other, database])
  await run(program('pg_restore'), [
    '--single-transaction',
    '--exit-on-error',
    `--dbname=${cluster.url(database)}`,
    file,
  ])
}

/** Restores by a common mistake: into the existing database, over its tables. */
export async function restoreOver(
  cluster: Pick<StartedPostgres, 'url'>,
  database: string,
  file: string,
): Promise<void> {
  const into = `--dbname=${cluster.url(database)}`
  await run(program('pg_restore'), ['--clean', '--if-exists', '--single-transaction', '--exit-on-error', into, file])
}
