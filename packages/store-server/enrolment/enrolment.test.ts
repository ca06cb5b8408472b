import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { confirm, type Exchanged } from '../../delivery/enrolment/exchange.ts'
import { makeLaneKey } from '../../delivery/enrolment/sealing.ts'
import { callOver } from '../testing/call.ts'
import { usePostgres } from '../testing/postgres.ts'
import { HOUR, mistyped, SECRET, startEnrolmentServer, type EnrolmentServer } from '../testing/enrolment-server.ts'
import { addCodes, decideCode, listCodes, revokeDevices } from './enrolment.sql.ts'
import { issueCodes, type IssuedCode, makeCode } from './issue.ts'

const cluster = usePostgres({ fsync: false })
const PINS = [{ staff: 'lise', pin: '730418' }]

async function one(server: EnrolmentServer): Promise<IssuedCode> {
  const [issued] = await server.issue({ pins: PINS })
  if (issued === undefined) throw new Error('no code')
  return issued
}
const payloadOf = (answer: Exchanged) => {
  if (answer.kind !== 'given') throw new Error(`refused: ${answer.why}`)
  return answer.payload
}
const readDisk = (): string =>
  readdirSync(cluster.server().folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), 'latin1'))
    .join('\n')

test('a lane exchanges its enrolment code for its configuration and secrets once', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  const payload = payloadOf(await server.ask(issued))
  expect(payload).toMatchObject({ clientSecret: SECRET, pins: PINS, storeServer: null })
  expect(await server.ask(issued)).toMatchObject({ kind: 'refused', why: 'used' })
})

test('enrolment codes whose enrolment sheet could not be printed do not replace printed codes', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  const lane = { store: issued.store, lane: issued.lane, clientSecret: null, pins: [], storeServer: null }
  const times = { now: new Date(), expiresAt: new Date(Date.now() + HOUR) }
  const full = () => {
    throw new Error('ENOSPC')
  }
  await expect(issueCodes(server.postgres, [lane], times, full)).rejects.toThrow('ENOSPC')
  expect(await server.ask(issued)).toMatchObject({ kind: 'given' })
})

test('a stolen database contains no secret, PIN, token or enrolment code, before or after enrolment', async ({
  skip,
}) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  const before = readDisk()
  const key = makeLaneKey()
  const payload = payloadOf(await server.ask(issued, { key }))
  const after = readDisk()
  for (const disk of [before, after]) {
    expect(disk).toContain(issued.code.id)
    for (const secret of [SECRET, '730418', payload.deviceToken, issued.code.secret, key.privateKey])
      expect(disk).not.toContain(secret)
  }
  const [code] = await listCodes(server.postgres)
  expect(code?.sealed).toBeNull()
})

test('a revoked lane does not receive its enrolment answer again, although its code is valid', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const [issued, key] = [await one(server), makeLaneKey()]
  expect((await server.ask(issued, { key })).kind).toBe('given')
  await revokeDevices(server.postgres, { store: '1001', lane: null }, Date.now())
  expect(await server.ask(issued, { key })).toMatchObject({ kind: 'refused', why: 'used' })
})

test('a lane whose enrolment answer was lost can get it again for minutes; other clients cannot', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  const key = makeLaneKey()
  const first = payloadOf(await server.ask(issued, { key }))
  expect(payloadOf(await server.ask(issued, { key }))).toEqual(first)
  expect(await server.ask(issued)).toMatchObject({ why: 'used' })
  server.wait(11 * 60_000)
  expect(await server.ask(issued, { key })).toMatchObject({ why: 'used' })
})

test("only the lane's own confirmation deletes its enrolment answer", async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  const [key, thief] = [makeLaneKey(), makeLaneKey()]
  const { deviceToken } = payloadOf(await server.ask(issued, { key }))
  const ticket = { service: server.url, code: issued.code, certificate: server.fingerprint }
  expect(await confirm({ ticket, key: thief }, deviceToken)).toBe('unconfirmed')
  expect(await confirm({ ticket, key }, 'A'.repeat(43))).toBe('unconfirmed')
  expect(await confirm({ ticket, key }, deviceToken)).toBe('confirmed')
  expect(await confirm({ ticket, key }, deviceToken)).toBe('confirmed')
  expect(await listCodes(server.postgres)).toMatchObject([{ answer: null, confirmedAt: expect.any(Number) }])
  expect(await server.ask(issued, { key })).toMatchObject({ why: 'used' })
})

test('after five wrong proofs an IP address must wait, each time twice as long; no enrolment code is locked', async ({
  skip,
}) => {
  const clock = { now: Date.now() }
  const server = await startEnrolmentServer(await cluster.open(skip), { clock: () => clock.now })
  const issued = await one(server)
  const none = { id: issued.code.id.startsWith('Z') ? 'YYYYY' : 'ZZZZZ' }
  const guess = async (change: Partial<{ secret: string; id: string }>) => {
    const answer = await server.ask(issued, change)
    return answer.kind === 'refused' ? answer.why : answer.kind
  }
  for (const change of [mistyped(issued), none]) {
    for (let times = 0; times < 5; times += 1) expect(await guess(change)).toBe('wrong')
    expect(await guess(change), 'a code that there is, and one that there is not').toBe('busy')
  }
  for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]) {
    clock.now += seconds * 1_000
    expect(await guess(mistyped(issued)), `${seconds}`).toBe('wrong')
    expect(await guess(mistyped(issued)), `${seconds}`).toBe('busy')
  }
  expect(await listCodes(server.postgres)).toMatchObject([{ wrong: 17, sealed: expect.any(Buffer) }])
  clock.now += HOUR
  payloadOf(await server.ask(issued))
})

test('a lane enrols while another IP address guesses its code', async ({ skip }) => {
  const at = Date.now()
  const server = await startEnrolmentServer(await cluster.open(skip), { clock: () => at })
  const issued = await one(server)
  const body = { format: 1, code: issued.code.id, proof: randomBytes(32).toString('base64'), store: '1001', lane: '01' }
  const ca = server.certificate
  const guess = () =>
    callOver(
      ca,
      `${server.url}/enrolment/exchange`,
      JSON.stringify({ ...body, key: makeLaneKey().publicKey }),
      {},
      '127.0.0.2',
    )
  for (let times = 0; times < 5; times += 1) expect((await guess()).status).toBe(403)
  expect((await guess()).status).toBe(429)
  payloadOf(await server.ask(issued))
})

test('of twenty concurrent wrong attempts on an enrolment code, five are checked and fifteen refused as busy', async ({
  skip,
}) => {
  const at = Date.now()
  const server = await startEnrolmentServer(await cluster.open(skip), { clock: () => at })
  const issued = await one(server)
  const answers = await Promise.all(Array.from({ length: 20 }, () => server.ask(issued, mistyped(issued))))
  const whys = answers.map((answer) => (answer.kind === 'refused' ? answer.why : answer.kind))
  expect(whys.filter((why) => why === 'wrong')).toHaveLength(5)
  expect(whys.filter((why) => why === 'busy')).toHaveLength(15)
})

test('concurrent exchanges of one enrolment code are processed one after the other', async ({ skip }) => {
  const postgres = await cluster.open(skip)
  const failOnce = () =>
    decideCode(postgres, 'ZZZZZ', 1, (_code, { wrong }) => ({ change: { wrong: wrong + 1 }, outcome: wrong + 1 }))
  const counted = await Promise.all(Array.from({ length: 20 }, failOnce))
  expect(counted.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
})

test('when enrolment codes are created concurrently for one lane, only one of them is valid', async ({ skip }) => {
  const postgres = await cluster.open(skip)
  const lane = { store: '1001', lane: '01', clientSecret: null, pins: [], storeServer: null }
  const times = { now: new Date(), expiresAt: new Date(Date.now() + HOUR) }
  const taken = new Set<string>()
  const made = await Promise.all(Array.from({ length: 8 }, () => makeCode(lane, taken, times)))
  await Promise.all(made.map(({ stored }) => addCodes(postgres, [stored])))
  const codes = await listCodes(postgres)
  expect(codes).toHaveLength(8)
  expect(codes.filter(({ revokedAt, sealed }) => revokedAt === null && sealed !== null)).toHaveLength(1)
})

test('an enrolment code is valid for its store and lane, until it expires or is revoked', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  const belongsTo = { store: '1001', lane: '01' }
  expect(await server.ask(issued, { lane: '02' })).toMatchObject({ why: 'other-lane', belongsTo })
  expect(await server.ask(issued, { store: '1002' })).toMatchObject({ why: 'other-lane', belongsTo })
  const [again] = await server.issue({})
  expect(await server.ask(issued)).toMatchObject({ why: 'revoked' })
  server.wait(72 * HOUR)
  if (again === undefined) throw new Error('no code')
  expect(await server.ask(again)).toMatchObject({ why: 'expired' })
  // A wrong proof gets the same answer for existing and unknown codes, so that it reveals no code.
  expect(await server.ask(again, mistyped(again))).toMatchObject({ why: 'wrong' })
})

test('an enrolment code that expired under a fast server clock is valid again after the clock is corrected', async ({
  skip,
}) => {
  const postgres = await cluster.open(skip)
  const clock = { now: Date.now() }
  const [issued] = await (await startEnrolmentServer(postgres)).issue({ pins: PINS })
  if (issued === undefined) throw new Error('no code')
  clock.now += 24 * 365 * HOUR
  const fast = await startEnrolmentServer(postgres, { clock: () => clock.now })
  expect(await fast.ask(issued)).toMatchObject({ why: 'expired' })
  await fast.close()
  clock.now = Date.now()
  const right = await startEnrolmentServer(postgres, { clock: () => clock.now })
  expect(payloadOf(await right.ask(issued))).toMatchObject({ clientSecret: SECRET, pins: PINS })
})

test('a lane that enrols again gets a new token, and its old token becomes invalid', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const key = makeLaneKey()
  const first = await one(server)
  const { deviceToken } = payloadOf(await server.ask(first, { key }))
  payloadOf(await server.ask(await one(server)))
  const ticket = { service: server.url, code: first.code, certificate: server.fingerprint }
  expect(await confirm({ ticket, key }, deviceToken)).toBe('unconfirmed')
})

test('thirty lanes enrol at once, and each receives its own configuration', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip), {
    enrolmentCallsPerMinute: 120,
    missesPerTenMinutes: 60,
  })
  const lanes = Array.from({ length: 30 }, (_, at) => String(at + 1).padStart(2, '0'))
  const issued = await server.issue(...lanes.map((lane) => ({ lane, clientSecret: `secret ${lane}` })))
  const answers = await Promise.all(issued.map((code) => server.ask(code)))
  expect(answers.map((answer) => payloadOf(answer).clientSecret)).toEqual(lanes.map((lane) => `secret ${lane}`))
  expect(new Set(answers.map((answer) => payloadOf(answer).deviceToken)).size).toBe(30)
})

test('an IP address that guesses several enrolment codes, or calls too often, is refused as busy', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip), { missesPerTenMinutes: 3 })
  const issued = await one(server)
  for (const id of ['AAAAA', 'BBBBB', 'CCCCC']) expect(await server.ask(issued, { id })).toMatchObject({ why: 'wrong' })
  expect(await server.ask(issued, { id: 'DDDDD' })).toMatchObject({ why: 'busy' })
  const calls = await startEnrolmentServer(await cluster.open(skip), { enrolmentCallsPerMinute: 2 })
  const good = await one(calls)
  await calls.ask(good)
  await calls.ask(good)
  expect(await calls.ask(good)).toMatchObject({ why: 'busy' })
})

test('a lane sends nothing to a server with another certificate', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  expect(await server.ask(issued, { certificate: 'ab'.repeat(32) })).toMatchObject({ why: 'certificate' })
  expect(await server.ask(issued, { certificate: null })).toMatchObject({ why: 'certificate' })
  expect(await server.ask(issued, { service: 'https://127.0.0.1:1' })).toMatchObject({ why: 'no-network' })
  expect(await listCodes(server.postgres)).toMatchObject([{ wrong: 0, exchangedAt: null }])
  payloadOf(await server.ask(issued))
})

test('an invalid enrolment request is rejected as unreadable', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  await one(server)
  const { callSecurely } = await import('../../delivery/enrolment/secure-call.ts')
  for (const body of [{}, [], { format: 1, code: 'AAAAA', proof: 'AA==', store: 's', lane: '01', key: 'AAAA' }, null])
    expect(
      await callSecurely({ service: server.url, path: '/enrolment/exchange', body, expected: server.fingerprint }),
    ).toMatchObject({ status: 400, body: { refused: 'unreadable' } })
})

test('a lane receives the offset of its clock on enrolment', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const answer = await server.ask(await one(server), { now: () => Date.now() + HOUR })
  expect(Math.round((answer.clockAheadMs ?? 0) / 60_000)).toBe(60)
})

test('a lane whose environment disables certificate checks still accepts only the right server', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await server.ask(issued, { certificate: null })).toMatchObject({ kind: 'refused', why: 'certificate' })
  expect(await server.ask(issued)).toMatchObject({ kind: 'given' })
})
