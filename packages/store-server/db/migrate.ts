import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { LocalizedError } from '../../../contracts/core/refusal.ts'
import { refused } from '../log.ts'
import { needNoOtherOwner, notAllowed } from './owner.ts'
import type { Postgres, Querying } from './postgres.ts'

/**
 * Migration scripts of one feature, in order. In a released script, only comments may change:
 * `migrations/sha256sums.txt`.
 */
export interface Migrations {
  readonly feature: string
  readonly scripts: readonly string[]
}

const FOLDER = new URL('./migrations/', import.meta.url)

/**
 * SHA-256 of each released script as it was released: servers of several releases share a database, so a script keeps
 * its identity when its comments change. The second column is the hash without comments, for a test.
 */
const RELEASED: ReadonlyMap<string, string> = new Map(
  readFileSync(new URL('sha256sums.txt', FOLDER), 'utf8')
    .split('\n')
    .map((line) => line.split('  '))
    .map(([sha256 = '', , name = '']) => [name, sha256]),
)

/** Reads the scripts `FEATURE-0001.sql`, `FEATURE-0002.sql`, … Throws when a script is missing in between. */
export function readMigrations(feature: string, folder: URL = FOLDER): Migrations {
  const names = readdirSync(folder)
    .filter((name) => name.startsWith(`${feature}-`) && name.endsWith('.sql'))
    .toSorted()
  names.forEach((name, at) => {
    const expected = nameOf(feature, at + 1)
    if (name !== expected) throw new Error(`${expected} is missing, ${name} is there`)
  })
  return { feature, scripts: names.map((name) => readFileSync(new URL(name, folder), 'utf8')) }
}

const nameOf = (feature: string, number: number): string => `${feature}-${String(number).padStart(4, '0')}.sql`

const LOCK = "SELECT pg_advisory_xact_lock(hashtext('milepost migrations'))"
const TABLE = `CREATE TABLE IF NOT EXISTS schema_migration (
  feature text NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (feature, number)
)`
const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * Migrates all features in one transaction, each script once. Needs no rights when nothing is missing. Rejects with a
 * readable error for a newer database, a changed script, or missing rights.
 */
export async function migrate(postgres: Postgres, all: readonly Migrations[]): Promise<void> {
  try {
    if ((await missing(postgres, all)).length === 0) return
    await needNoOtherOwner(postgres)
    await postgres.transaction(
      async (tx) => {
        await tx.query(LOCK)
        await tx.query(TABLE)
        for (const { feature, number, script } of await missing(tx, all)) {
          await tx.query(script)
          await tx.query('INSERT INTO schema_migration (feature, number, sha256) VALUES ($1, $2, $3)', [
            feature,
            number,
            sha256Of(feature, number, script),
          ])
        }
      },
      { unlimited: true },
    )
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== INSUFFICIENT_PRIVILEGE) throw error
    throw await notAllowed(postgres, error)
  }
}

interface MissingMigration {
  readonly feature: string
  readonly number: number
  readonly script: string
}

async function missing(on: Querying, all: readonly Migrations[]): Promise<MissingMigration[]> {
  const { rows: found } = await on.query<{ there: boolean }>(
    "SELECT to_regclass('schema_migration') IS NOT NULL AS there",
  )
  const applied = found[0]?.there
    ? await on.query<{ feature: string; number: number; sha256: string }>(
        'SELECT feature, number, sha256 FROM schema_migration ORDER BY feature, number',
      )
    : { rows: [] }
  return all.flatMap(({ feature, scripts }) => {
    const done = applied.rows.filter((row) => row.feature === feature)
    for (const { number, sha256 } of done) look(feature, scripts, number, sha256)
    return scripts.map((script, at) => ({ feature, number: at + 1, script })).slice(done.length)
  })
}

function look(feature: string, scripts: readonly string[], number: number, sha256: string): void {
  const script = scripts[number - 1]
  if (script === undefined) throw tablesNewer(feature, number, scripts.length)
  if (sha256Of(feature, number, script) !== sha256)
    throw refused(['tablesOfScript', 'tablesOfScriptDo'], { feature, number: String(number) })
}

const tablesNewer = (feature: string, number: number, known: number): LocalizedError =>
  refused(['tablesNewer', 'tablesNewerBy', 'tablesNewerDo'], { feature, number: String(number), known: String(known) })

const sha256Of = (feature: string, number: number, script: string): string =>
  RELEASED.get(nameOf(feature, number)) ?? createHash('sha256').update(script).digest('hex')
