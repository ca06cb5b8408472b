import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { callSecurely } from '../../delivery/enrolment/secure-call.ts'
import { addressOf, createServer, showCertificate } from '../server.ts'
import { createStoreCounts } from '../metrics/counts.ts'
import { createLog } from '../log.ts'
import { callOver } from '../testing/call.ts'
import { addAuthority, authorityFiles, createAuthority, readAuthority, renewIfDue, renewNow } from './authority.ts'
import { endOf, fingerprintOf, ownCertificate, pinOf, readCertificate, readPair, writeCertificate } from './files.ts'
import { makeSelfSigned } from './self-signed.ts'
import { watchCertificate } from './watch.ts'

const DAY_MS = 24 * 3_600_000
const NAMES = ['localhost', '127.0.0.1']
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS)

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-authority-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function serve(folder: string) {
  const shown = readCertificate(ownCertificate(folder), new Date())
  const log = createLog('silent')
  const server = createServer({ log, counts: createStoreCounts() }, shown)
  server.get('/health', () => ({ status: 'up' }))
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { promise: reloaded, resolve } = Promise.withResolvers<void>()
  const stopWatching = watchCertificate({
    files: ownCertificate(folder),
    renew: () => renewIfDue(folder, new Date()),
    shown,
    log,
    everyMs: 10,
    onChange(next) {
      showCertificate(server, next)
      resolve()
    },
  })
  onTestFinished(async () => {
    stopWatching()
    await server.close()
  })
  const origin = addressOf(server)
  return { url: `${origin}/health`, origin, fingerprint: fingerprintOf(pinOf(shown.certificate)), reloaded }
}

async function callKeepAlive(agent: Agent, url: string, ca: string) {
  const call = request(url, { agent, ca })
  call.end()
  const [response] = await once(call, 'response')
  await text(response)
  return call
}

test('a lane verifies a renewed certificate with its pinned authority, and open connections continue', async () => {
  const folder = folderOfTest()
  const { certificate: pin } = await createAuthority(folder, NAMES, new Date(), 20)
  for (const { key } of [ownCertificate(folder), authorityFiles(folder)])
    expect(statSync(key).mode & 0o077, key).toBe(0)
  expect(pinOf(readFileSync(ownCertificate(folder).certificate, 'utf8'))).toBe(pin)
  const { url, reloaded } = await serve(folder)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const before = await callKeepAlive(agent, url, pin)

  const old = readPair(ownCertificate(folder)).certificate
  await renewNow(folder, [], new Date())
  await reloaded
  expect(await callKeepAlive(agent, url, pin)).toMatchObject({ reusedSocket: true, socket: before.socket })
  const fresh = readPair(ownCertificate(folder)).certificate
  expect(fingerprintOf(fresh)).not.toBe(fingerprintOf(old))
  expect((await callOver(pin, url)).status).toBe(200)
  await expect(callOver(new X509Certificate(old).toString(), url)).rejects.toThrow(/certificate/)
})

test('a server renews an expired or expiring certificate and keeps the host names in it', async () => {
  for (const age of [364 - 50, 400]) {
    const folder = folderOfTest()
    const { certificate: pin } = await createAuthority(folder, NAMES, daysAgo(age), 20)
    expect(await renewIfDue(folder, new Date())).toBe(true)
    expect(await renewIfDue(folder, new Date())).toBe(false)
    const { url } = await serve(folder)
    expect((await callOver(pin, url)).status).toBe(200)
    expect((await callOver(pin, url.replace('127.0.0.1', 'localhost'))).status).toBe(200)
  }
})

test('a certificate issued while the clock was years ahead is renewed after the clock is corrected', async () => {
  const folder = folderOfTest()
  const { certificate: pin } = await createAuthority(folder, NAMES, daysAgo(10), 20)
  expect(await renewIfDue(folder, daysAgo(-3_000))).toBe(true)
  expect(await renewIfDue(folder, daysAgo(3_000)), 'by a clock that is years behind').toBe(false)
  expect(await renewIfDue(folder, new Date())).toBe(true)
  expect(await renewIfDue(folder, new Date())).toBe(false)
  expect((await callOver(pin, (await serve(folder)).url)).status).toBe(200)
})

test('a certificate is not renewed months early, or when its authority expires with it', async () => {
  const folder = folderOfTest()
  await createAuthority(folder, NAMES, daysAgo(200), 20)
  expect(await renewIfDue(folder, new Date())).toBe(false)
  const ending = folderOfTest()
  const authority = await createAuthority(ending, NAMES, daysAgo(340), 1)
  expect(endOf(readPair(ownCertificate(ending)).certificate)).toEqual(endOf(authority.certificate))
  expect(await renewIfDue(ending, new Date())).toBe(false)
})

test('a certificate of another authority is rejected, even when its chain contains the pinned authority', async () => {
  const [ours, others] = [folderOfTest(), folderOfTest()]
  const { certificate: pin } = await createAuthority(ours, NAMES, new Date(), 20)
  await createAuthority(others, NAMES, new Date(), 20)
  const files = ownCertificate(others)
  const leaf = new X509Certificate(readFileSync(files.certificate)).toString()
  writeFileSync(files.certificate, leaf + pin)
  const { url, origin } = await serve(others)
  await expect(callOver(pin, url)).rejects.toThrow(/certificate/)
  const call = { service: origin, path: '/health', body: {}, expected: fingerprintOf(pin) }
  await expect(callSecurely(call)).rejects.toMatchObject({ why: 'certificate' })
})

test("a lane enrolled with the authority's fingerprint reaches the server after a renewal", async () => {
  const folder = folderOfTest()
  const { certificate: pin } = await createAuthority(folder, ['127.0.0.1'], new Date(), 20)
  await renewNow(folder, [], new Date())
  const { origin, fingerprint } = await serve(folder)
  expect(fingerprint).toBe(fingerprintOf(pin))
  const call = { service: origin, path: '/nowhere', body: {}, expected: fingerprint }
  expect(await callSecurely(call)).toMatchObject({ status: 404 })
  const other = origin.replace('127.0.0.1', 'localhost')
  await expect(callSecurely({ ...call, service: other })).rejects.toMatchObject({ why: 'certificate' })
})

test('the authority issues a server certificate shortly before the self-signed one expires', async () => {
  const folder = folderOfTest()
  writeCertificate(ownCertificate(folder), await makeSelfSigned(NAMES, daysAgo(200), 1))
  const self = readPair(ownCertificate(folder)).certificate
  await addAuthority(folder, new Date())
  await addAuthority(folder, new Date())
  const pin = readAuthority(folder)?.certificate ?? ''
  expect(await renewIfDue(folder, new Date())).toBe(false)
  await expect(renewNow(folder, [], new Date())).rejects.toThrow('itself until they have received the authority')
  const { url } = await serve(folder)
  expect((await callOver(self, url)).status).toBe(200)

  expect(await renewIfDue(folder, new Date(endOf(self).getTime() - 30 * DAY_MS))).toBe(true)
  expect(pinOf(readPair(ownCertificate(folder)).certificate)).toBe(pin)
})

test('an expiring self-signed certificate stays until its last day while lanes receive the authority', async () => {
  const folder = folderOfTest()
  writeCertificate(ownCertificate(folder), await makeSelfSigned(NAMES, daysAgo(345), 1))
  const end = endOf(readPair(ownCertificate(folder)).certificate).getTime()
  await addAuthority(folder, new Date())
  expect(await renewIfDue(folder, new Date())).toBe(false)
  expect(await renewIfDue(folder, new Date(end - 2 * DAY_MS))).toBe(false)
  expect(await renewIfDue(folder, new Date(end - DAY_MS / 2))).toBe(true)
})

test('a certificate that an administrator installed is not replaced', async () => {
  const [folder, others] = [folderOfTest(), folderOfTest()]
  await createAuthority(others, NAMES, daysAgo(340), 20)
  writeCertificate(ownCertificate(folder), readPair(ownCertificate(others)))
  await addAuthority(folder, new Date())
  expect(existsSync(authorityFiles(folder).certificate)).toBe(false)
  expect(await renewIfDue(folder, new Date())).toBe(false)
  await expect(renewNow(folder, [], new Date())).rejects.toThrow('has no authority that renews its certificate')
})
