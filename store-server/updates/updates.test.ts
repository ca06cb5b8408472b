import { request as httpsRequest } from 'node:https'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { makeKey, signerOf } from '../../delivery/keys.ts'
import { listOf } from '../../delivery/testing/parts.ts'
import { channelOf, release, updateManifest } from '../../delivery/testing/updates.ts'
import { sealTrust, trustedIn } from '../../delivery/trust.ts'
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
} from '../../delivery/updates/formats.ts'
import { startStoreServer, type StoreServer } from '../app.ts'
import type { Certificate } from '../certificate/files.ts'
import { makeSelfSigned } from '../certificate/self-signed.ts'
import { openDatabase } from '../db/open.ts'
import { updates, type UpdatesOptions } from './feature.ts'
import { readUpdateKeys } from './keys.ts'
import { readReports } from './read-reports.ts'

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
  writeFileSync(join(top, 'keys/trust/000001.keys'), sealTrust(listOf(1, [signer]), signer))
  put(10)
  onTestFinished(() => {
    rmSync(top, { recursive: true, force: true })
  })
})

/** Publishes 1.4.0 to all and 1.5.0 to a wave, as the installer does. */
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

/** With the private key where the server is to sign; the certificate is the server’s own. */
async function serve(change: Partial<UpdatesOptions> & { readonly mayHalt?: boolean } = {}): Promise<StoreServer> {
  const { mayHalt = true, ...options } = change
  if (mayHalt) writeFileSync(join(top, 'keys', `${signer.publicKey.id}.private.pem`), pem)
  const db = openDatabase(join(top, 'data'))
  const feature = updates({
    db,
    folder: out,
    data: join(top, 'data'),
    keys: readUpdateKeys(join(top, 'keys'), null),
    now: () => NOW,
    ...options,
  })
  const server = await startStoreServer({
    certificate,
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    features: [feature],
  })
  onTestFinished(async () => {
    await server.close()
    db.close()
  })
  return server
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

const call = (
  server: StoreServer,
  place: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    httpsRequest(
      `${server.url}/updates/${place}`,
      { method: body === undefined ? 'GET' : 'POST', ca: certificate.certificate, headers: { ...type, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
        })
      },
    )
      .on('error', reject)
      .end(body)
  })

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

test('a lane fetches what is published, and nothing else that lies there', async () => {
  const server = await serve()
  writeFileSync(join(out, '.channel.lock'), '')
  writeFileSync(join(out, 'notes.yaml'), '')
  const sent = await call(server, CHANNEL_FILE)
  expect(sent).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  expect(channel(sent.body).sequence).toBe(10)
  const file = await call(server, filePlace(sha256(FILE)))
  expect(file).toMatchObject({ status: 200, body: gzipSync(FILE) })
  // It is the file itself: nobody unpacks it on the way.
  expect(file.headers['content-encoding']).toBeUndefined()
  expect(file.headers['cache-control']).toContain('immutable')
  const part = await call(server, filePlace(sha256(FILE)), undefined, { range: 'bytes=3-' })
  expect(part).toMatchObject({ status: 206, body: gzipSync(FILE).subarray(3) })
  for (const place of ['', '.channel.lock', 'notes.yaml', 'files/', '../data/store.db', '..%2fdata%2fstore.db'])
    expect((await call(server, place)).status, place).toBe(404)
  expect((await call(server, filePlace('0'.repeat(64)))).status).toBe(404)
})

test('what each lane said last counts, once', async () => {
  const server = await serve()
  expect(await report(server, 1, 'running')).toBe(204)
  expect(await report(server, 1, 'running')).toBe(204)
  expect(await report(server, 2, 'running')).toBe(204)
  expect(await report(server, 2, 'went-back', { at: '2026-11-26T05:00:00Z' })).toBe(204)
  // One that was sent again after its answer was lost takes nothing back.
  expect(await report(server, 2, 'running')).toBe(204)
  const kept = readReports(join(top, 'data'))
  expect(kept?.reports.map(({ lane, outcome }) => [lane, outcome])).toEqual([
    ['1', 'running'],
    ['2', 'went-back'],
  ])
})

test('what is no report is refused, and kept by nobody', async () => {
  const server = await serve()
  const refused = async (body: string): Promise<number> => (await call(server, 'reports', body)).status
  expect(await refused('{')).toBe(400)
  expect(await refused(JSON.stringify({ ...reportOf(1, 'running'), more: 1 }))).toBe(400)
  expect(await refused(JSON.stringify(reportOf(1, 'running', { store: '' })))).toBe(400)
  expect(await refused(JSON.stringify(reportOf(1, 'failed', { why: 'x'.repeat(501) })))).toBe(400)
  expect(await refused(JSON.stringify({ ...reportOf(1, 'running'), why: 'x'.repeat(5_000) }))).toBe(413)
  expect(await refused(JSON.stringify(reportOf(1, 'running', { version: '9.9.9' })))).toBe(404)
  expect(readReports(join(top, 'data'))?.reports).toEqual([])
})

test('three lanes in a hundred and a half that went back halt the wave, two do not', async () => {
  const server = await serve()
  for (let lane = 0; lane < 2; lane += 1) await report(server, lane, 'went-back')
  expect(channel().releases).toMatchObject([{ halted: false }, { halted: false }])
  for (let lane = 2; lane < 150; lane += 1) await report(server, lane, 'running')
  // 3 of 151 are less than two in a hundred, 4 of 152 are more.
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

test('a server without a key gives the channel to nobody until the installer has signed another', async () => {
  const server = await serve({ mayHalt: false })
  const before = readFileSync(join(out, CHANNEL_FILE))
  for (let lane = 0; lane < 3; lane += 1) await report(server, lane, 'failed')
  expect(readFileSync(join(out, CHANNEL_FILE))).toEqual(before)
  const held = await call(server, CHANNEL_FILE)
  expect(held).toMatchObject({ status: 503, headers: { 'retry-after': '600' } })
  expect(JSON.parse(held.body.toString())).toMatchObject({ refused: 'held-back' })
  // Nobody steals past it by another spelling.
  for (const place of ['%63hannel.signed', 'channel.signed?x', './channel.signed', 'files/../channel.signed'])
    expect((await call(server, place)).status, place).not.toBe(200)
  expect(await report(server, 4, 'running')).toBe(204)
  expect(existsSync(join(top, 'data/halt-requested.json'))).toBe(true)
  put(11)
  expect((await call(server, CHANNEL_FILE)).status).toBe(200)
  expect(readdirSync(join(top, 'data'))).not.toContain('halt-requested.json')
})

test('a halt that was asked for outlives the server', async () => {
  const first = await serve({ mayHalt: false })
  for (let lane = 0; lane < 3; lane += 1) await report(first, lane, 'failed')
  await first.close()
  const data = join(top, 'later')
  cpSync(join(top, 'data'), data, { recursive: true })
  const again = await serve({ mayHalt: false, data })
  expect((await call(again, CHANNEL_FILE)).status).toBe(503)
})

test('where lanes have tokens, a lane reports of itself alone', async () => {
  const server = await serve({
    identify: ({ headers }) =>
      Promise.resolve(headers.authorization === 'Bearer one' ? { store: '1001', lane: '1' } : null),
  })
  const asLane = (lane: number, token: string) =>
    call(server, 'reports', JSON.stringify(reportOf(lane, 'failed')), { authorization: `Bearer ${token}` })
  expect((await asLane(1, 'another')).status).toBe(401)
  expect((await asLane(2, 'one')).status).toBe(403)
  expect((await asLane(1, 'one')).status).toBe(204)
  expect(readReports(join(top, 'data'))?.reports).toHaveLength(1)
})

test('the server signs nothing that no trusted key has signed', async () => {
  const server = await serve()
  const stranger = signerOf(makeKey(null).pem, null)
  const forged = sealChannel(channelOf([release('1.5.0', { wavePercent: 100 })]), stranger)
  writeFileSync(join(out, CHANNEL_FILE), forged)
  for (let lane = 0; lane < 3; lane += 1) expect(await report(server, lane, 'failed')).toBe(500)
  expect(readFileSync(join(out, CHANNEL_FILE))).toEqual(forged)
})

test('a halt that met a busy folder is made up for when the lane tells it again', async () => {
  const server = await serve()
  for (let lane = 0; lane < 2; lane += 1) await report(server, lane, 'failed')
  writeFileSync(join(out, '.channel.lock'), '')
  expect(await report(server, 2, 'failed')).toBe(500)
  expect(channel().releases).toMatchObject([{}, { halted: false }])
  rmSync(join(out, '.channel.lock'))
  expect(await report(server, 2, 'failed')).toBe(204)
  expect(channel().releases).toMatchObject([{}, { halted: true }])
})

test('a wave that somebody let go on is judged by what comes after that', async () => {
  const server = await serve()
  for (let lane = 0; lane < 3; lane += 1) await report(server, lane, 'failed')
  expect(channel().releases).toMatchObject([{}, { halted: true }])
  // Lanes that had it waiting.
  for (let lane = 3; lane < 6; lane += 1) await report(server, lane, 'failed')
  put(channel().sequence + 1)
  await report(server, 6, 'failed')
  await report(server, 7, 'failed')
  expect(channel().releases).toMatchObject([{}, { halted: false }])
  await report(server, 8, 'failed')
  expect(channel().releases).toMatchObject([{}, { halted: true }])
})

test('a lane whose clock was far ahead has a later word all the same', async () => {
  let now = NOW
  const server = await serve({ now: () => now })
  await report(server, 1, 'running', { at: '2031-01-01T00:00:00Z' })
  now = new Date(NOW.getTime() + 60_000)
  await report(server, 1, 'went-back', { at: now.toISOString() })
  expect(readReports(join(top, 'data'))?.reports).toMatchObject([{ outcome: 'went-back' }])
})

test('what is held back stays so while its channel is away, or an older one lies there', async () => {
  const server = await serve({ mayHalt: false })
  for (let lane = 0; lane < 3; lane += 1) await report(server, lane, 'failed')
  const file = join(out, CHANNEL_FILE)
  const bytes = readFileSync(file)
  rmSync(file)
  expect((await call(server, CHANNEL_FILE)).status).toBe(503)
  put(9)
  expect((await call(server, CHANNEL_FILE)).status).toBe(503)
  writeFileSync(file, bytes)
  expect((await call(server, CHANNEL_FILE)).status).toBe(503)
  // The installer is told of it.
  expect(readReports(join(top, 'data'))?.request).toMatchObject({ version: '1.5.0', left: 3 })
})

test('a lock that was left by a program whose clock was ahead keeps nobody out', async () => {
  const server = await serve()
  const lock = join(out, '.channel.lock')
  writeFileSync(lock, '')
  const ahead = new Date(Date.now() + 86_400_000)
  utimesSync(lock, ahead, ahead)
  for (let lane = 0; lane < 3; lane += 1) expect(await report(server, lane, 'failed')).toBe(204)
  expect(channel().releases).toMatchObject([{}, { halted: true }])
})

test('a report that comes while the channel is away is kept by its lane', async () => {
  const server = await serve()
  rmSync(join(out, CHANNEL_FILE))
  expect(await report(server, 1, 'failed')).toBe(503)
  put(10)
  expect(await report(server, 1, 'failed')).toBe(204)
})
