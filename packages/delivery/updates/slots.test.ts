import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TrustList } from '../trust.ts'
import { listOf, newSigner } from '../testing/bundle-content.ts'
import { installProgram, programOf } from '../testing/release-folder.ts'
import { updateManifest } from '../testing/updates.ts'
import { sealManifest } from './formats.ts'
import { writeUpdateInstruction, readUpdateInstruction } from './get.ts'
import { placeOf, platformIn } from './program-files.ts'
import { openSlots, type Slots } from './slots.ts'

const signer = newSigner()
const AT = '2026-11-26T12:00:00.000Z'
let root: string
let slots: Slots
let trust: TrustList

function install(folder: string, version: string): void {
  const files = { 'launcher/main.js': `main of ${version}` }
  mkdirSync(folder, { recursive: true })
  installProgram(folder, files, sealManifest(updateManifest({ version, programs: [programOf(files)] }), signer))
}

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'milepost-slots-'))
  trust = listOf(1, [signer])
  slots = openSlots({ root, platform: 'linux-x64-browser', trust: () => trust, now: () => new Date(AT) })
  install(slots.folderOf('a'), '1.0.0')
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

function fetched(version = '1.1.0'): void {
  install(slots.stagingOf(slots.state().good === 'a' ? 'b' : 'a'), version)
  slots.fetched(version)
}
const request = (kind: 'now' | 'back'): void => writeUpdateInstruction(slots.folder, { kind, at: AT })
const decide = (own: 'a' | 'b' = 'a') => slots.decideStart(own, 1)
const TRY = { kind: 'try', slot: 'b', version: '1.1.0' }
const SELF = { kind: 'self', rolledBack: null }

async function updated(): Promise<void> {
  fetched()
  slots.arm(true)
  await decide()
  slots.confirm('b')
}

test('a downloaded version is tried after the lane was closed, or earlier if an installer requests it', async () => {
  fetched()
  expect(await decide()).toEqual(SELF)
  slots.arm(true)
  expect(await decide()).toEqual(TRY)
  expect(slots.state().trial).toMatchObject({ slot: 'b', from: '1.0.0', starts: 1, schemaBefore: 1 })
  slots.confirm('b')
  fetched('1.2.0')
  writeUpdateInstruction(slots.folder, { kind: 'now', at: AT })
  expect(await decide('b')).toEqual({ kind: 'try', slot: 'a', version: '1.2.0' })
  expect(readUpdateInstruction(slots.folder)).toBeNull()
})

test('a version on trial becomes the good one when it is confirmed, and is reported once', async () => {
  await updated()
  expect(slots.state()).toMatchObject({
    good: 'b',
    trial: null,
    before: { version: '1.0.0' },
    outcomes: [{ version: '1.1.0', from: '1.0.0', outcome: 'running', why: null }],
  })
  expect(await decide('b')).toEqual(SELF)
  expect(slots.confirm('b')).toBe(false)
  slots.reported(slots.state().outcomes)
  expect(slots.state().outcomes).toEqual([])
})

test('after three failed tries of a version, the good version continues and the tried one is refused', async () => {
  fetched()
  slots.arm(true)
  expect([await decide(), await decide('b'), await decide(), await decide()]).toEqual([TRY, SELF, TRY, TRY])
  slots.noteFailure('hung')
  expect(await decide()).toEqual({ kind: 'self', rolledBack: { version: '1.1.0', why: 'hung' } })
  expect(slots.state()).toMatchObject({
    good: 'a',
    trial: null,
    refused: [{ version: '1.1.0', why: 'hung' }],
    outcomes: [{ version: '1.1.0', from: '1.0.0', outcome: 'went-back', why: 'hung' }],
  })
  expect(await decide()).toEqual(SELF)
  slots.clear()
  expect(existsSync(slots.folderOf('b'))).toBe(false)
})

test('a version on trial that is closed normally after each start stays on trial', async () => {
  fetched()
  slots.arm(true)
  await decide()
  slots.noteReady('b')
  slots.forgetTry({ byItself: false })
  for (let tries = 0; tries < 10; tries += 1) {
    expect(await decide()).toEqual(TRY)
    slots.forgetTry({ byItself: false })
  }
})

test('a version whose window closes by itself at every start is given up after six starts', async () => {
  fetched()
  slots.arm(true)
  for (let starts = 0; starts < 6; starts += 1) {
    expect(await decide()).toEqual(TRY)
    slots.forgetTry({ byItself: true })
  }
  expect(await decide()).toEqual({ kind: 'self', rolledBack: { version: '1.1.0', why: 'ended' } })
})

test('an instruction to hold updates is ignored if it was given under a clock that was years ahead', async () => {
  fetched()
  slots.arm(true)
  writeUpdateInstruction(slots.folder, {
    kind: 'hold',
    at: '2031-01-01T00:00:00Z',
    by: 'sam',
    until: '2031-01-08T00:00:00Z',
  })
  expect(await decide()).toEqual(TRY)
})

test('going back is tried like a new version: if the old version does not start, nothing changes', async () => {
  await updated()
  request('back')
  const back = { kind: 'try', slot: 'a', version: '1.0.0' }
  expect(await decide('b')).toEqual(back)
  expect([await decide('b'), await decide('b')]).toEqual([back, back])
  expect(await decide('b')).toMatchObject({ kind: 'self', rolledBack: { version: '1.0.0' } })
  expect(slots.state().good).toBe('b')
})

test('after going back, the lane runs the previous version and refuses the newer one', async () => {
  await updated()
  request('back')
  await decide('b')
  expect(slots.confirm('a')).toBe(true)
  expect(slots.state()).toMatchObject({
    good: 'a',
    before: null,
    refused: [{ version: '1.1.0', why: 'asked' }],
    last: { version: '1.1.0', from: '1.0.0', outcome: 'went-back', why: 'asked' },
  })
  request('back')
  expect(await decide('a')).toEqual(SELF)
  expect(readUpdateInstruction(slots.folder)).toBeNull()
})

test('after an interruption between the two renames of a slot swap, the next start completes the swap', async () => {
  fetched()
  slots.arm(true)
  install(slots.folderOf('b'), '0.9.0')
  renameSync(slots.folderOf('b'), path.join(slots.folder, 'b.old'))
  expect(await decide()).toEqual(TRY)
  expect(slots.versionIn('b')).toBe('1.1.0')
  slots.confirm('b')
  slots.clear()
  expect(existsSync(path.join(slots.folder, 'b.old'))).toBe(false)
})

test('if a start is interrupted after the swap of slots, the next start still tries the version', async () => {
  fetched()
  slots.arm(true)
  renameSync(slots.stagingOf('b'), slots.folderOf('b'))
  slots.clear()
  expect(await decide()).toEqual(TRY)
})

test('a version that was modified after its download, or whose key was revoked, is not started', async () => {
  fetched()
  slots.arm(true)
  writeFileSync(path.join(slots.stagingOf('b'), 'launcher', 'main.js'), 'main of 1.1.1')
  expect(await decide()).toEqual(SELF)
  expect(slots.state()).toMatchObject({ pending: null, refused: [] })
  fetched()
  slots.arm(true)
  trust = listOf(2, [newSigner()], [signer])
  expect(await decide()).toEqual(SELF)
  expect(slots.versionIn('a')).toBe('1.0.0')
})

test('if the state of the slots is damaged or missing, the existing program starts', async () => {
  writeFileSync(path.join(slots.folder, 'state.json'), '{"good":"b"')
  expect(await decide()).toEqual(SELF)
  expect(slots.state().good).toBe('a')
  renameSync(slots.folderOf('a'), slots.folderOf('b'))
  expect(slots.state().good).toBe('b')
})

test('a damaged state of the slots during a trial does not make the trial version good', async () => {
  await updated()
  fetched('1.2.0')
  slots.arm(true)
  expect(await decide('b')).toEqual({ kind: 'try', slot: 'a', version: '1.2.0' })
  const before = slots.state()
  for (const content of ['', '{"format":1,"good":"a"']) {
    writeFileSync(path.join(slots.folder, 'state.json'), content)
    expect(slots.state()).toEqual(before)
  }
  rmSync(path.join(slots.folder, 'state.json'))
  slots.giveUp('ended')
  expect(slots.state()).toMatchObject({ good: 'b', trial: null })
})

test('the state of the slots can have fewer fields from a new package, and more from a newer program', async () => {
  const file = path.join(slots.folder, 'state.json')
  writeFileSync(file, '{"format":1,"good":"a","trial":null,"refused":[],"sequence":0}\n')
  expect(slots.state()).toMatchObject({ good: 'a', pending: null, outcomes: [] })
  const at = '2026-11-26T12:00:00Z'
  const refused = [{ version: '1.1.0', why: 'of-tomorrow', at, more: 1 }]
  writeFileSync(file, JSON.stringify({ format: 1, good: 'b', trial: null, refused, sequence: 7, of: 'tomorrow' }))
  expect(slots.state()).toMatchObject({ good: 'b', sequence: 7, refused: [{ version: '1.1.0', why: 'ended' }] })
})

test('the state of the slots contains the good slot on a single line, which a script can read', () => {
  slots.seen(3)
  expect(readFileSync(path.join(slots.folder, 'state.json'), 'utf8')).toMatch(/^\{"format":1,"good":"a",.*\}\n$/)
})

test('a program finds its slot from its own path', () => {
  expect(placeOf('/opt/milepost/slots/b/resources/app.asar/backend')).toEqual({ root: '/opt/milepost', slot: 'b' })
  expect(placeOf('/opt/milepost/slots/b.new/backend')).toBeNull()
  expect(placeOf('/home/somebody/milepost/backend')).toBeNull()
})

test('the platform of the program in a slot is detected from its files', () => {
  const platformWith = (...files: string[]): string | null => {
    const folder = mkdtempSync(path.join(root, 'program-'))
    for (const file of files) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      writeFileSync(path.join(folder, file), '')
    }
    return platformIn(folder)
  }
  expect(platformWith('launcher/main.js', 'bin/node')).toBe('linux-x64-browser')
  expect(platformWith('milepost', 'resources/app.asar')).toBe('linux-x64')
  expect(platformWith('Milepost.exe', 'resources/app.asar')).toBe('win-x64')
  expect(platformWith('Milepost.app/Contents/MacOS/Milepost')).toMatch(/^mac-/)
  expect(platformWith('backend/main.js')).toBeNull()
})

test("a failed return to the previous version is not reported, because it would halt that version's wave", async () => {
  await updated()
  slots.reported(slots.state().outcomes)
  request('back')
  for (let tries = 0; tries < 4; tries += 1) await decide('b')
  expect(slots.state()).toMatchObject({ good: 'b', trial: null, last: { version: '1.0.0', outcome: 'went-back' } })
  expect(slots.state().outcomes).toEqual([])
})

test('an instruction to try a version ends when the version is dropped, and applies to no later one', async () => {
  fetched()
  request('now')
  slots.dropPending()
  fetched('1.2.0')
  expect(await decide()).toEqual(SELF)
  expect(readUpdateInstruction(slots.folder)).toBeNull()
})
