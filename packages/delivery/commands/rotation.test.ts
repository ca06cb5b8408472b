import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { packBundle } from '../bundle.ts'
import { newSigner, parts } from '../testing/parts.ts'
import type { Signer } from '../keys.ts'
import { sealTrust } from '../trust.ts'
import { laneProfile, shelfOf, type LaneProfile } from '../../supervisor/lane-profile.ts'
import { bundle as bundleCommand } from '../../supervisor/launcher/commands.ts'
import { laneOf } from '../../supervisor/launcher/program.ts'
import { wordsOf } from '../../supervisor/launcher/words.ts'
import { openKeyring, type Keyring } from './keyring.ts'

/*
 * The replacement of a key as docs/install.md describes it: `keys new`, a bundle to every lane, `keys revoke`; over
 * lanes whose package was made before it.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url))
let folder: string
let sequence: number
const at = (...names: string[]): string => path.join(folder, ...names)
const keyring = (): Keyring => openKeyring(at('keys'), root, null)

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-rotation-'))
  sequence = 0
  const spies = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) => spy.mockImplementation(() => {}))
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    rmSync(folder, { recursive: true, force: true })
  })
})

/** What `npm run milepost bundle` makes with the keys as they are now. */
function bundleBytes(profile: string, signer: Signer = keyring().signer()): Buffer {
  sequence += 1
  return packBundle({ ...parts({ sequence }, profile), trust: keyring().needed }, signer)
}
function bundleFile(profile: string, signer?: Signer): string {
  const file = at(`${profile}.bundle`)
  writeFileSync(file, bundleBytes(profile, signer))
  return file
}

/** The part of a package that is the store's own, made with the keys as they are now. */
function install(name: string, bytes = bundleBytes(`of package ${name}`)): void {
  mkdirSync(at(name, 'store'), { recursive: true })
  writeFileSync(at(name, 'store', 'trust.keys'), keyring().lists.at(-1) ?? '')
  writeFileSync(at(name, 'store', 'store.bundle'), bytes)
}

const programOf = (name: string) =>
  ({ folder: at(name, 'slots', 'a'), say: wordsOf('en-CA'), locale: 'en-CA', language: null, log: () => {} }) as const

/** A start of the installed package on a lane: what it sells by. Throws where it is refused. */
function start(packageName: string, lane: string): { readonly sells: string; readonly profile: LaneProfile } {
  const profile = laneProfile(laneOf(programOf(packageName), { lane: '01', data: at('data', lane) }))
  const sells = readFileSync(profile.file(), 'utf8')
  profile.onUp()
  return { sells, profile }
}
/** `milepost bundle put FILE`: its exit code. */
const put = (packageName: string, lane: string, file: string, ...more: string[]): Promise<number> =>
  bundleCommand(['put', file, '--lane', '01', '--data', at('data', lane), ...more], programOf(packageName))

/** A lane installed with the first key's package, which has sold by it. */
function sellingLane(lane: string) {
  return start('old', lane)
}

async function rotated() {
  const first = keyring().add('first')
  install('old')
  const lanes = { running: sellingLane('running'), stopped: sellingLane('stopped'), late: sellingLane('late') }
  const oldKey = keyring().signer()
  keyring().add('second')
  const news = bundleFile('with the news')
  for (const lane of ['running', 'stopped']) expect(await put('old', lane, news)).toBe(0)
  keyring().revoke(first, 'stolen')
  return { ...lanes, oldKey }
}

test('a running and a stopped lane that got the bundle start again after the old key was revoked', async () => {
  const { running } = await rotated()
  expect(readFileSync(running.profile.file(), 'utf8')).toBe('with the news')
  expect(start('old', 'running').sells).toBe('with the news')
  expect(start('old', 'stopped').sells).toBe('with the news')
  // The first bundle by the new key brings the revocation: the package's own bundle counts no more.
  const next = bundleFile('by the new key')
  for (const lane of ['running', 'stopped']) {
    expect(await put('old', lane, next)).toBe(0)
    for (let times = 0; times < 3; times += 1) expect(start('old', lane).sells).toBe('by the new key')
  }
})

test('a lane that was off during both steps starts, and takes the new keys with --trust', async () => {
  await rotated()
  expect(start('old', 'late').sells).toBe('of package old')
  const next = bundleFile('by the new key')
  expect(await put('old', 'late', next)).toBe(1)
  expect(start('old', 'late').sells).toBe('of package old')
  expect(await put('old', 'late', next, '--trust', at('keys', 'trust'))).toBe(0)
  expect(start('old', 'late').sells).toBe('by the new key')
  expect(start('old', 'late').sells).toBe('by the new key')
})

test('a lane whose bundle in force is the one that the revoked key signed goes on selling by it', async () => {
  await rotated()
  const shelf = shelfOf(at('data', 'late'), at('old', 'store', 'trust.keys'))
  shelf?.learn(keyring().lists)
  expect(start('old', 'late').sells).toBe('of package old')
})

test('undo does not go back to a bundle of the revoked key, also where one between was never sold by', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  await rotated()
  const undo = (lane: string): Promise<number> =>
    bundleCommand(['undo', '--lane', '01', '--data', at('data', lane)], programOf('old'))
  start('old', 'running')
  const next = bundleFile('by the new key')
  // The stopped lane did not start between the two bundles.
  for (const lane of ['running', 'stopped']) {
    expect(await put('old', lane, next)).toBe(0)
    start('old', lane)
    expect(await undo(lane)).toBe(1)
    expect(String(said.mock.lastCall)).toMatch(/The key of bundle \d+ was revoked/)
    expect(start('old', lane).sells).toBe('by the new key')
  }
})

test('a bundle that waits is listed and called back by its number', async () => {
  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  keyring().add('first')
  install('old')
  sellingLane('running')
  const order = (...words: string[]): Promise<number> =>
    bundleCommand([...words, '--lane', '01', '--data', at('data', 'running')], programOf('old'))
  expect(await put('old', 'running', bundleFile('next'))).toBe(0)
  expect(await order('list')).toBe(0)
  expect(String(said.mock.lastCall)).toMatch(/^waits: bundle 2 /)
  expect(await order('cancel', '3')).toBe(1)
  expect(await order('cancel', '2')).toBe(0)
  expect(String(said.mock.lastCall)).toMatch(/^Bundle 2 .* waits no more/)
  expect(start('old', 'running').sells).toBe('of package old')
  await expect(order('cancel', 'two')).rejects.toThrow('too few or too many')
})

test('a new package starts a new lane, and an old lane in place of its old package', async () => {
  await rotated()
  install('new')
  expect(start('new', 'fresh').sells).toBe('of package new')
  expect(start('new', 'late').sells).toBe('of package new')
  expect(start('new', 'stopped').sells).toBe('of package new')
})

test('a new lane is started by the old package before it gets its first bundle of the new key', async () => {
  await rotated()
  const next = bundleFile('by the new key')
  expect(await put('old', 'fresh', next, '--trust', at('keys', 'trust'))).toBe(0)
  expect(start('old', 'fresh').sells).toBe('by the new key')
})

test('the revoked key signs nothing new for a lane that has heard of it, in whatever package it comes', async () => {
  const { oldKey } = await rotated()
  const next = bundleFile('by the new key')
  for (const lane of ['running', 'stopped']) {
    await put('old', lane, next)
    start('old', lane)
  }
  sequence += 1_000
  expect(await put('old', 'running', bundleFile('of the thief', oldKey))).toBe(1)
  install('thief', bundleBytes('of the thief', oldKey))
  // The thief's package brings along the list of trusted keys from before.
  writeFileSync(at('thief', 'store', 'trust.keys'), readFileSync(at('keys', 'trust', '000001.keys')))
  expect(start('thief', 'stopped').sells).toBe('by the new key')
})

test('a package that is older than the bundle in force never regains force', async () => {
  await rotated()
  install('new')
  for (const lane of ['stopped', 'late']) {
    start('new', lane)
    expect(start('old', lane).sells).toBe('of package new')
  }
})

test('without any other bundle, a package whose key was revoked starts no lane and says what to do', async () => {
  await rotated()
  shelfOf(at('data', 'fresh'), at('old', 'store', 'trust.keys'))?.learn(keyring().lists)
  expect(() => start('old', 'fresh')).toThrow(/key-revoked.*milepost bundle put/)
})

test('a list that only a stranger has signed is not believed in the place of a newer one', async () => {
  await rotated()
  const thief = newSigner()
  const { trust } = keyring()
  const forged = sealTrust(
    { format: 1, version: 99, keys: [{ ...thief.publicKey, name: 'thief' }], revoked: trust?.revoked ?? [] },
    thief,
  )
  writeFileSync(at('forged.keys'), forged)
  const file = bundleFile('of the thief', thief)
  expect(await put('old', 'running', file, '--trust', at('forged.keys'))).toBe(1)
})
