import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readCertificate } from './certificate/files.ts'
import { callOver } from './testing/call.ts'
import { usePostgres } from './testing/postgres.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const UNPRIVILEGED_UID = 65_534
const UNREACHABLE = ['--database', 'postgres://127.0.0.1:1/none']
const cluster = usePostgres({ fsync: false })
let data: string
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'milepost-store-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const run = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args])

test('the certificate CLI command creates a certificate, and the server answers calls that trust it', async ({
  skip,
}) => {
  const database = await cluster.database(skip)
  const made = await run('certificate', '--data', data, '--name', 'localhost', '--name', '127.0.0.1')
  expect(made.stdout).toMatch(/SHA-256 fingerprint: [0-9a-f]{64}\n$/)
  expect(statSync(path.join(data, 'server.key')).mode & 0o077).toBe(0)

  const server = spawn(process.execPath, [
    MAIN,
    '--data',
    data,
    '--database',
    database,
    '--enrolment',
    ...'--host 127.0.0.1 --port 0 --log-level error'.split(' '),
  ])
  try {
    const [line] = await once(createInterface(server.stdout), 'line')
    const ready = JSON.parse(String(line))
    expect(made.stdout).toContain(ready.fingerprint)
    const ca = readFileSync(path.join(data, 'server.crt'), 'utf8')
    const answer = await callOver(ca, `${ready.url}/health`)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      status: 'up',
      features: expect.arrayContaining(['enrolment', 'lanes']),
    })
    expect((await callOver(ca, `${ready.url}/nowhere`)).status).toBe(404)
  } finally {
    server.kill('SIGTERM')
  }
  expect(await once(server, 'exit')).toEqual([0, null])
})

test('a certificate is not overwritten, because enrolment sheets may refer to it', async () => {
  await run('certificate', '--data', data, '--name', 'localhost')
  await expect(run('certificate', '--data', data, '--name', 'localhost')).rejects.toMatchObject({
    stderr: expect.stringContaining('already exists'),
  })
})

test('a failed write of a certificate does not block the next attempt', async () => {
  const made = ['certificate', '--data', data, '--name', 'localhost']
  // Limits the file size to zero, which has the effect of a full disk.
  const full = promisify(execFile)('/bin/sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, MAIN, ...made])
  await expect(full).rejects.toThrow('Command failed')
  expect((await run(...made)).stdout).toContain('SHA-256 fingerprint')
})

test('a private key without its certificate is not replaced, and the message names no enrolment sheets', async () => {
  const key = path.join(data, 'server.key')
  writeFileSync(key, 'a key of which an authority makes the certificate')
  await expect(run('certificate', '--data', data, '--name', 'localhost')).rejects.toMatchObject({
    stderr: `The key ${key} exists without a certificate. Move it, so that both are made again.\n`,
  })
  expect(readFileSync(key, 'utf8')).toContain('an authority')
})

test('a private key of another certificate is refused with a readable error', async () => {
  await run('certificate', '--data', data, '--name', 'localhost')
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const files = { certificate: path.join(data, 'server.crt'), key: path.join(data, 'server.key') }
  writeFileSync(files.key, key)
  expect(() => readCertificate(files, new Date())).toThrow(`${files.key} does not match ${files.certificate}.`)
  writeFileSync(files.key, 'no key')
  expect(() => readCertificate(files, new Date())).toThrow(`${files.key} is not a key in PEM`)
})

test('the server reports how to create a missing certificate', async () => {
  await expect(run('--data', data, ...UNREACHABLE)).rejects.toMatchObject({
    stderr: expect.stringContaining('npm run milepost -- store certificate'),
  })
})

test('the server reports a folder of another user as unreadable, not as one without a certificate', async () => {
  await run('certificate', '--data', data, '--name', 'localhost')
  const other = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {}
  chmodSync(data, other.uid === undefined ? 0 : 0o700)
  try {
    const started = promisify(execFile)(process.execPath, [MAIN, '--data', data, ...UNREACHABLE], other)
    await expect(started).rejects.toMatchObject({
      stderr: expect.stringMatching(/^This user has no permission to read .*server\.crt\. Run the server as the owner/),
    })
  } finally {
    chmodSync(data, 0o700)
  }
})

test('a server with updates requires the public keys of their signer', async () => {
  await run('certificate', '--data', data, '--name', 'localhost')
  await expect(run('--data', data, '--updates', data)).rejects.toMatchObject({
    stderr: expect.stringContaining('--updates and --update-keys must be used together'),
  })
  await expect(run('--data', data, '--updates', data, '--update-keys', data, ...UNREACHABLE)).rejects.toMatchObject({
    stderr: expect.stringContaining('no list of trusted keys'),
  })
})

test('a new certificate is valid from over 12 hours before its creation, for lanes whose clock is behind', async () => {
  await run('certificate', '--data', data, '--name', 'localhost')
  const { validFrom } = new X509Certificate(readFileSync(path.join(data, 'server.crt')))
  expect(Date.parse(validFrom)).toBeLessThan(Date.now() - 12 * 3_600_000)
})

const runUnprivileged = (...args: string[]) =>
  promisify(execFile)(
    process.execPath,
    [MAIN, ...args],
    process.getuid?.() === 0 ? { uid: UNPRIVILEGED_UID, gid: UNPRIVILEGED_UID } : {},
  )

test('the metrics CLI commands refuse a folder of another user', async () => {
  const isRoot = process.getuid?.() === 0
  const anothers = isRoot ? data : '/'
  if (isRoot) {
    await run('metrics', 'on', '--data', data)
    chownSync(data, UNPRIVILEGED_UID, UNPRIVILEGED_UID)
  }
  for (const action of ['on', 'status', 'off'])
    await expect(run('metrics', action, '--data', anothers), action).rejects.toMatchObject({
      stdout: '',
      stderr: expect.stringContaining(
        `${anothers} belongs to another user. Run this as the user of the server: sudo -u`,
      ),
    })
})

test('a folder inside an inaccessible folder is not reported as missing', async () => {
  const isRoot = process.getuid?.() === 0
  const closed = path.join(data, 'service')
  mkdirSync(closed)
  chmodSync(data, isRoot ? 0o700 : 0)
  try {
    await expect(runUnprivileged('metrics', 'status', '--data', closed)).rejects.toMatchObject({
      stderr: expect.stringContaining(
        `This user has no permission to read ${closed}. Run this as the user of the server`,
      ),
    })
    await expect(run('metrics', 'status', '--data', '/nowhere')).rejects.toMatchObject({
      stderr: expect.stringContaining('/nowhere does not exist'),
    })
  } finally {
    chmodSync(data, 0o700)
  }
})
