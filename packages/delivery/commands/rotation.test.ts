import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { packBundle } from '../bundle.ts'
import { newSigner, bundleContent } from '../testing/bundle-content.ts'
import type { Signer } from '../keys.ts'
import { sealTrust } from '../trust.ts'
import { laneProfile, bundleStoreOf, type LaneProfile } from '../../supervisor/lane-profile.ts'
import { bundle as bundleCommand } from '../../supervisor/launcher/commands.ts'
import { laneOf } from '../../supervisor/launcher/program.ts'
import { launcherTranslator } from '../../supervisor/launcher/translators.ts'
import { openKeyring, type Keyring } from './keyring.ts'

/**
 * Tests the replacement of a signing key as described in docs/install.md: `keys new`, a bundle to every lane, `keys
 * revoke`; with lanes whose package is older.
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

function bundleBytes(profile: string, signer: Signer = keyring().signer()): Buffer {
  sequence += 1
  return packBundle({ ...bundleContent({ sequence }, profile), trust: keyring().needed }, signer)
}
function bundleFile(profile: string, signer?: Signer): string {
  const file = at(`${profile}.bundle`)
  writeFileSync(file, bundleBytes(profile, signer))
  return file
}

function install(name: string, bytes = bundleBytes(`of package ${name}`)): void {
  mkdirSync(at(name, 'store'), { recursive: true })
  writeFileSync(at(name, 'store', 'trust.keys'), keyring().lists.at(-1) ?? '')
  writeFileSync(at(name, 'store', 'store.bundle'), bytes)
}

const programOf = (name: string) =>
  ({
    folder: at(name, 'slots', 'a'),
    translate: launcherTranslator('en-CA'),
    locale: 'en-CA',
    language: null,
    log: () => {},
  }) as const

function start(packageName: string, lane: string): { readonly active: string; readonly profile: LaneProfile } {
  const profile = laneProfile(laneOf(programOf(packageName), { lane: '01', data: at('data', lane) }))
  const active = readFileSync(profile.file(), 'utf8')
  profile.onUp()
  return { active, profile }
}
const put = (packageName: string, lane: string, file: string, ...more: string[]): Promise<number> =>
  bundleCommand(['put', file, '--lane', '01', '--data', at('data', lane), ...more], programOf(packageName))

function sellingLane(lane: string) {
  return start('old', lane)
}

async function rotated() {
  const first = keyring().add('first')
  install('old')
  const lanes = { running: sellingLane('running'), stopped: sellingLane('stopped'), late: sellingLane('late') }
  const oldKey = keyring().signer()
  keyring().add('second')
  const revocation = bundleFile('with the news')
  for (const lane of ['running', 'stopped']) expect(await put('old', lane, revocation)).toBe(0)
  keyring().revoke(first, 'stolen')
  return { ...lanes, oldKey }
}

test('a lane that got the bundle with the new key restarts after the old key was revoked', async () => {
  const { running } = await rotated()
  expect(readFileSync(running.profile.file(), 'utf8')).toBe('with the news')
  expect(start('old', 'running').active).toBe('with the news')
  expect(start('old', 'stopped').active).toBe('with the news')
  const next = bundleFile('by the new key')
  for (const lane of ['running', 'stopped']) {
    expect(await put('old', lane, next)).toBe(0)
    for (let times = 0; times < 3; times += 1) expect(start('old', lane).active).toBe('by the new key')
  }
})

test('a lane that was off while its key was replaced starts, and accepts the new keys with --trust', async () => {
  await rotated()
  expect(start('old', 'late').active).toBe('of package old')
  const next = bundleFile('by the new key')
  expect(await put('old', 'late', next)).toBe(1)
  expect(start('old', 'late').active).toBe('of package old')
  expect(await put('old', 'late', next, '--trust', at('keys', 'trust'))).toBe(0)
  expect(start('old', 'late').active).toBe('by the new key')
  expect(start('old', 'late').active).toBe('by the new key')
})

test("a lane continues with its active bundle after the bundle's key was revoked", async () => {
  await rotated()
  const bundleStore = bundleStoreOf(at('data', 'late'), at('old', 'store', 'trust.keys'))
  bundleStore?.addTrustLists(keyring().lists)
  expect(start('old', 'late').active).toBe('of package old')
})

test('undo does not restore a bundle of a revoked key, even if a bundle in between was never active', async () => {
  const output = vi.spyOn(console, 'error').mockImplementation(() => {})
  await rotated()
  const undo = (lane: string): Promise<number> =>
    bundleCommand(['undo', '--lane', '01', '--data', at('data', lane)], programOf('old'))
  start('old', 'running')
  const next = bundleFile('by the new key')
  for (const lane of ['running', 'stopped']) {
    expect(await put('old', lane, next)).toBe(0)
    start('old', lane)
    expect(await undo(lane)).toBe(1)
    expect(String(output.mock.lastCall)).toMatch(/The key of bundle \d+ was revoked/)
    expect(start('old', lane).active).toBe('by the new key')
  }
})

test('a waiting bundle is listed and can be cancelled by its number', async () => {
  const output = vi.spyOn(console, 'log').mockImplementation(() => {})
  keyring().add('first')
  install('old')
  sellingLane('running')
  const run = (...args: string[]): Promise<number> =>
    bundleCommand([...args, '--lane', '01', '--data', at('data', 'running')], programOf('old'))
  expect(await put('old', 'running', bundleFile('next'))).toBe(0)
  expect(await run('list')).toBe(0)
  expect(String(output.mock.lastCall)).toMatch(/^waiting: bundle 2 /)
  expect(await run('cancel', '3')).toBe(1)
  expect(await run('cancel', '2')).toBe(0)
  expect(String(output.mock.lastCall)).toMatch(/^Bundle 2 .*was cancelled/)
  expect(start('old', 'running').active).toBe('of package old')
  await expect(run('cancel', 'two')).rejects.toThrow('too few or too many')
})

test('a package made after a key change starts a new lane and the lanes of the old package', async () => {
  await rotated()
  install('new')
  expect(start('new', 'fresh').active).toBe('of package new')
  expect(start('new', 'late').active).toBe('of package new')
  expect(start('new', 'stopped').active).toBe('of package new')
})

test('the old package starts a new lane once the lane has its first bundle by the new key', async () => {
  await rotated()
  const next = bundleFile('by the new key')
  expect(await put('old', 'fresh', next, '--trust', at('keys', 'trust'))).toBe(0)
  expect(start('old', 'fresh').active).toBe('by the new key')
})

test('a lane that knows a revocation accepts nothing new signed by the revoked key, in any package', async () => {
  const { oldKey } = await rotated()
  const next = bundleFile('by the new key')
  for (const lane of ['running', 'stopped']) {
    await put('old', lane, next)
    start('old', lane)
  }
  sequence += 1_000
  expect(await put('old', 'running', bundleFile('of the thief', oldKey))).toBe(1)
  install('thief', bundleBytes('of the thief', oldKey))
  writeFileSync(at('thief', 'store', 'trust.keys'), readFileSync(at('keys', 'trust', '000001.keys')))
  expect(start('thief', 'stopped').active).toBe('by the new key')
})

test('the bundle of an older package never replaces a newer active bundle', async () => {
  await rotated()
  install('new')
  for (const lane of ['stopped', 'late']) {
    start('new', lane)
    expect(start('old', lane).active).toBe('of package new')
  }
})

test('a package with a revoked key does not start if it has no other bundle, and reports the remedy', async () => {
  await rotated()
  bundleStoreOf(at('data', 'fresh'), at('old', 'store', 'trust.keys'))?.addTrustLists(keyring().lists)
  expect(() => start('old', 'fresh')).toThrow(/key-revoked.*milepost bundle put/)
})

test('a lane rejects a key list signed by an unknown key, even with a higher version', async () => {
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
