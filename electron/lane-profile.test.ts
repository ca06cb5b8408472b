import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { packBundle } from '../delivery/bundle.ts'
import { openShelf } from '../delivery/shelf.ts'
import { listOf, newSigner, parts } from '../delivery/testing/parts.ts'
import { sealTrust } from '../delivery/trust.ts'
import { laneProfile, type LaneProfileOptions } from './lane-profile.ts'

const signer = newSigner()
const trust = listOf(1, [signer])
let folder: string
let lines: string[]

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  lines = []
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  writeFileSync(path.join(folder, 'trust.keys'), sealTrust(trust, signer))
  writeFileSync(path.join(folder, 'profile.yaml'), 'of the package')
})

const options = (change: Partial<LaneProfileOptions> = {}): LaneProfileOptions => ({
  dataFolder: path.join(folder, 'data'),
  lane: '01',
  outline: { mode: 'training', storeId: '1001', lanes: ['01'] },
  profileFile: path.join(folder, 'profile.yaml'),
  trustFile: path.join(folder, 'trust.keys'),
  now: () => new Date('2026-11-25T15:00:00Z'),
  log: (line) => lines.push(line),
  ...change,
})

function bundle(sequence: number, profile: string, store = '1001'): string {
  const file = path.join(folder, `${sequence}.bundle`)
  writeFileSync(file, packBundle(parts({ sequence, store: { id: store, name: 'Store' } }, profile), signer))
  return file
}
const read = (at: string): string => readFileSync(at, 'utf8')

test('without keys, and without a bundle, a lane sells by the profile that it was given', () => {
  expect(read(laneProfile(options({ trustFile: path.join(folder, 'none') }))())).toBe('of the package')
  expect(read(laneProfile(options())())).toBe('of the package')
  expect(existsSync(path.join(folder, 'data'))).toBe(false)
})

test('the bundle of the package is sold by, and gives way to a newer one that was put on the lane', () => {
  const packaged = options({ bundleFile: bundle(1, 'of the bundle') })
  const profile = laneProfile(packaged)
  expect(read(profile())).toBe('of the bundle')
  expect(lines).toHaveLength(1)
  openShelf(packaged.dataFolder, trust).put(bundle(2, 'newer'), null, packaged.now())
  expect(read(profile())).toBe('newer')
  expect(lines).toHaveLength(2)
  // The next start of the same package, whose bundle is older by now.
  expect(read(laneProfile(packaged)())).toBe('newer')
})

test('a package with the bundle of another store does not start', () => {
  expect(() => laneProfile(options({ bundleFile: bundle(1, 'x', '1002') }))).toThrow('other-store')
})

test('a bundle that came to the folder before anybody knew whose it is must be of this lane', () => {
  const { dataFolder, now } = options()
  openShelf(dataFolder, trust).put(bundle(1, 'x', '1002'), null, now())
  expect(() => laneProfile(options())()).toThrow('is of store 1002')
  expect(() =>
    laneProfile(options({ lane: '07', outline: { mode: 'training', storeId: '1002', lanes: ['07'] } }))(),
  ).toThrow('this is lane 07')
})

test('a changed bundle stops a start in words; a backend that is started again goes on', () => {
  const packaged = options({ bundleFile: bundle(1, 'of the bundle') })
  const profile = laneProfile(packaged)
  const sold = path.join(path.dirname(path.dirname(profile())), 'bundle')
  const bytes = readFileSync(sold)
  bytes[50] = (bytes[50] ?? 0) ^ 1
  writeFileSync(sold, bytes)
  expect(read(profile())).toBe('of the bundle')
  expect(lines.at(-1)).toContain('was changed or is damaged')
  expect(() => laneProfile(options())()).toThrow('was changed or is damaged')
})

test('a list of keys that is none stops the start', () => {
  writeFileSync(path.join(folder, 'trust.keys'), 'no list')
  expect(() => laneProfile(options())).toThrow('no list of trusted keys')
})
