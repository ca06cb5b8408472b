import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { listOf, newSigner } from '../../testing/bundle-content.ts'
import { trustedIn } from '../../trust.ts'
import {
  CHANNEL_FILE,
  filePlace,
  manifestPlace,
  openChannel,
  openManifest,
  sha256,
  type Channel,
  type Platform,
  type UpdateManifest,
} from '../../updates/formats.ts'
import { changeChannel, ReleaseFolderBusy, ReleaseFolderDistrusted } from '../../updates/release-folder.ts'
import { publishVersion, type PublishedVersion, type VersionToPublish } from './publish.ts'
import { applyChannelAction, type ChannelAction } from './channel-actions.ts'
import { NOTES, writeProgram } from './testing.ts'

const signer = newSigner()
const trusted = trustedIn(listOf(1, [signer]))
const NOW = new Date('2026-11-25T12:00:00Z')
const LINUX: Platform = 'linux-x64-browser'
let top: string
let out: string

beforeEach(() => {
  top = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  out = path.join(top, 'out')
  onTestFinished(() => {
    rmSync(top, { recursive: true, force: true })
  })
})

const program = (version: string, files?: Readonly<Record<string, string>>): string =>
  writeProgram(path.join(top, `program ${version}`), version, files)

const put = (version: string, change: Partial<VersionToPublish> = {}): Promise<PublishedVersion> =>
  publishVersion(out, {
    version,
    programs: new Map([[LINUX, path.join(top, `program ${version}`)]]),
    notes: NOTES,
    schema: null,
    readsBack: 1,
    stable: true,
    now: NOW,
    signer,
    trusted,
    onFile: () => undefined,
    ...change,
  })

const does = (action: ChannelAction) => applyChannelAction(out, action, { signer, trusted, now: NOW })

function channel(): Channel {
  const opened = openChannel(readFileSync(path.join(out, CHANNEL_FILE)), trusted, { seen: 0, now: NOW })
  if ('refusal' in opened) throw new Error(opened.refusal)
  return opened.channel
}

function manifest(version: string): UpdateManifest {
  const hash = channel().releases.find((release) => release.version === version)?.manifest ?? ''
  const opened = openManifest(readFileSync(path.join(out, manifestPlace(hash))), trusted, hash)
  if ('refusal' in opened) throw new Error(opened.refusal)
  return opened.manifest
}

test('files of a version are stored under their hashes, and files that versions share are stored once', async () => {
  program('1.4.0')
  chmodSync(path.join(top, 'program 1.4.0', 'app/backend/main.js'), 0o755)
  symlinkSync('backend/main.js', path.join(top, 'program 1.4.0', 'app', 'start.js'))
  writeFileSync(path.join(top, 'program 1.4.0', 'program.signed'), 'its own manifest')
  expect(await put('1.4.0')).toMatchObject({ kind: 'published', files: 4, fresh: 4 })
  const { programs, ...facts } = manifest('1.4.0')
  expect(facts).toMatchObject({ schema: 1, readsBack: 1, notes: NOTES, releasedAt: NOW.toISOString() })
  expect(programs).toHaveLength(1)
  expect(programs[0]?.links).toEqual([{ path: 'app/start.js', to: 'app/backend/main.js' }])
  for (const file of programs[0]?.files ?? []) {
    const bytes = gunzipSync(readFileSync(path.join(out, filePlace(file.sha256))))
    expect(sha256(bytes)).toBe(file.sha256)
    expect(bytes).toEqual(readFileSync(path.join(top, 'program 1.4.0', file.path)))
    expect(file.executable).toBe(file.path === 'app/backend/main.js')
  }
  program('1.5.0')
  expect(await put('1.5.0')).toMatchObject({ files: 4, fresh: 2 })
})

test('no lane gets a version before its first wave; the first version of a folder must be stable', async () => {
  program('1.4.0')
  await expect(put('1.4.0', { stable: false })).rejects.toMatchObject({ code: 'first-stable' })
  await put('1.4.0')
  program('1.5.0')
  await put('1.5.0')
  expect(channel()).toMatchObject({
    stable: '1.4.0',
    releases: [
      { version: '1.4.0', wavePercent: 100, halted: false },
      { version: '1.5.0', wavePercent: 0, halted: false },
    ],
  })
})

test('a channel change increases the sequence number, a renewal the expiry; halted versions get no wave', async () => {
  program('1.4.0')
  const { sequence } = (await put('1.4.0')).channel
  program('1.5.0')
  await put('1.5.0')
  does({ kind: 'wave', version: '1.5.0', percent: 12.5 })
  expect(channel()).toMatchObject({ sequence: sequence + 2, releases: [{}, { wavePercent: 12.5 }] })
  does({ kind: 'halt', version: '1.5.0' })
  expect(() => does({ kind: 'wave', version: '1.5.0', percent: 50 })).toThrow('version-halted')
  expect(() => does({ kind: 'stable', version: '1.5.0' })).toThrow('version-halted')
  expect(does({ kind: 'halt', version: '1.5.0' }).unchanged).toBe(true)
  expect(channel().sequence).toBe(sequence + 3)
  does({ kind: 'resume', version: '1.5.0' })
  does({ kind: 'stable', version: '1.5.0' })
  expect(channel()).toMatchObject({ stable: '1.5.0', releases: [{}, { wavePercent: 100, halted: false }] })
  const later = new Date('2027-01-01T00:00:00Z')
  applyChannelAction(out, { kind: 'renew' }, { signer, trusted, now: later })
  expect(new Date(channel().expiresAt).getTime()).toBeGreaterThan(later.getTime())
  expect(() => does({ kind: 'wave', version: '1.6.0', percent: 1 })).toThrow('version-unknown')
})

test('a published version is immutable: publishing it again changes nothing, other content is rejected', async () => {
  program('1.4.0')
  await put('1.4.0')
  const before = readdirSync(out, { recursive: true, encoding: 'utf8' }).toSorted()
  const bytes = readFileSync(path.join(out, CHANNEL_FILE))
  expect(await put('1.4.0', { now: new Date('2026-11-26T12:00:00Z') })).toMatchObject({ kind: 'there-already' })
  await expect(put('1.4.0', { notes: { ...NOTES, 'en-CA': 'Other.' } })).rejects.toMatchObject({
    code: 'version-taken',
  })
  expect(readdirSync(out, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(before)
  program('1.4.0', { 'app/backend/main.js': 'another program\n' })
  await expect(put('1.4.0')).rejects.toMatchObject({ code: 'version-taken' })
  expect(readdirSync(out, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(before)
  expect(readFileSync(path.join(out, CHANNEL_FILE))).toEqual(bytes)
})

test('an invalid program is rejected with a reason before any of its files is published', async () => {
  const refused = async (files: Readonly<Record<string, string>>, change: Partial<VersionToPublish> = {}) => {
    const folder = writeProgram(path.join(mkdtempSync(path.join(top, 'p-')), 'x'), '1.4.0', files)
    return await put('1.4.0', { programs: new Map([[LINUX, folder]]), ...change }).then(
      () => 'taken',
      (error: unknown) => error,
    )
  }
  expect(await refused({ 'a:b.js': '' })).toMatchObject({ code: 'bad-path', facts: { file: 'a:b.js' } })
  expect(await refused({ 'con.js': '' })).toMatchObject({ code: 'bad-path' })
  expect(await refused({}, { version: '1.4.1' })).toMatchObject({ code: 'other-version', facts: { found: '1.4.0' } })
  expect(await refused({}, { schema: 7 })).toMatchObject({ code: 'schemas-differ' })
  expect(await refused({}, { readsBack: 2 })).toMatchObject({ code: 'reads-back' })
  const folder = program('1.4.0')
  symlinkSync('/etc/passwd', path.join(folder, 'app', 'outside'))
  await expect(put('1.4.0')).rejects.toMatchObject({ code: 'bad-link' })
  rmSync(path.join(folder, 'app', 'outside'))
  expect(spawnSync('mkfifo', [path.join(folder, 'app', 'pipe')]).status).toBe(0)
  await expect(put('1.4.0')).rejects.toMatchObject({ code: 'odd-file' })
  await expect(put('1.4.0', { programs: new Map([[LINUX, path.join(top, 'none')]]) })).rejects.toMatchObject({
    code: 'program-missing',
  })
  expect(readdirSync(top)).not.toContain('out')
})

test('publishing a version is refused if a file that it shares with a published version was modified', async () => {
  program('1.4.0')
  await put('1.4.0')
  const shared = manifest('1.4.0').programs[0]?.files.find(({ path: at }) => at === 'app/shared/the same in all.js')
  const place = path.join(out, filePlace(shared?.sha256 ?? ''))
  const bytes = readFileSync(place)
  for (const broken of [bytes.subarray(0, 20), Buffer.from('not compressed')]) {
    writeFileSync(place, broken)
    program('1.5.0')
    await expect(put('1.5.0')).rejects.toMatchObject({ code: 'file-changed' })
  }
})

test("a channel is signed again only if one of the installer's own keys has signed it", async () => {
  program('1.4.0')
  await put('1.4.0')
  const stranger = newSigner()
  const file = path.join(out, CHANNEL_FILE)
  const mine = readFileSync(file)
  const theirs = trustedIn(listOf(1, [stranger]))
  const action: ChannelAction = { kind: 'halt', version: '1.4.0' }
  expect(() => applyChannelAction(out, action, { signer: stranger, trusted: theirs, now: NOW })).toThrow(
    ReleaseFolderDistrusted,
  )
  const changed = Buffer.from(mine)
  changed[20] = (changed[20] ?? 0) ^ 1
  writeFileSync(file, changed)
  expect(() => does(action)).toThrow('changed')
})

test('one of two concurrent changes of an update channel is rejected; an abandoned lock blocks no change', async () => {
  program('1.4.0')
  await put('1.4.0')
  const lock = path.join(out, '.channel.lock')
  changeChannel(out, {
    signer,
    trusted,
    now: NOW,
    to: () => {
      expect(() => does({ kind: 'renew' })).toThrow(ReleaseFolderBusy)
      return null
    },
  })
  writeFileSync(lock, '')
  expect(() => does({ kind: 'renew' })).toThrow(ReleaseFolderBusy)
  const past = new Date(Date.now() - 120_000)
  utimesSync(lock, past, past)
  expect(does({ kind: 'renew' }).unchanged).toBe(false)
  expect(readdirSync(out)).not.toContain('.channel.lock')
})
