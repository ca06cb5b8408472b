import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { makeKey, signerOf } from '../delivery/keys.ts'
import { listOf } from '../delivery/testing/bundle-content.ts'
import { channelOf, release, updateManifest } from '../delivery/testing/updates.ts'
import { sealTrust, trustedIn } from '../delivery/trust.ts'
import {
  CHANNEL_FILE,
  filePlace,
  manifestPlace,
  openChannel,
  sealChannel,
  sealManifest,
  sha256,
  type Channel,
  type Report,
} from '../delivery/updates/formats.ts'
import type { LaneCredentials } from '../delivery/enrolment/proof.ts'
import { startStoreServer, type StoreServer } from './app.ts'
import type { StoreContext } from './context.ts'
import { createLog } from './log.ts'
import { createStoreCounts } from './metrics/counts.ts'
import type { Certificate } from './certificate/files.ts'
import { makeSelfSigned } from './certificate/self-signed.ts'
import type { Postgres } from './db/postgres.ts'
import { callOver } from './testing/call.ts'
import { contextOf } from './testing/context.ts'
import { enrolDevice } from './testing/lanes.ts'
import { usePostgres } from './testing/postgres.ts'
import { signedLane } from './testing/signed-lane.ts'
import { newestHaltRequest, readReports, tallyReports } from './updates.sql.ts'
import { readUpdateKeys } from './updates.ts'

const cluster = usePostgres({ fsync: false })
const { pem } = makeKey(null)
const signer = signerOf(pem, null)
const trusted = trustedIn(listOf(1, [signer]))
const NOW = new Date('2026-11-26T12:00:00Z')
const FILE = Buffer.from('a program')
let certificate: Certificate
let top: string
let out: string

beforeAll(async () => {
  certificate = await makeSelfSigned(['127.0.0.1'], new Date(), 1)
})
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'milepost-'))
  out = join(top, 'out')
  for (const folder of ['out/manifests', 'out/files', 'data', 'keys/trust'])
    mkdirSync(join(top, folder), { recursive: true })
  writeFileSync(join(top, 'data/server.key'), 'what no lane is to see')
  writeFileSync(join(top, 'keys/trust/000001.keys'), sealTrust(listOf(1, [signer]), signer))
  put(10)
  onTestFinished(() => {
    rmSync(top, { recursive: true, force: true })
  })
})

function put(sequence: number): void {
  const manifest = sealManifest(updateManifest({ version: '1.5.0' }), signer)
  writeFileSync(join(out, manifestPlace(sha256(manifest))), manifest)
  writeFileSync(join(out, filePlace(sha256(FILE))), gzipSync(FILE))
  const releases = [release('1.4.0'), release('1.5.0', { manifest: sha256(manifest), wavePercent: 20 })]
  writeFileSync(join(out, CHANNEL_FILE), sealChannel(channelOf(releases, { sequence }), signer))
}

function channel(bytes: Buffer = readFileSync(join(out, CHANNEL_FILE))): Channel {
  const opened = openChannel(bytes, trusted, { seen: 0, now: NOW })
  if ('refusal' in opened) throw new Error(opened.refusal)
  return opened.channel
}

async function serve(
  postgres: Postgres,
  change: Partial<Pick<StoreContext, 'now' | 'counts'>> & { mayHalt?: boolean; tokens?: boolean } = {},
): Promise<StoreServer> {
  const { mayHalt = true, tokens = false, ...fields } = change
  if (mayHalt) writeFileSync(join(top, 'keys', `${signer.publicKey.id}.private.pem`), pem)
  const updates = { folder: out, keys: readUpdateKeys(join(top, 'keys'), null), tokens }
  const log = createLog('silent')
  const ctx = contextOf(postgres, { log, now: () => NOW.getTime(), ...fields, settings: { updates } })
  const server = await startStoreServer(ctx, certificate, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  return server
}

const call = ({ url }: StoreServer, place: string, body?: string, headers?: Readonly<Record<string, string>>) =>
  callOver(certificate.certificate, `${url}/updates/${place}`, body, headers)

const reportOf = (lane: number, outcome: Report['outcome'], change: Partial<Report> = {}): Report => ({
  store: '1001',
  lane: String(lane),
  version: '1.5.0',
  from: '1.4.0',
  outcome,
  why: outcome === 'running' ? null : 'ended',
  at: '2026-11-26T04:00:00Z',
  ...change,
})

const report = (server: StoreServer, ...args: Parameters<typeof reportOf>): Promise<number> =>
  call(server, 'reports', JSON.stringify(reportOf(...args))).then(({ status }) => status)

test('a lane can download files of published versions only', async ({ skip }) => {
  const server = await serve(await cluster.open(skip))
  writeFileSync(join(out, '.channel.lock'), '')
  writeFileSync(join(out, 'notes.yaml'), '')
  const sent = await call(server, CHANNEL_FILE)
  expect(sent).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  expect(channel(sent.body).sequence).toBe(10)
  const file = await call(server, filePlace(sha256(FILE)))
  expect(file).toMatchObject({ status: 200, body: gzipSync(FILE) })
  expect(file.headers['content-encoding']).toBeUndefined()
  expect(file.headers['cache-control']).toContain('immutable')
  const rest = await call(server, filePlace(sha256(FILE)), undefined, { range: 'bytes=3-' })
  expect(rest).toMatchObject({ status: 206, body: gzipSync(FILE).subarray(3) })
  for (const place of ['', '.channel.lock', 'notes.yaml', 'files/', '../data/server.key', '..%2fdata%2fserver.key'])
    expect((await call(server, place)).status, place).toBe(404)
  expect((await call(server, filePlace('0'.repeat(64)))).status).toBe(404)
})

test('the server counts downloads and accepted update reports, but not refused reports', async ({ skip }) => {
  const counts = createStoreCounts()
  const server = await serve(await cluster.open(skip), { counts })
  await call(server, CHANNEL_FILE)
  for (const place of [filePlace(sha256(FILE)), filePlace(sha256(FILE)), filePlace('0'.repeat(64))])
    await call(server, place)
  await report(server, 1, 'running')
  await call(server, 'reports', '{')
  const lines = async (): Promise<string[]> =>
    (await counts.metrics.text()).split('\n').filter((line) => line.startsWith('milepost_store_updates_served_total'))
  await expect
    .poll(lines)
    .toEqual(
      ['channel', 'files', 'reports'].map(
        (what, at) => `milepost_store_updates_served_total{what="${what}"} ${[1, 2, 1][at]}`,
      ),
    )
})

test('the server counts only the last update report of each lane', async ({ skip }) => {
  const postgres = await cluster.open(skip)
  const server = await serve(postgres)
  expect(await report(server, 1, 'running')).toBe(204)
  expect(await report(server, 1, 'running')).toBe(204)
  expect(await report(server, 2, 'running')).toBe(204)
  expect(await report(server, 2, 'went-back', { at: '2026-11-26T05:00:00Z' })).toBe(204)
  expect(await report(server, 2, 'running')).toBe(204)
  const reports = await readReports(postgres)
  expect(reports.reports.map(({ lane, outcome }) => [lane, outcome])).toEqual([
    ['1', 'running'],
    ['2', 'went-back'],
  ])
})

test('the server refuses an invalid update report and stores nothing', async ({ skip }) => {
  const postgres = await cluster.open(skip)
  const server = await serve(postgres)
  const refused = async (body: string): Promise<number> => (await call(server, 'reports', body)).status
  expect(await refused('{')).toBe(400)
  expect(await refused(JSON.stringify({ ...reportOf(1, 'running'), more: 1 }))).toBe(400)
  expect(await refused(JSON.stringify(reportOf(1, 'running', { store: '' })))).toBe(400)
  expect(await refused(JSON.stringify(reportOf(1, 'failed', { why: 'x'.repeat(501) })))).toBe(400)
  expect(await refused(JSON.stringify({ ...reportOf(1, 'running'), why: 'x'.repeat(5_000) }))).toBe(413)
  expect(await refused(JSON.stringify(reportOf(1, 'running', { version: '9.9.9' })))).toBe(404)
  expect((await readReports(postgres)).reports).toEqual([])
})

test('the server halts a wave when four of 152 lanes report a failure, but not for two, or three of 151', async ({
  skip,
}) => {
  const server = await serve(await cluster.open(skip))
  for (let lane = 0; lane < 2; lane += 1) await report(server, lane, 'went-back')
  expect(channel().releases).toMatchObject([{ halted: false }, { halted: false }])
  for (let lane = 2; lane < 150; lane += 1) await report(server, lane, 'running')
  // Three of 151 reports are less than two percent; four of 152 are more.
  await report(server, 150, 'failed')
  expect(channel().sequence).toBe(10)
  await report(server, 151, 'failed')
  expect(channel().releases).toMatchObject([
    { version: '1.4.0', halted: false },
    { version: '1.5.0', halted: true, wavePercent: 20 },
  ])
  const { sequence } = channel()
  await report(server, 152, 'failed')
  expect(channel().sequence).toBe(sequence)
  expect(channel((await call(server, CHANNEL_FILE)).body).sequence).toBe(sequence)
})

test('a server without a private key halts a wave by serving no channel until the installer signs a new one', async ({
  skip,
}) => {
  const postgres = await cluster.open(skip)
  const server = await serve(postgres, { mayHalt: false })
  const before = readFileSync(join(out, CHANNEL_FILE))
  for (let lane = 0; lane < 3; lane += 1) await report(server, lane, 'failed')
  expect(readFileSync(join(out, CHANNEL_FILE))).toEqual(before)
  const held = await call(server, CHANNEL_FILE)
  expect(held).toMatchObject({ status: 503, headers: { 'retry-after': '600' } })
  expect(JSON.parse(held.body.toString())).toMatchObject({ refused: 'held-back' })
  // Other spellings of the channel's path do not bypass the halt.
  for (const place of ['%63hannel.signed', 'channel.signed?x', './channel.signed', 'files/../channel.signed'])
    expect((await call(server, place)).status, place).not.toBe(200)
  expect(await report(server, 4, 'running')).toBe(204)
  expect(await newestHaltRequest(postgres)).toMatchObject({ version: '1.5.0', left: 3 })
  put(11)
  expect((await call(server, CHANNEL_FILE)).status).toBe(200)
})

test('a requested halt of a wave survives a restart of the server', async ({ skip }) => {
  const url = await cluster.database(skip)
  const first = await serve(await cluster.open(skip, url), { mayHalt: false })
  for (let lane = 0; lane < 3; lane += 1) await report(first, lane, 'failed')
  await first.close()
  const later = await serve(await cluster.open(skip, url), { mayHalt: false })
  expect((await call(later, CHANNEL_FILE)).status).toBe(503)
})

test('with lane tokens, each lane can send update reports only for itself', async ({ skip }) => {
  const postgres = await cluster.open(skip)
  const { url } = await serve(postgres, { tokens: true })
  const known = await enrolDevice(postgres, '1001', '1')
  const asLane = async (lane: number, credentials: LaneCredentials) =>
    await signedLane({ ca: certificate.certificate, url }, credentials)(
      '/updates/reports',
      JSON.stringify(reportOf(lane, 'failed')),
    )
  expect((await asLane(1, { ...known, token: 'A'.repeat(43) })).status).toBe(401)
  expect((await asLane(2, known)).status).toBe(403)
  expect((await asLane(1, known)).status).toBe(204)
  expect((await readReports(postgres)).reports).toHaveLength(1)
})

test('the server signs a halt only for releases that a trusted key has signed', async ({ skip }) => {
  const server = await serve(await cluster.open(skip))
  const stranger = signerOf(makeKey(null).pem, null)
  const forged = sealChannel(channelOf([release('1.5.0', { wavePercent: 100 })]), stranger)
  writeFileSync(join(out, CHANNEL_FILE), forged)
  for (let lane = 0; lane < 3; lane += 1) expect(await report(server, lane, 'failed')).toBe(500)
  expect(readFileSync(join(out, CHANNEL_FILE))).toEqual(forged)
})

test('a halt that failed because the folder was locked is completed when the lane repeats its report', async ({
  skip,
}) => {
  const server = await serve(await cluster.open(skip))
  for (let lane = 0; lane < 2; lane += 1) await report(server, lane, 'failed')
  writeFileSync(join(out, '.channel.lock'), '')
  expect(await report(server, 2, 'failed')).toBe(500)
  expect(channel().releases).toMatchObject([{}, { halted: false }])
  rmSync(join(out, '.channel.lock'))
  expect(await report(server, 2, 'failed')).toBe(204)
  expect(channel().releases).toMatchObject([{}, { halted: true }])
})

test('a lane whose clock was far ahead can send a later update report', async ({ skip }) => {
  const postgres = await cluster.open(skip)
  let now = NOW
  const server = await serve(postgres, { now: () => now.getTime() })
  await report(server, 1, 'running', { at: '2031-01-01T00:00:00Z' })
  now = new Date(NOW.getTime() + 60_000)
  await report(server, 1, 'went-back', { at: now.toISOString() })
  expect(await tallyReports(postgres, '1.5.0')).toEqual({ running: 0, left: 1 })
})

test('a halt of a wave continues while the channel is missing or an older one is restored', async ({ skip }) => {
  const postgres = await cluster.open(skip)
  const server = await serve(postgres, { mayHalt: false })
  for (let lane = 0; lane < 3; lane += 1) await report(server, lane, 'failed')
  const file = join(out, CHANNEL_FILE)
  const bytes = readFileSync(file)
  rmSync(file)
  expect((await call(server, CHANNEL_FILE)).status).toBe(503)
  put(9)
  expect((await call(server, CHANNEL_FILE)).status).toBe(503)
  writeFileSync(file, bytes)
  expect((await call(server, CHANNEL_FILE)).status).toBe(503)
  expect(await newestHaltRequest(postgres)).toMatchObject({ version: '1.5.0', left: 3 })
})

test('a lock left by a program whose clock was ahead does not block a halt', async ({ skip }) => {
  const server = await serve(await cluster.open(skip))
  const lock = join(out, '.channel.lock')
  writeFileSync(lock, '')
  const ahead = new Date(Date.now() + 86_400_000)
  utimesSync(lock, ahead, ahead)
  for (let lane = 0; lane < 3; lane += 1) expect(await report(server, lane, 'failed')).toBe(204)
  expect(channel().releases).toMatchObject([{}, { halted: true }])
})

test('after a wave is resumed, only later reports can halt the wave again', async ({ skip }) => {
  const server = await serve(await cluster.open(skip))
  for (let lane = 0; lane < 3; lane += 1) await report(server, lane, 'failed')
  expect(channel().releases).toMatchObject([{}, { halted: true }])
  for (let lane = 3; lane < 6; lane += 1) await report(server, lane, 'failed')
  put(channel().sequence + 1)
  await report(server, 6, 'failed')
  await report(server, 7, 'failed')
  expect(channel().releases).toMatchObject([{}, { halted: false }])
  await report(server, 8, 'failed')
  expect(channel().releases).toMatchObject([{}, { halted: true }])
})

test('a halt of a wave applies at every server of the database, each with its own copy of the channel', async ({
  skip,
}) => {
  const url = await cluster.database(skip)
  const one = await serve(await cluster.open(skip, url))
  for (let lane = 0; lane < 3; lane += 1) await report(one, lane, 'failed')
  const { sequence } = channel()
  expect(sequence).toBeGreaterThan(10)
  expect((await call(one, CHANNEL_FILE)).status).toBe(200)
  put(10)
  const other = await serve(await cluster.open(skip, url))
  expect((await call(other, CHANNEL_FILE)).status).toBe(503)
  put(sequence + 1)
  expect((await call(other, CHANNEL_FILE)).status).toBe(200)
})

test('an update report is refused while no version is published, and accepted later', async ({ skip }) => {
  const server = await serve(await cluster.open(skip))
  rmSync(join(out, CHANNEL_FILE))
  expect(await report(server, 1, 'failed')).toBe(503)
  put(10)
  expect(await report(server, 1, 'failed')).toBe(204)
})
