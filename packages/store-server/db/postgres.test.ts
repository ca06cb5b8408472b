import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { openPostgres, type Postgres } from './postgres.ts'
import { DatabaseUnavailable } from './unavailable.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const log = createLog('silent')

async function open(skip: TestContext['skip']): Promise<Postgres> {
  const postgres = openPostgres({ url: await cluster.database(skip), log })
  onTestFinished(() => postgres.close())
  return postgres
}

test('the database client converts whole numbers, and rejects numbers beyond 2^53', async ({ skip }) => {
  const db = await open(skip)
  const { rows } = await db.query('SELECT 9007199254740991::bigint AS most, ARRAY[1, NULL]::bigint[] AS some')
  expect(rows).toEqual([{ most: Number.MAX_SAFE_INTEGER, some: [1, null] }])
  await expect(db.query('SELECT 9007199254740992::bigint')).rejects.toThrow('9007199254740992 is beyond 2^53')
  expect((await db.query("SELECT '2026-11-26'::date AS day")).rows).toEqual([{ day: '2026-11-26' }])
})

test('commits are durable regardless of database defaults, and names resolve in the configured schema', async ({
  skip,
}) => {
  const url = await cluster.database(skip)
  const db = openPostgres({ url, schema: 'of_store', log })
  onTestFinished(() => db.close())
  await db.query('CREATE SCHEMA of_store; ALTER ROLE milepost SET synchronous_commit = off')
  const later = openPostgres({ url, schema: 'of_store', log })
  onTestFinished(() => later.close())
  const { rows } = await later.query("SELECT current_schema() AS schema, current_setting('synchronous_commit') AS sync")
  expect(rows).toEqual([{ schema: 'of_store', sync: 'on' }])
  expect(() => openPostgres({ url, schema: 'a b', log })).toThrow('a b is not a schema name')
  expect(() => openPostgres({ url: `${url}&sslrootcert=/nowhere.pem`, log })).toThrow('The file /nowhere.pem')
})

test('a server does not wait for a database that does not exist', async ({ skip }) => {
  await open(skip)
  const url = new URL(cluster.server().tcpUrl('nowhere'))
  const refused = openPostgres({ url: url.href, log })
  onTestFinished(() => refused.close())
  await expect(refused.waitUntilReachable(3_600_000)).rejects.toThrow(/The database .* does not exist\. Create it/)
})

test('a transaction with a failed statement is rolled back, even if its work continues', async ({ skip }) => {
  const db = await open(skip)
  await db.query('CREATE TABLE stored (id integer PRIMARY KEY)')
  const failing = db.transaction(async (tx) => {
    await tx.query('INSERT INTO stored VALUES (1)')
    await tx.query('INSERT INTO stored VALUES (1)')
  })
  await expect(failing).rejects.toMatchObject({ code: '23505' })
  const continued = db.transaction(async (tx) => {
    await tx.query('INSERT INTO stored VALUES (2)')
    await tx.query('INSERT INTO stored VALUES (2)').catch(() => undefined)
  })
  await expect(continued).rejects.toThrow('was rolled back')
  expect((await db.query('SELECT id FROM stored')).rows).toEqual([])
})

test('conflicting transactions are retried until each has run alone', async ({ skip }) => {
  const db = await open(skip)
  await db.query('CREATE TABLE counter (value bigint); INSERT INTO counter VALUES (0)')
  let begun = 0
  let read = 0
  const haveRead = Promise.withResolvers<void>()
  const add = () =>
    db.transaction(
      async (tx) => {
        begun += 1
        const { rows } = await tx.query<{ value: number }>('SELECT value FROM counter')
        read += 1
        if (read === 3) haveRead.resolve()
        await haveRead.promise
        await tx.query('UPDATE counter SET value = $1', [(rows[0]?.value ?? 0) + 1])
      },
      { isolation: 'serializable' },
    )
  await Promise.all([add(), add(), add()])
  expect((await db.query('SELECT value FROM counter')).rows).toEqual([{ value: 3 }])
  expect(begun).toBeGreaterThan(3)
})

test('errors for a missing database, an unreachable server or a wrong password contain no password', async ({
  skip,
}) => {
  await open(skip)
  const url = new URL(cluster.server().tcpUrl('nowhere'))
  const { password } = url
  const messageOf = async (change: Partial<Pick<URL, 'port' | 'password'>>): Promise<string> => {
    const db = openPostgres({ url: Object.assign(new URL(url), change).href, log })
    const error: unknown = await db.query('SELECT 1').catch((reason: unknown) => reason)
    await db.close()
    if (!(error instanceof DatabaseUnavailable)) throw new Error('it was asked', { cause: error })
    expect(error.mayBeDone).toBe(false)
    return error.message
  }
  const messages = [
    await messageOf({}),
    await messageOf({ port: '1' }),
    await messageOf({ password: `${password}not` }),
  ]
  expect(messages).toEqual([
    expect.stringContaining(`The database 127.0.0.1:${url.port}/nowhere does not exist.`),
    expect.stringContaining('The database cannot be reached at 127.0.0.1:1/nowhere (ECONNREFUSED). Start PostgreSQL'),
    expect.stringContaining('refuses this user or password'),
  ])
  expect(messages.join('')).not.toContain(password)
  expect(() => openPostgres({ url: `mysql://u:${password}@h/d`, log })).not.toThrow(password)
})

test('after a database is killed, the error reports that the statement may have run; later calls reconnect', async ({
  skip,
}) => {
  const db = await open(skip)
  const ended = db.query('SELECT pg_sleep(60)').catch((error: unknown) => error)
  await expect
    .poll(async () => (await db.query("SELECT 1 FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'")).count)
    .toBe(1)
  await cluster.server().kill()
  expect(await ended).toMatchObject({ name: 'DatabaseUnavailable', mayBeDone: true })
  const nameOf = () => db.query('SELECT 1').catch((error: unknown) => error instanceof Error && error.name)
  await expect.poll(nameOf).toBe('DatabaseUnavailable')
  await cluster.server().restart()
  expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})

/** Returns a message of the frontend/backend protocol 3 (PostgreSQL documentation, chapter 55.7). */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length + 4)
  return Buffer.concat([Buffer.from(type), length, content])
}

test('a database that accepts a connection and ends it in the same packet is reported as unavailable', async () => {
  const accepts = [message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]
  const stops = message(
    'E',
    Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
  )
  const server = createServer((socket) => socket.once('data', () => socket.end(Buffer.concat([...accepts, stops]))))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const db = openPostgres({ url: `postgres://milepost:secret@127.0.0.1:${port}/store?sslmode=disable`, log })
  onTestFinished(() => db.close())
  await expect(db.query('SELECT 1')).rejects.toBeInstanceOf(DatabaseUnavailable)
})
