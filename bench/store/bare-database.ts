import { execFile } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { saleFact } from './sale-facts.ts'

const VERSIONS = '/usr/lib/postgresql'

/** The database’s own load generator; null where it is not installed. */
function findPgbench(): string | null {
  const folders = [
    ...(process.env['PATH'] ?? '').split(path.delimiter),
    ...(existsSync(VERSIONS) ? readdirSync(VERSIONS).toSorted().toReversed() : []).map((name) =>
      path.join(VERSIONS, name, 'bin'),
    ),
  ]
  return folders.map((folder) => path.join(folder, 'pgbench')).find((file) => existsSync(file)) ?? null
}

/** Rows of the store’s own statements into tables like its own, in a schema beside them. */
const TABLES = `DROP SCHEMA IF EXISTS bare CASCADE;
  CREATE SCHEMA bare;
  CREATE TABLE bare.stream (LIKE public.stream INCLUDING ALL);
  CREATE TABLE bare.fact (LIKE public.fact INCLUDING ALL, FOREIGN KEY (stream) REFERENCES bare.stream (name));`

export interface BareOptions {
  readonly database: string
  readonly folder: string
  readonly clients: number
  readonly batch: number
  readonly seconds: number
}

/**
 * Facts a second where the database alone takes the same statements with the same commits, from as many clients at
 * once, in batches of the same size. Null without pgbench.
 */
export async function measureBareDatabase(options: BareOptions): Promise<number | null> {
  const { database, folder, clients, batch, seconds } = options
  const pgbench = findPgbench()
  if (pgbench === null) return null
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    await client.query(TABLES)
    for (let at = 0; at < clients; at += 1)
      await client.query('INSERT INTO bare.stream (name, store, lane, epoch) VALUES ($1, $2, $3, 1)', [
        nameOf(at),
        'BARE',
        String(at),
      ])
    const script = path.join(folder, 'push.sql')
    writeFileSync(script, scriptOf(batch))
    const args = ['-n', '-c', String(clients), '-j', '2', '-T', String(seconds), '-f', script, database]
    await promisify(execFile)(pgbench, args, { maxBuffer: 16 * 1024 * 1024 })
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM bare.fact')
    return Number(rows[0]?.count) / seconds
  } finally {
    await client.end()
  }
}

const nameOf = (client: number): string => client.toString(16).padStart(32, '0')

function scriptOf(batch: number): string {
  const facts = Array.from({ length: batch }, (_, index) => saleFact(`BARE${index}`, index + 1, 1_790_000_000_000))
  const name = "lpad(to_hex(:client_id), 32, '0')"
  return [
    `SELECT token_hash, store, lane FROM device WHERE token_hash = '\\x00';`,
    'BEGIN ISOLATION LEVEL read committed;',
    `SELECT applied FROM bare.stream WHERE name = ${name} AND store = 'BARE' FOR UPDATE;`,
    `INSERT INTO bare.fact (stream, seq, kind, subject, at, body, sealed)
      SELECT name, applied + told.seq, kind, subject, at, body, sealed FROM bare.stream,
        jsonb_to_recordset('${JSON.stringify(facts).replaceAll("'", "''")}'::jsonb)
        AS told (seq integer, kind text, subject text, at bigint, body jsonb, sealed text) WHERE name = ${name};`,
    `UPDATE bare.stream SET applied = applied + ${batch} WHERE name = ${name};`,
    'COMMIT;',
    "SELECT pg_notify('bare', 'BARE');",
  ]
    .map((statement) => statement.replaceAll(/\s*\n\s*/g, ' '))
    .join('\n')
}
