import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { confirm } from '../delivery/enrolment/exchange.ts'
import { makeLaneKey } from '../delivery/enrolment/sealing.ts'
import { createLog } from './log.ts'
import { openDatabase } from './database.ts'
import type { Postgres } from './db/postgres.ts'
import { listCodes, revokeDevices } from './enrolment/enrolment.sql.ts'
import { callOver } from './testing/call.ts'
import { mistyped } from './testing/enrolment-server.ts'
import { requestOnce, issueFor } from './testing/lanes.ts'
import { usePostgres } from './testing/postgres.ts'
import { startServerProcess, type ServerProcess } from './testing/server-process.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const log = createLog('silent')

async function openAt(url: string): Promise<Postgres> {
  const postgres = await openDatabase(url, { log })
  onTestFinished(() => postgres.close())
  return postgres
}

async function startTwo(skip: TestContext['skip']) {
  const url = await cluster.database(skip)
  const args = ['--database', url, '--enrolment']
  const keys = { sealKey: randomBytes(32), proofKey: randomBytes(32) }
  const servers = await Promise.all([startServerProcess(args, keys), startServerProcess(args, keys)])
  return { servers, postgres: await openAt(url) }
}

test('an enrolment code is exchanged for one lane key; wrong attempts and revocations count at both servers', async ({
  skip,
}) => {
  const { servers, postgres } = await startTwo(skip)
  const [one, other] = servers
  const [first, second, third] = await issueFor(postgres, 3)
  if (first === undefined || second === undefined || third === undefined) throw new Error('no codes')
  const answers = await Promise.all([one, other, one, other].map((server) => requestOnce(server, first)))
  expect(answers.map((answer) => (answer.kind === 'given' ? 'given' : answer.why)).toSorted()).toEqual([
    'given',
    'used',
    'used',
    'used',
  ])
  const wrong = { ...second, code: { ...second.code, ...mistyped(second) } }
  const tries = await Promise.all([one, other, one, other, one, other, one].map((server) => requestOnce(server, wrong)))
  expect(tries.map((answer) => (answer.kind === 'given' ? 'given' : answer.why))).toEqual(Array(7).fill('wrong'))
  expect((await listCodes(postgres)).find(({ id }) => id === second.code.id)).toMatchObject({ wrong: 7 })
  const key = makeLaneKey()
  const given = await requestOnce(one, third, key)
  if (given.kind !== 'given') throw new Error('it was refused')
  expect(await requestOnce(other, third, key)).toMatchObject({ payload: given.payload })
  const confirmAt = ({ url, fingerprint }: ServerProcess) =>
    confirm({ ticket: { service: url, code: third.code, certificate: fingerprint }, key }, given.payload.deviceToken)
  expect(await Promise.all([one, other].map(confirmAt))).toEqual(['confirmed', 'confirmed'])
  expect(await revokeDevices(postgres, { store: '1001', lane: third.lane }, Date.now())).toBe(1)
  expect(await Promise.all([one, other].map(confirmAt))).toEqual(['unconfirmed', 'unconfirmed'])
})

test('while the database is unavailable, calls get a readable 503; later the server works again', async ({ skip }) => {
  const url = await cluster.database(skip)
  const server = await startServerProcess(['--database', url, '--enrolment'])
  const [code] = await issueFor(await openAt(url), 1)
  if (code === undefined) throw new Error('no code')
  await cluster.server().kill()
  const ca = server.certificate.certificate
  const body = { format: 1, code: 'AAAAA', proof: 'AA==', store: '1001', lane: '01', key: makeLaneKey().publicKey }
  const asked = () => callOver(ca, `${server.url}/enrolment/exchange`, JSON.stringify(body))
  await expect.poll(async () => (await asked()).status).toBe(503)
  const put = await asked()
  expect(put.headers['retry-after']).toBe('5')
  expect(JSON.parse(put.body.toString())).toMatchObject({
    refused: 'database',
    message: 'The store server cannot reach its database. Nothing is lost: retry in 5 seconds.',
  })
  expect((await callOver(ca, `${server.url}/health`)).status).toBe(503)
  expect(await requestOnce(server, code)).toMatchObject({ why: 'busy' })
  await cluster.server().restart()
  await expect.poll(async () => (await callOver(ca, `${server.url}/health`)).status).toBe(200)
  expect(await requestOnce(server, code)).toMatchObject({ kind: 'given' })
})

test('a read-only database is reported as unavailable until it accepts writes', async ({ skip }) => {
  const url = await cluster.database(skip, 'standby')
  const server = await startServerProcess(['--database', url, '--enrolment'])
  const postgres = await openAt(url)
  const [code] = await issueFor(postgres, 1)
  if (code === undefined) throw new Error('no code')
  const healthOf = async () => (await callOver(server.certificate.certificate, `${server.url}/health`)).status
  await postgres.query('ALTER DATABASE standby SET default_transaction_read_only = on')
  await postgres.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'standby' AND pid <> pg_backend_pid()",
  )
  await expect.poll(healthOf).toBe(503)
  expect(await requestOnce(server, code)).toMatchObject({ why: 'busy' })
  await postgres.query('ALTER DATABASE standby SET default_transaction_read_only = off')
  await expect.poll(healthOf).toBe(200)
  expect(await requestOnce(server, code)).toMatchObject({ kind: 'given' })
})

test('a server that starts before its database waits for it', async ({ skip }) => {
  const url = await cluster.database(skip)
  await cluster.server().kill()
  const waits = Promise.withResolvers<void>()
  const onLog = (line: string): void => {
    if (line.includes('waiting for the database')) waits.resolve()
  }
  const starting = startServerProcess(['--database', url, '--enrolment'], { onLog })
  await waits.promise
  await cluster.server().restart()
  const server = await starting
  expect((await callOver(server.certificate.certificate, `${server.url}/health`)).status).toBe(200)
})
