import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listOf, newSigner } from '../testing/bundle-content.ts'
import { installProgram, programOf, releaseFolder, serveFolder, type FileServer } from '../testing/release-folder.ts'
import { updateManifest } from '../testing/updates.ts'
import { checkForUpdate, type Checked } from './check.ts'
import { filePlace, sealManifest, sha256 } from './formats.ts'
import { openSlots, type Slots } from './slots.ts'

const signer = newSigner()
const OLD = { 'launcher/main.js': 'old main', 'node_modules/@a/b.js': 'shared', 'bin/node': 'the same node' }
const NEW = { ...OLD, 'launcher/main.js': 'new main', 'backend/new.js': Buffer.alloc(300_000, 7) }

let work: string
let slots: Slots
let versions: ReturnType<typeof releaseFolder>
let server: FileServer
let now: Date

beforeEach(async () => {
  work = mkdtempSync(path.join(tmpdir(), 'milepost-updates-'))
  const root = path.join(work, 'root')
  const slot = path.join(root, 'slots', 'a')
  mkdirSync(slot, { recursive: true })
  installProgram(slot, OLD, sealManifest(updateManifest({ version: '1.0.0', programs: [programOf(OLD)] }), signer))
  now = new Date('2026-11-26T12:00:00Z')
  slots = openSlots({ root, platform: 'linux-x64-browser', trust: () => listOf(1, [signer]), now: () => now })
  versions = releaseFolder(path.join(work, 'published'), signer)
  versions.put('1.2.0', NEW)
  versions.announce()
  server = await serveFolder(versions.folder)
})
afterEach(async () => {
  await server.close()
  rmSync(work, { recursive: true, force: true })
})

const check = (onProgress?: Parameters<typeof checkForUpdate>[0]['onProgress']): Promise<Checked> =>
  checkForUpdate({
    slots,
    source: { base: server.base },
    own: 'a',
    lane: { store: '1001', lane: '01', schema: 1 },
    now: () => now,
    ...(onProgress ? { onProgress } : {}),
  })
const stagedFile = (name: string): string => path.join(slots.stagingOf('b'), name)
const requestedFiles = (): string[] => server.requests.filter((place) => place.startsWith('files/'))

test('an update check downloads a new version completely, without files that the lane already has', async () => {
  const seen: number[] = []
  expect(await check((_, { done, all }) => seen.push(done / all))).toEqual({
    kind: 'waiting',
    version: '1.2.0',
    isNew: true,
  })
  for (const [name, content] of Object.entries(NEW))
    expect(readFileSync(stagedFile(name)).equals(Buffer.from(content)), name).toBe(true)
  expect(requestedFiles().toSorted()).toEqual(
    [NEW['launcher/main.js'], NEW['backend/new.js']].map((each) => filePlace(sha256(Buffer.from(each)))).toSorted(),
  )
  expect([seen.at(-1), seen.toSorted((one, other) => one - other)]).toEqual([1, seen])
  expect(slots.state()).toMatchObject({ good: 'a', pending: { version: '1.2.0', isArmed: false }, sequence: 1 })
  expect(existsSync(slots.folderOf('b'))).toBe(false)
  server.requests.length = 0
  expect(await check()).toMatchObject({ kind: 'waiting', isNew: false })
  expect(requestedFiles()).toEqual([])
  expect(readdirSync(slots.folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

test('an interrupted download of a version continues with the missing files', async () => {
  const place = filePlace(sha256(Buffer.from(NEW['launcher/main.js'])))
  server.instead = (requested, response) => requested === place && Boolean(response.socket?.destroy())
  expect(await check()).toMatchObject({ kind: 'unreachable' })
  expect(slots.state().pending).toBeNull()
  server.instead = () => false
  server.requests.length = 0
  expect(await check()).toMatchObject({ kind: 'waiting', isNew: true })
  expect(requestedFiles()).toEqual([place])
})

test('a file with other content than signed is never used in the new version', async () => {
  const place = path.join(versions.folder, filePlace(sha256(Buffer.from(NEW['launcher/main.js']))))
  for (const bytes of [gzipSync('evil main'), gzipSync('new mai'), gzipSync('new mainX'), gzipSync('')]) {
    writeFileSync(place, bytes)
    const checked = await check()
    expect(['other-content', 'unreachable']).toContain(checked.kind)
    expect(existsSync(stagedFile('launcher/main.js'))).toBe(false)
    expect(slots.state().pending).toBeNull()
  }
  expect(slots.state().outcomes.map(({ outcome }) => outcome)).toEqual(['failed'])
  expect(slots.state().refused).toEqual([])
  writeFileSync(place, Buffer.from('no gzip at all'))
  expect(await check()).toMatchObject({ kind: 'unreachable' })
  writeFileSync(place, gzipSync('new main'))
  expect(await check()).toMatchObject({ kind: 'waiting' })
})

test('no more bytes than signed are written, even from a compression bomb or an endless response', async () => {
  const place = filePlace(sha256(Buffer.from(NEW['launcher/main.js'])))
  writeFileSync(path.join(versions.folder, place), gzipSync(Buffer.alloc(200_000_000)))
  expect(await check()).toMatchObject({ kind: 'unreachable' })
  server.instead = (requested, response) => {
    if (!requested.startsWith('channel')) return false
    const more = (): void => {
      while (response.write(Buffer.alloc(65_536, 65)));
    }
    response.on('drain', more)
    more()
    return true
  }
  expect(await check()).toEqual({ kind: 'refused', what: 'channel', why: 'too-large' })
})

test('an update check accepts a server that compresses files, and reports unreachable servers and errors', async () => {
  server.instead = (requested, response) => {
    if (!requested.startsWith('files/')) return false
    response.setHeader('content-encoding', 'gzip')
    return false
  }
  expect(await check()).toMatchObject({ kind: 'waiting' })
  server.instead = (_, response) => Boolean(response.writeHead(503).end())
  expect(await check()).toEqual({ kind: 'unreachable', why: 'channel.signed: status 503' })
  await server.close()
  expect(await check()).toMatchObject({ kind: 'unreachable' })
})

test('a channel older than the last accepted one is rejected, and so is an expired channel', async () => {
  versions.announce({ sequence: 5 })
  expect(await check()).toMatchObject({ kind: 'waiting' })
  versions.announce({ sequence: 4 })
  expect(await check()).toEqual({ kind: 'refused', what: 'channel', why: 'older' })
  now = new Date('2027-01-01T00:00:00Z')
  versions.announce({ sequence: 6 })
  expect(await check()).toEqual({ kind: 'refused', what: 'channel', why: 'expired' })
})

test('a manifest that the channel does not name, that was modified or has an unknown key is rejected', async () => {
  const [name = ''] = readdirSync(path.join(versions.folder, 'manifests'))
  const file = path.join(versions.folder, 'manifests', name)
  const whole = readFileSync(file)
  for (const [bytes, why] of [
    [sealManifest(updateManifest({ version: '1.2.0' }), signer), 'other'],
    [sealManifest(updateManifest({ version: '1.2.0' }), newSigner()), 'key-unknown'],
    [Buffer.concat([Buffer.from(' '), whole]), 'changed'],
    [whole.subarray(0, -1), 'unsigned'],
  ] as const) {
    writeFileSync(file, bytes)
    expect(await check()).toEqual({ kind: 'refused', what: 'manifest', version: '1.2.0', why })
  }
})

test('a waiting version is dropped when it is halted, and replaced when there is a newer version', async () => {
  expect(await check()).toMatchObject({ kind: 'waiting', version: '1.2.0' })
  versions.put('1.3.0', { ...NEW, 'launcher/main.js': 'newer main' })
  versions.announce({ sequence: 2 })
  server.requests.length = 0
  expect(await check()).toMatchObject({ kind: 'waiting', version: '1.3.0', isNew: true })
  expect(readFileSync(stagedFile('launcher/main.js'), 'utf8')).toBe('newer main')
  const halted = { wavePercent: 100, halted: true, manifest: 'a'.repeat(64) }
  versions.announce({ sequence: 3, stable: '1.0.0', releases: [{ ...halted, version: '1.0.0' }] })
  expect(await check()).toEqual({ kind: 'newest' })
  expect(slots.state().pending).toBeNull()
  expect(existsSync(slots.stagingOf('b'))).toBe(false)
})

test('a file that was modified in the installed program is downloaded instead of copied', async () => {
  writeFileSync(path.join(slots.folderOf('a'), 'bin', 'node'), 'another nod!')
  expect(await check()).toMatchObject({ kind: 'waiting' })
  expect(readFileSync(stagedFile('bin/node'), 'utf8')).toBe('the same node')
  expect(statSync(stagedFile('node_modules/@a/b.js')).ino).toBe(
    statSync(path.join(slots.folderOf('a'), 'node_modules/@a/b.js')).ino,
  )
})

test('a version is downloaded again if it was published again with other content', async () => {
  expect(await check()).toMatchObject({ kind: 'waiting', isNew: true })
  versions.put('1.2.0', { ...NEW, 'launcher/main.js': 'mended main' })
  versions.announce({ sequence: 2 })
  expect(await check()).toMatchObject({ kind: 'waiting', version: '1.2.0', isNew: true })
  expect(readFileSync(stagedFile('launcher/main.js'), 'utf8')).toBe('mended main')
  expect(await check()).toMatchObject({ kind: 'waiting', isNew: false })
})
