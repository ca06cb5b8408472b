import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { storeClockAhead } from '../delivery/stored-bundles.ts'
import FRENCH from '../../contracts/i18n/fr-CA/starting.ts'
import { packBundle } from '../delivery/bundle.ts'
import { openBundleStore } from '../delivery/bundle-store.ts'
import { listOf, newSigner, bundleContent } from '../delivery/testing/bundle-content.ts'
import { sealTrust } from '../delivery/trust.ts'
import { laneProfile, type LaneProfileOptions } from './lane-profile.ts'
import { ServiceFailure } from './supervise.ts'

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
  writeFileSync(file, packBundle(bundleContent({ sequence, store: { id: store, name: 'Store' } }, profile), signer))
  return file
}
const read = (at: string): string => readFileSync(at, 'utf8')

test('a lane without trusted keys or without a bundle uses the given profile', () => {
  expect(read(laneProfile(options({ trustFile: path.join(folder, 'none') })).file())).toBe('of the package')
  expect(read(laneProfile(options()).file())).toBe('of the package')
  expect(existsSync(path.join(folder, 'data'))).toBe(false)
})

test('a lane uses the bundle of its package until a newer one is stored on the lane', () => {
  const packaged = options({ bundleFile: bundle(1, 'of the bundle') })
  const { file: profile } = laneProfile(packaged)
  expect(read(profile())).toBe('of the bundle')
  expect(lines).toHaveLength(1)
  openBundleStore(packaged.dataFolder, trust).put(bundle(2, 'newer'), null, packaged.now())
  expect(read(profile())).toBe('newer')
  expect(lines).toHaveLength(2)
  // At the second start, the bundle of the package is older than the stored one, and does not replace it.
  expect(read(laneProfile(packaged).file())).toBe('newer')
})

test('a lane refuses to start from a package with the bundle of another store', () => {
  expect(() => laneProfile(options({ bundleFile: bundle(1, 'x', '1002') })).file()).toThrow('other-store')
})

test('a lane does not start if its stored bundle is for another store or another lane', () => {
  const { dataFolder, now } = options()
  openBundleStore(dataFolder, trust).put(bundle(1, 'x', '1002'), null, now())
  expect(() => laneProfile(options()).file()).toThrow('is for store 1002')
  expect(() =>
    laneProfile(options({ lane: '07', outline: { mode: 'training', storeId: '1002', lanes: ['07'] } })).file(),
  ).toThrow('This is lane 07')
})

test('a modified bundle prevents a start of the lane, but a restarted backend keeps its profile with a message', () => {
  const packaged = options({ bundleFile: bundle(1, 'of the bundle') })
  const { file: profile } = laneProfile(packaged)
  const active = path.join(path.dirname(path.dirname(profile())), 'bundle')
  const bytes = readFileSync(active)
  bytes[50] = (bytes[50] ?? 0) ^ 1
  writeFileSync(active, bytes)
  expect(read(profile())).toBe('of the bundle')
  expect(lines.at(-1)).toContain('was changed or is damaged')
  expect(() => laneProfile(options()).file()).toThrow('was changed or is damaged')
})

test('an invalid list of trusted bundle keys stops the start of a lane', () => {
  writeFileSync(path.join(folder, 'trust.keys'), 'no list')
  expect(() => laneProfile(options())).toThrow('not a list of trusted keys')
})

describe('a bundle with which no backend starts', () => {
  const failure = (code: number, ...output: string[]) => new ServiceFailure('x', { code, signal: null }, output)
  function lane(change: Partial<LaneProfileOptions> = {}) {
    const at = options(change)
    const bundleStore = openBundleStore(at.dataFolder, trust)
    bundleStore.put(bundle(1, 'first'), null, at.now())
    const before = laneProfile(at)
    before.file()
    before.onUp()
    bundleStore.put(bundle(2, 'second'), null, at.now())
    return { at, shelf: bundleStore, profile: laneProfile(at) }
  }

  test('is replaced by the previous one with a message, also at the next start', () => {
    const { at, shelf: bundleStore, profile } = lane()
    const second = profile.file()
    expect(read(second)).toBe('second')
    expect(
      profile.otherAfter(failure(2, '{"level":30}', `${second}:3:1  limist: there is no such setting here.`)),
    ).toBe(true)
    expect(read(profile.file())).toBe('first')
    profile.onUp()
    expect(lines.join('\n')).toContain('Bundle 2 IS NOT ACTIVE')
    expect(lines.join('\n')).toContain('\nprofile.yaml:3:1  limist: there is no such setting here.')
    expect(bundleStore.list()).toMatchObject({ current: { sequence: 1 }, notice: { kind: 'refused', number: 2 } })
    expect(read(laneProfile(at).file())).toBe('first')
    // A refused bundle that is stored again is tried again, because another version of the program may run by then.
    expect(bundleStore.put(bundle(2, 'second'), null, at.now())).toMatchObject({ kind: 'put' })
    expect(read(profile.file())).toBe('second')
    profile.onUp()
    expect(bundleStore.list()).toMatchObject({ current: { sequence: 2 }, previous: { sequence: 1 }, notice: null })
  })

  test('is reported in the language of the lane, with the profile’s mistake and what to do', () => {
    const { at, shelf: bundleStore, profile } = lane({ messages: FRENCH })
    profile.otherAfter(failure(2, `${profile.file()}:3:1  limist`))
    profile.file()
    profile.onUp()
    expect(lines.slice(-2)).toEqual([
      'Cette caisse utilise l’ensemble de configuration 1.',
      'L’ensemble de configuration 2 N’EST PAS ACTIF : le terminal ne démarre pas avec lui. ' +
        'La caisse continue avec l’ensemble de configuration précédent.\n' +
        'profile.yaml:3:1  limist\n' +
        'Demandez à l’installateur un nouvel ensemble de configuration au profil corrigé.',
    ])
    bundleStore.put(bundle(3, 'third'), null, at.now())
    const file = path.join(at.dataFolder, 'bundles', 'order.json')
    const { id } = JSON.parse(readFileSync(file, 'utf8'))
    rmSync(path.join(at.dataFolder, 'bundles', id), { recursive: true })
    profile.file()
    expect(lines.at(-1)).toBe(
      'Un ensemble de configuration n’a pas été activé : ses fichiers sont absents ou ont été modifiés. ' +
        'Remettez-le sur la caisse.',
    )
  })

  test('stays if the previous bundle does not start either, because then the bundle is not the cause', () => {
    const { at, shelf: bundleStore, profile } = lane()
    profile.file()
    expect(profile.otherAfter(failure(2, 'No client secret on this lane.'))).toBe(true)
    expect(read(profile.file())).toBe('first')
    expect(profile.otherAfter(failure(2, 'No client secret on this lane.'))).toBe(false)
    expect(bundleStore.list()).toMatchObject({ current: { sequence: 2 }, notice: null })
    expect(read(laneProfile(at).file())).toBe('second')
  })

  test.each([3, 4, 10])('stays if the backend ends with exit code %i, which no profile fixes', (code) => {
    const { profile } = lane()
    profile.file()
    expect(profile.otherAfter(failure(code))).toBe(false)
  })

  test('stays after a crash if it was active before, but is replaced if the program rejects its profile', () => {
    const { profile } = lane()
    profile.file()
    profile.onUp()
    profile.file()
    expect(profile.otherAfter(failure(1))).toBe(false)
    profile.file()
    expect(profile.otherAfter(failure(2))).toBe(true)
    expect(read(profile.file())).toBe('first')
  })

  test('is replaced even if the result cannot be written to a full disk, and a running terminal continues', () => {
    const { at, profile } = lane()
    const second = profile.file()
    const blocker = path.join(at.dataFolder, 'bundles', `state.json.${process.pid}.new`)
    mkdirSync(blocker)
    profile.onUp()
    expect(lines.at(-1)).toContain('EISDIR')
    expect(profile.file()).toBe(second)
    expect(profile.otherAfter(failure(2))).toBe(true)
    profile.file()
    mkdirSync(blocker)
    profile.onUp()
    expect(lines.join('\n')).toContain('Bundle 2 IS NOT ACTIVE')
  })

  test('is replaced by the installed profile if it is the lane’s first, and is not stored again', () => {
    const packaged = options({ bundleFile: bundle(1, 'of the bundle') })
    const profile = laneProfile(packaged)
    expect(read(profile.file())).toBe('of the bundle')
    expect(profile.otherAfter(failure(1))).toBe(true)
    expect(read(profile.file())).toBe('of the package')
    profile.onUp()
    expect(read(laneProfile(packaged).file())).toBe('of the package')
  })
})

test('a bundle is not activated early if the lane’s clock was ahead at its last comparison', () => {
  const at = options()
  const bundleStore = openBundleStore(at.dataFolder, trust)
  bundleStore.put(bundle(1, 'first'), null, at.now())
  laneProfile(at).file()
  const file = path.join(folder, '2.bundle')
  writeFileSync(file, packBundle(bundleContent({ sequence: 2, activeFrom: '2026-11-25T14:00:00Z' }, 'second'), signer))
  bundleStore.put(file, null, at.now())
  storeClockAhead(at.dataFolder, 2 * 3_600_000)
  expect(read(laneProfile(at).file())).toBe('first')
  storeClockAhead(at.dataFolder, 0)
  expect(read(laneProfile(at).file())).toBe('second')
})

describe('a data folder that may belong to another lane', () => {
  const ownedBy = (dataFolder: string, owner: object): void => {
    mkdirSync(dataFolder, { recursive: true })
    writeFileSync(path.join(dataFolder, 'terminal.json'), JSON.stringify({ owner, keyCheck: '' }))
  }
  const production = { mode: 'production', storeId: '1001', lanes: ['01'] } as const

  test('with training data gets no bundle of a production store, but the CLI command to rename it', () => {
    const at = options({ outline: production, bundleFile: bundle(1, 'of the package') })
    ownedBy(at.dataFolder, { mode: 'training', store: '1001', lane: '01' })
    expect(() => laneProfile(at)).toThrow(`nothing in it counts. Move it, then start again: mv '${at.dataFolder}'`)
    expect(existsSync(path.join(at.dataFolder, 'bundles'))).toBe(false)
  })

  test('gets no bundle of a training package if it has production data, and a message to use another folder', () => {
    const at = options({ bundleFile: bundle(1, 'of the package') })
    ownedBy(at.dataFolder, { mode: 'production', store: '1001', lane: '01' })
    expect(() => laneProfile(at)).toThrow(/lane 01 of store 1001 \(production\).*must not be sent.*Use another --data/)
    expect(existsSync(path.join(at.dataFolder, 'bundles'))).toBe(false)
  })

  test('is accepted if it belongs to this lane, also if its identity file is unreadable', () => {
    const at = options({ bundleFile: bundle(1, 'of the bundle') })
    ownedBy(at.dataFolder, { mode: 'training', store: '1001', lane: '01' })
    expect(read(laneProfile(at).file())).toBe('of the bundle')
    writeFileSync(path.join(at.dataFolder, 'terminal.json'), 'half a mar')
    expect(read(laneProfile(at).file())).toBe('of the bundle')
  })
})
