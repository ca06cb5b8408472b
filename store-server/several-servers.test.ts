import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { makeLaneKey } from '../delivery/enrolment/sealing.ts'
import { openPostgres, type Postgres } from './db/postgres.ts'
import { sha256 } from './enrolment/exchange.ts'
import { createLog } from './log.ts'
import { openPostgresStorage, type Storage } from './storage.ts'
import { callOver } from './testing/call.ts'
import { mistyped } from './testing/enrolment-server.ts'
import { askOnce, askUntilAnswered, issueFor } from './testing/lanes.ts'
import { usePostgres } from './testing/postgres.ts'
import { startServerProcess } from './testing/server-process.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const log = createLog('silent')

async function storageAt(url: string): Promise<Storage & { postgres: Postgres }> {
  const storage = await openPostgresStorage(url, { log })
  onTestFinished(() => storage.close())
  const { postgres } = storage
  if (postgres === null) throw new Error('it is in a file')
  return { ...storage, postgres }
}

/** Two server processes that start on an empty database at the same time. */
async function startTwo(skip: TestContext['skip']) {
  const url = await cluster.database(skip)
  const args = ['--database', url, '--enrolment']
  const servers = await Promise.all([startServerProcess(args), startServerProcess(args)])
  return { url, servers, storage: await storageAt(url) }
}

test('a code is exchanged once, whichever server is asked, and wrong tries count at both', async ({ skip }) => {
  const { servers, storage } = await startTwo(skip)
  const [one, other] = servers
  const [first, second, third] = await issueFor(storage.enrolment, 3)
  if (first === undefined || second === undefined || third === undefined) throw new Error('no codes')
  const answers = await Promise.all([one, other, one, other].map((server) => askOnce(server, first)))
  expect(answers.map((answer) => (answer.kind === 'given' ? 'given' : answer.why)).toSorted()).toEqual([
    'given',
    'used',
    'used',
    'used',
  ])
  const wrong = { ...second, code: { ...second.code, ...mistyped(second) } }
  const tries = await Promise.all([one, other, one, other, one, other, one].map((server) => askOnce(server, wrong)))
  const whys = tries.map((answer) => (answer.kind === 'given' ? 'given' : answer.why))
  expect(whys.toSorted()).toEqual(['locked', 'locked', 'locked', 'wrong', 'wrong', 'wrong', 'wrong'])
  // Whose answer was lost is told again by the other one.
  const key = makeLaneKey()
  const given = await askOnce(one, third, key)
  expect(given).toMatchObject({ kind: 'given' })
  expect(await askOnce(other, third, key)).toMatchObject({ payload: given.kind === 'given' ? given.payload : null })
})

test('while the database is away calls are put off in words; the servers go on when it is back', async ({ skip }) => {
  const url = await cluster.database(skip)
  const server = await startServerProcess(['--database', url, '--enrolment'])
  const [code] = await issueFor((await storageAt(url)).enrolment, 1)
  if (code === undefined) throw new Error('no code')
  await cluster.server().kill()
  const ca = server.certificate.certificate
  const body = { format: 1, code: 'AAAAA', proof: 'AA==', store: '1001', lane: '01', key: makeLaneKey().publicKey }
  const asked = () => callOver(ca, `${server.url}/enrolment/exchange`, JSON.stringify(body))
  // What serves a connection of the server ends a moment after the database itself.
  await expect.poll(async () => (await asked()).status).toBe(503)
  const put = await asked()
  expect(put.headers['retry-after']).toBe('5')
  expect(JSON.parse(put.body.toString())).toMatchObject({
    refused: 'database',
    message: 'The store server cannot reach its database. Nothing is lost: ask again in 5 seconds.',
  })
  expect((await callOver(ca, `${server.url}/health`)).status).toBe(503)
  expect(await askOnce(server, code)).toMatchObject({ why: 'busy' })
  await cluster.server().restart()
  await expect.poll(async () => (await callOver(ca, `${server.url}/health`)).status).toBe(200)
  expect(await askOnce(server, code)).toMatchObject({ kind: 'given' })
})

test('a server that starts before its database waits for it', async ({ skip }) => {
  const url = await cluster.database(skip)
  await cluster.server().kill()
  const waits = Promise.withResolvers<void>()
  const onLog = (line: string): void => {
    if (line.includes('the database is waited for')) waits.resolve()
  }
  const starting = startServerProcess(['--database', url, '--enrolment'], { onLog })
  await waits.promise
  await cluster.server().restart()
  const server = await starting
  expect((await callOver(server.certificate.certificate, `${server.url}/health`)).status).toBe(200)
})

test('killed in the middle of exchanges, database and server give each lane its own, once', async ({ skip }) => {
  const { servers, url } = await startTwo(skip)
  const codes = await issueFor((await storageAt(url)).enrolment, 12)
  const asking = codes.map((code, at) => askUntilAnswered(at % 2 === 0 ? servers[0] : servers[1], code))
  const isAnswered = Promise.all(asking)
  await Promise.race(asking)
  await cluster.server().kill()
  await cluster.server().restart()
  await servers[0].killAndStart()
  const payloads = await isAnswered
  expect(payloads.map(({ clientSecret }) => clientSecret)).toEqual(codes.map((_, at) => `secret of ${at + 1}`))
  const db = openPostgres({ url, log })
  onTestFinished(() => db.close())
  const { rows } = await db.query<{ tokenHash: Buffer }>(
    'SELECT token_hash AS "tokenHash" FROM device WHERE revoked_at IS NULL ORDER BY lane',
  )
  expect(rows.map(({ tokenHash }) => tokenHash)).toEqual(payloads.map(({ deviceToken }) => sha256(deviceToken)))
  expect((await db.query('SELECT 1 FROM device')).count).toBe(codes.length)
})
