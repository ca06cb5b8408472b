import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test, type TestContext } from 'vitest'
import { STORE_PATHS } from '../../../contracts/store/protocol.ts'
import { createProver, NONCE_HEADER, type ProvenCall } from '../../delivery/enrolment/proof.ts'
import { makeLaneKey } from '../../delivery/enrolment/sealing.ts'
import { makeKey, signerOf } from '../../delivery/keys.ts'
import { listOf } from '../../delivery/testing/bundle-content.ts'
import { trustedIn } from '../../delivery/trust.ts'
import { composeServer } from '../app.ts'
import type { Certificate } from '../certificate/files.ts'
import { makeSelfSigned } from '../certificate/self-signed.ts'
import type { Postgres } from '../db/postgres.ts'
import { createLog } from '../log.ts'
import { openDatabase } from '../database.ts'
import { contextOf } from '../testing/context.ts'
import { enrolDevice } from '../testing/lanes.ts'
import { usePostgres } from '../testing/postgres.ts'
import { HEALTH } from './lanes.fixture.ts'

const cluster = usePostgres({ port: 0, fsync: false })
const HELLO = JSON.stringify({ protocol: 1, version: '1', streams: [{ epoch: 1, name: 'a'.repeat(32) }] })
const HEARTBEAT = JSON.stringify({ protocol: 1, health: HEALTH, vector: {}, waitMs: 0 })
const MINUTE = 60_000
const NOT_FOR_LANES = [
  'GET /health',
  'GET /metrics',
  'GET /metrics/lanes',
  'GET /receipt/:token',
  'GET /updates/*',
  'GET /updates/channel.signed',
  'POST /enrolment/confirm',
  'POST /enrolment/exchange',
]

let certificate: Certificate
beforeAll(async () => {
  certificate = await makeSelfSigned(['127.0.0.1'], new Date(), 1)
})

type Called = { readonly status: number; readonly why: unknown; readonly nonce: string | undefined }

async function start(skip: TestContext['skip']) {
  const log = createLog('silent')
  const postgres = await openDatabase(await cluster.database(skip), { log })
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-guard-'))
  const lane = await enrolDevice(postgres, '1001', '01')
  const clock = { now: Date.now() }
  const asked = { count: 0 }
  const db: Postgres = {
    ...postgres,
    query(text, params) {
      if (text.includes('FROM device WHERE token_hash')) asked.count += 1
      return postgres.query(text, params)
    },
  }
  const signer = signerOf(makeKey(null).pem, null)
  const keys = { trusted: trustedIn(listOf(1, [signer])), signer }
  const settings = { folder, enrolment: true, updates: { folder, keys, tokens: true } }
  const app = composeServer(contextOf(db, { log, now: () => clock.now, settings }), certificate)
  const routes: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (one !== 'HEAD') routes.push(`${one} ${url}`)
  })
  await app.ready()
  onTestFinished(async () => {
    await app.close()
    await postgres.close()
    rmSync(folder, { recursive: true, force: true })
  })
  async function call(headers: Readonly<Record<string, string>>, url: string, body = HELLO): Promise<Called> {
    const answer = await app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: body,
    })
    const nonce = answer.headers[NONCE_HEADER]
    return {
      status: answer.statusCode,
      why: answer.json()?.refused,
      nonce: typeof nonce === 'string' ? nonce : undefined,
    }
  }
  async function prover(credentials = lane) {
    const made = createProver(credentials)
    made.take((await call(made.headers(POST_HELLO), STORE_PATHS.hello)).nonce)
    return made
  }
  return { app, routes, lane, clock, call, prover, asked, query: postgres.query }
}
const POST_HELLO: ProvenCall = { method: 'POST', path: STORE_PATHS.hello, body: HELLO }
const bare = (token: string) => ({ authorization: `Bearer ${token}` })

test("every route for lanes refuses a request that has a lane's token but no proof by its private key", async ({
  skip,
}) => {
  const { routes, call, lane, query } = await start(skip)
  const forLanes = routes.filter((route) => !NOT_FOR_LANES.includes(route))
  expect(routes.filter((route) => NOT_FOR_LANES.includes(route)).toSorted()).toEqual(NOT_FOR_LANES)
  expect(forLanes.length).toBeGreaterThan(20)
  for (const route of forLanes) {
    const [method, url = ''] = route.split(' ')
    expect(method, route).toBe('POST')
    expect(await call(bare(lane.token), url), route).toEqual({ status: 401, why: 'proof', nonce: undefined })
    expect(await call({}, url), route).toMatchObject({ status: 401, why: 'token' })
  }
  expect((await query?.('SELECT 1 FROM stream'))?.rows).toEqual([])
})

test('each answer carries the next nonce, so that only the first of many calls must be sent twice', async ({
  skip,
}) => {
  const { call, lane, clock } = await start(skip)
  const prover = createProver(lane)
  const first = await call(prover.headers(POST_HELLO), STORE_PATHS.hello)
  expect(first).toMatchObject({ status: 401, why: 'nonce' })
  prover.take(first.nonce)
  for (let calls = 0; calls < 10; calls += 1) {
    const answer = await call(prover.headers(POST_HELLO), STORE_PATHS.hello)
    expect(answer.status).toBe(200)
    prover.take(answer.nonce)
    clock.now += MINUTE
  }
  clock.now += 3 * MINUTE
  expect(await call(prover.headers(POST_HELLO), STORE_PATHS.hello)).toMatchObject({ status: 401, why: 'nonce' })
})

test('the proof of a lane’s request contains no time, so that a wrong clock does not invalidate the proof', () => {
  const [, payload = ''] = (
    createProver({ token: 'T', key: makeLaneKey() }).headers(POST_HELLO)['lane-proof'] ?? ''
  ).split('.')
  expect(Object.keys(JSON.parse(Buffer.from(payload, 'base64url').toString())).toSorted()).toEqual([
    'ath',
    'body',
    'htm',
    'jti',
    'path',
  ])
})

test('a proof is valid once, and only for its call, body, token and private key', async ({ skip }) => {
  const { call, lane, prover } = await start(skip)
  const signed = await prover()
  const once = signed.headers(POST_HELLO)
  expect((await call(once, STORE_PATHS.hello)).status).toBe(200)
  expect(await call(once, STORE_PATHS.hello), 'again').toMatchObject({ status: 401, why: 'nonce' })

  const refused = { status: 401, why: 'proof' }
  const headers = () => signed.headers(POST_HELLO)
  expect(await call(headers(), STORE_PATHS.facts), 'another path').toMatchObject(refused)
  expect(await call(headers(), STORE_PATHS.hello, HELLO.replace('"1"', '"2"')), 'another body').toMatchObject(refused)
  expect(await call(headers(), `${STORE_PATHS.hello}?a=1`), 'with a query').toMatchObject(refused)
  const asText = { ...headers(), 'content-type': 'text/plain' }
  expect(await call(asText, STORE_PATHS.hello), 'a body that is not read as JSON').toMatchObject(refused)
  const get = signed.headers({ ...POST_HELLO, method: 'GET' })
  expect(await call(get, STORE_PATHS.hello), 'another method').toMatchObject(refused)
  const otherKey = createProver({ token: lane.token, key: makeLaneKey() })
  expect(await call(otherKey.headers(POST_HELLO), STORE_PATHS.hello), 'another key').toMatchObject(refused)
  const otherToken = createProver({ token: 'U'.repeat(43), key: lane.key }).headers(POST_HELLO)
  expect(await call({ ...otherToken, ...bare(lane.token) }, STORE_PATHS.hello), 'another token').toMatchObject(refused)
  const [head = '', payload = '', signature = ''] = (headers()['lane-proof'] ?? '').split('.')
  const none = Buffer.from('{"alg":"none","typ":"milepost-proof+jwt"}').toString('base64url')
  for (const [what, proof] of [
    ['no algorithm', `${none}.${payload}.`],
    ['no signature', `${head}.${payload}.`],
    ['no JWT claims', `${head}..${signature}`],
    ['nothing', ''],
    ['too long', `${head}.${payload}.${signature}${'A'.repeat(5_000)}`],
  ] as const)
    expect(await call({ ...bare(lane.token), 'lane-proof': proof }, STORE_PATHS.hello), what).toMatchObject(refused)
})

test("the guard looks up a lane's token for every call except a heartbeat, whose handler checks it", async ({
  skip,
}) => {
  const { call, prover, asked, lane } = await start(skip)
  const signed = await prover()
  async function lookUps(url: string, body: string): Promise<number> {
    const before = asked.count
    for (let calls = 0; calls < 3; calls += 1) {
      const answer = await call(signed.headers({ method: 'POST', path: url, body }), url, body)
      expect(answer.status).toBe(200)
      signed.take(answer.nonce)
    }
    return asked.count - before
  }
  expect(await lookUps(STORE_PATHS.hello, HELLO)).toBe(3)
  expect(await lookUps(STORE_PATHS.heartbeat, HEARTBEAT)).toBe(0)
  expect(await call(bare(lane.token), STORE_PATHS.heartbeat, HEARTBEAT)).toMatchObject({ status: 401, why: 'proof' })
})

test('a nonce that the server did not make is refused', async ({ skip }) => {
  const { call, prover } = await start(skip)
  const signed = await prover()
  signed.take('A'.repeat(22))
  expect(await call(signed.headers(POST_HELLO), STORE_PATHS.hello)).toMatchObject({ status: 401, why: 'nonce' })
})
