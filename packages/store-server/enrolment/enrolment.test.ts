import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { confirm, type Exchanged } from '../../delivery/enrolment/ask.ts'
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
/** What a thief reads who has the disk of the service. */
const readDisk = (): string =>
  readdirSync(cluster.server().folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), 'latin1'))
    .join('\n')

test('a lane exchanges its code for what it needs to sell, once', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  const payload = payloadOf(await server.ask(issued))
  expect(payload).toMatchObject({ clientSecret: SECRET, pins: PINS, storeServer: null })
  expect(await server.ask(issued)).toMatchObject({ kind: 'refused', why: 'used' })
})

test('codes that came onto no paper take the place of none that did', async ({ skip }) => {
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

test('who steals the database has no secret, no PIN, no token and no code of it, before and after', async ({
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
  // With the sheet from the bin beside it, too: what the code opened is gone from the tables.
  const [code] = await listCodes(server.postgres)
  expect(code?.sealed).toBeNull()
})

test('who is revoked with their token is told nothing once more', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const [issued, key] = [await one(server), makeLaneKey()]
  expect((await server.ask(issued, { key })).kind).toBe('given')
  await revokeDevices(server.postgres, { store: '1001', lane: null }, Date.now())
  expect(await server.ask(issued, { key })).toMatchObject({ kind: 'refused', why: 'used' })
})

test('a lane whose answer was lost is told again within minutes, and nobody else is', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  const key = makeLaneKey()
  const first = payloadOf(await server.ask(issued, { key }))
  expect(payloadOf(await server.ask(issued, { key }))).toEqual(first)
  expect(await server.ask(issued)).toMatchObject({ why: 'used' })
  server.wait(11 * 60_000)
  expect(await server.ask(issued, { key })).toMatchObject({ why: 'used' })
})

test('what the lane has in its care the service forgets, on the word of that lane alone', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  const [key, thief] = [makeLaneKey(), makeLaneKey()]
  const { deviceToken } = payloadOf(await server.ask(issued, { key }))
  const ticket = { service: server.url, code: issued.code, certificate: server.fingerprint }
  expect(await confirm({ ticket, key: thief }, deviceToken)).toBe('not-heard')
  expect(await confirm({ ticket, key }, 'A'.repeat(43))).toBe('not-heard')
  expect(await confirm({ ticket, key }, deviceToken)).toBe('confirmed')
  expect(await confirm({ ticket, key }, deviceToken)).toBe('confirmed')
  expect(await listCodes(server.postgres)).toMatchObject([{ answer: null, confirmedAt: expect.any(Number) }])
  expect(await server.ask(issued, { key })).toMatchObject({ why: 'used' })
})

test('wrong proofs of an address are put off, twice as long each time, and lock no code', async ({ skip }) => {
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

test('a lane is enrolled while another address guesses at its code', async ({ skip }) => {
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

test('tries at the same time are counted one by one', async ({ skip }) => {
  const at = Date.now()
  const server = await startEnrolmentServer(await cluster.open(skip), { clock: () => at })
  const issued = await one(server)
  const answers = await Promise.all(Array.from({ length: 20 }, () => server.ask(issued, mistyped(issued))))
  const whys = answers.map((answer) => (answer.kind === 'refused' ? answer.why : answer.kind))
  expect(whys.filter((why) => why === 'wrong')).toHaveLength(5)
  expect(whys.filter((why) => why === 'busy')).toHaveLength(15)
})

test('decisions about one code are made one after the other', async ({ skip }) => {
  const postgres = await cluster.open(skip)
  const miss = () =>
    decideCode(postgres, 'ZZZZZ', 1, (_code, { wrong }) => ({ change: { wrong: wrong + 1 }, outcome: wrong + 1 }))
  const counted = await Promise.all(Array.from({ length: 20 }, miss))
  expect(counted.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
})

test('of codes made for one lane at the same time one is good', async ({ skip }) => {
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

test('a code is good for its store and lane, for its time, and until it is revoked', async ({ skip }) => {
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
  // Of who cannot prove to hold it, none of them is known to be anything.
  expect(await server.ask(again, mistyped(again))).toMatchObject({ why: 'wrong' })
})

test('a code that a fast clock of the server ended is good again when the clock is right', async ({ skip }) => {
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

test('a lane that is enrolled anew has one token: the one before is good for nothing', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const key = makeLaneKey()
  const first = await one(server)
  const { deviceToken } = payloadOf(await server.ask(first, { key }))
  payloadOf(await server.ask(await one(server)))
  const ticket = { service: server.url, code: first.code, certificate: server.fingerprint }
  expect(await confirm({ ticket, key }, deviceToken)).toBe('not-heard')
})

test('thirty lanes at once each get their own', async ({ skip }) => {
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

test('an address that guesses at many codes is put off, whatever it guesses at', async ({ skip }) => {
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

test('a server with another certificate is told nothing', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  expect(await server.ask(issued, { certificate: 'ab'.repeat(32) })).toMatchObject({ why: 'certificate' })
  // Nobody but the sheet vouches for this one.
  expect(await server.ask(issued, { certificate: null })).toMatchObject({ why: 'certificate' })
  expect(await server.ask(issued, { service: 'https://127.0.0.1:1' })).toMatchObject({ why: 'no-network' })
  expect(await listCodes(server.postgres)).toMatchObject([{ wrong: 0, exchangedAt: null }])
  payloadOf(await server.ask(issued))
})

test('what is no request of a lane is refused, and counts for nobody', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  await one(server)
  const { callSecurely } = await import('../../delivery/enrolment/secure-call.ts')
  for (const body of [{}, [], { format: 1, code: 'AAAAA', proof: 'AA==', store: 's', lane: '01', key: 'AAAA' }, null])
    expect(
      await callSecurely({ service: server.url, path: '/enrolment/exchange', body, expected: server.fingerprint }),
    ).toMatchObject({ status: 400, body: { refused: 'unreadable' } })
})

test('the lane is told how far its clock is off', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const answer = await server.ask(await one(server), { now: () => Date.now() + HOUR })
  expect(Math.round((answer.clockAheadMs ?? 0) / 60_000)).toBe(60)
})

test('a lane whose environment would believe anybody believes no server but the right one', async ({ skip }) => {
  const server = await startEnrolmentServer(await cluster.open(skip))
  const issued = await one(server)
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await server.ask(issued, { certificate: null })).toMatchObject({ kind: 'refused', why: 'certificate' })
  expect(await server.ask(issued)).toMatchObject({ kind: 'given' })
})
