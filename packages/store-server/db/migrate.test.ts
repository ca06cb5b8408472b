import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { statementsOf } from '../../lab/testing/sql-statements.ts'
import { createLog, type Log } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { migrate, readMigrations } from './migrate.ts'
import { openPostgres, type Postgres } from './postgres.ts'

const cluster = usePostgres({ fsync: false })
const FIRST = 'CREATE TABLE basket (id bigint PRIMARY KEY); INSERT INTO basket VALUES (1);'
const SECOND = 'ALTER TABLE basket ADD COLUMN lines integer NOT NULL DEFAULT 0;'
const of = (...scripts: readonly string[]) => [{ feature: 'baskets', scripts }]

function open(url: string): Postgres {
  const postgres = openPostgres({ url, log: createLog('silent') })
  onTestFinished(() => postgres.close())
  return postgres
}

test('each migration script runs once, even when two servers start at the same time', async ({ skip }) => {
  const url = await cluster.database(skip)
  const [one, other] = [open(url), open(url)]
  await Promise.all([migrate(one, of(FIRST)), migrate(other, of(FIRST))])
  await Promise.all([migrate(one, of(FIRST, SECOND)), migrate(other, of(FIRST, SECOND))])
  expect((await one.query('SELECT id, lines FROM basket')).rows).toEqual([{ id: 1, lines: 0 }])
})

test('a completed migration does not log a lost connection', async ({ skip }) => {
  const url = await cluster.database(skip)
  const lines: unknown[] = []
  const record = (...line: unknown[]): void => void lines.push(line)
  const log: Log = { info: record, warn: record, error: record }
  const db = openPostgres({ url, log })
  await migrate(db, of(FIRST))
  const others = 'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
  await expect.poll(async () => (await db.query(others)).count).toBe(0)
  await db.close()
  expect(lines).toEqual([])
})

test('a failed migration script rolls back all scripts before it', async ({ skip }) => {
  const db = open(await cluster.database(skip))
  await expect(migrate(db, of(FIRST, 'CREATE TABLE basket (id bigint)'))).rejects.toThrow('already exists')
  expect((await db.query("SELECT 1 WHERE to_regclass('basket') IS NOT NULL")).count).toBe(0)
})

test('a database of a newer version or with a different script is rejected with a readable error', async ({ skip }) => {
  const db = open(await cluster.database(skip))
  await migrate(db, of(FIRST, SECOND))
  await expect(migrate(db, of(FIRST))).rejects.toThrow(
    'The database was written by a newer version of this program (baskets 2; this one knows 1).',
  )
  await expect(migrate(db, of(FIRST, `${SECOND} -- another`))).rejects.toThrow(
    'made by a different script 2 than this program’s',
  )
})

/** Each line has the hash of a script as it was released, the hash of its statements, and its name. */
const RELEASED = readFileSync(new URL('migrations/sha256sums.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('  '))

test('statements of released scripts do not change; corrections go into the next script', () => {
  const found = RELEASED.map(([released, , name = '']) => {
    const script = readFileSync(new URL(`migrations/${name}`, import.meta.url), 'utf8')
    return [released, createHash('sha256').update(statementsOf(script)).digest('hex'), name]
  })
  expect(found).toEqual(RELEASED)
})

test('comments of a released script may change: databases store its hash as released', async ({ skip }) => {
  const db = open(await cluster.database(skip))
  const metrics = readMigrations('metrics')
  await migrate(db, [metrics])
  const stored = await db.query<{ sha256: string }>('SELECT sha256 FROM schema_migration ORDER BY number')
  expect(stored.rows.map(({ sha256 }) => sha256)).toEqual(
    RELEASED.filter(([, , name]) => name?.startsWith('metrics-')).map(([released]) => released),
  )
  await migrate(db, [{ ...metrics, scripts: metrics.scripts.map((script) => `-- another comment\n${script}`) }])
})

function addressAs(user: string, url: string): string {
  const address = new URL(url)
  address.searchParams.set('user', user)
  return address.href
}

test('a role without rights starts on existing tables; if tables are missing, the error names the owner', async ({
  skip,
}) => {
  const url = await cluster.database(skip)
  await migrate(open(url), of(FIRST))
  await open(url).query('CREATE ROLE runtime LOGIN; GRANT SELECT ON schema_migration TO runtime')
  const [superuser] = (await open(url).query<{ name: string }>('SELECT current_user AS name')).rows
  const db = open(addressAs('runtime', url))
  await migrate(db, of(FIRST))
  await expect(migrate(db, of(FIRST, SECOND))).rejects.toThrow(
    `As ${superuser?.name}: npm run milepost -- store migrate --database postgres://${superuser?.name}@`,
  )
})

async function ofOwner(url: string, owner: string): Promise<Postgres> {
  const name = new URL(url).pathname.slice(1)
  await open(url).query(`CREATE ROLE ${owner} LOGIN; ALTER DATABASE ${name} OWNER TO ${owner}`)
  await expect(migrate(open(url), of(FIRST)), 'before there are tables').rejects.toThrow(`postgres://${owner}@`)
  const owning = open(addressAs(owner, url))
  await migrate(owning, of(FIRST))
  return owning
}

test('a superuser creates no tables in a database that another role owns, before and after its first tables', async ({
  skip,
}) => {
  const url = await cluster.database(skip)
  const owning = await ofOwner(url, 'owner')
  await migrate(open(url), of(FIRST))
  await expect(migrate(open(url), of(FIRST, SECOND))).rejects.toThrow(
    /^New tables at .* would belong to this superuser, .* As owner: .* migrate --database postgres:..owner@/,
  )
  await migrate(owning, of(FIRST, SECOND))
})

test('tables that a superuser owns are migrated by the superuser, regardless of who owns the database', async ({
  skip,
}) => {
  const url = await cluster.database(skip)
  await migrate(open(url), of(FIRST))
  const name = new URL(url).pathname.slice(1)
  await open(url).query(`CREATE ROLE late LOGIN; ALTER DATABASE ${name} OWNER TO late`)
  await migrate(open(url), of(FIRST, SECOND))
  expect((await open(url).query('SELECT lines FROM basket')).count).toBe(1)
  await expect(migrate(open(addressAs('late', url)), of(FIRST, SECOND)), 'and it is told so').rejects.toThrow(
    /^Only (\S+) can create, read or change the tables at .* As \1: .* store migrate --database \S+\1@/,
  )
})

test('a database owner without rights on one table gets an error that names the table', async ({ skip }) => {
  const url = await cluster.database(skip)
  const owning = await ofOwner(url, 'owner_of_most')
  await open(url).query('ALTER TABLE basket OWNER TO CURRENT_USER')
  await expect(migrate(owning, of(FIRST, SECOND))).rejects.toThrow(
    /^The table basket at .* belongs to \S+\. Transfer it to the owner of the others/,
  )
})

test('a migration folder with a missing script is rejected', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-scripts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const read = () => readMigrations('baskets', pathToFileURL(`${folder}/`))
  writeFileSync(path.join(folder, 'baskets-0001.sql'), FIRST)
  expect(read()).toEqual({ feature: 'baskets', scripts: [FIRST] })
  writeFileSync(path.join(folder, 'baskets-0003.sql'), SECOND)
  expect(read).toThrow('baskets-0002.sql is missing, baskets-0003.sql is there')
})
