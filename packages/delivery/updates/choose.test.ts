import { expect, test } from 'vitest'
import { channelOf, program, release, updateManifest } from '../testing/updates.ts'
import { choose, cohortOf, type LaneVersion } from './choose.ts'
import { compareVersions, type Release } from './formats.ts'

const lane: LaneVersion = {
  store: '1001',
  lane: '01',
  platform: 'linux-x64-browser',
  version: '1.0.0',
  schema: 1,
  refused: [],
}
const manifestOf = ({ version }: Release) => updateManifest({ version })
const chosen = (releases: Release[], change: Partial<LaneVersion> = {}, stable = releases[0]?.version ?? '') =>
  choose(channelOf(releases, { stable }), { ...lane, ...change }, manifestOf)?.version ?? null

test('program versions are compared number by number: 1.10.0 is newer than 1.9.9', () => {
  expect(['1.10.0', '1.9.9', '0.99.0', '1.10.1', '1.2.10'].toSorted(compareVersions)).toEqual([
    '0.99.0',
    '1.2.10',
    '1.9.9',
    '1.10.0',
    '1.10.1',
  ])
})

test('a lane gets the newest release that is newer than its own and neither halted nor refused on this lane', () => {
  expect(chosen([release('1.1.0'), release('1.3.0'), release('1.2.0')])).toBe('1.3.0')
  expect(chosen([release('1.1.0'), release('1.3.0', { halted: true }), release('1.2.0')])).toBe('1.2.0')
  expect(chosen([release('1.1.0'), release('1.3.0')], { refused: ['1.3.0'] })).toBe('1.1.0')
  expect(chosen([release('1.1.0'), release('1.3.0')], { version: '1.3.0' })).toBeNull()
  expect(chosen([release('1.1.0')], { version: '1.3.0' })).toBeNull()
  expect(chosen([release('1.1.0', { halted: true })])).toBeNull()
})

test('a wave includes its share of the lanes, others in each version; a larger share adds lanes and drops none', () => {
  const lanes = Array.from({ length: 2_000 }, (_, index) => ({
    store: String(1_000 + (index >> 2)),
    lane: `0${index & 3}`,
  }))
  const reached = (version: string, wavePercent: number): Set<string> =>
    new Set(
      lanes
        .filter((each) => chosen([release('1.0.0'), release(version, { wavePercent })], each) === version)
        .map(({ store, lane: id }) => `${store}-${id}`),
    )
  const five = reached('1.2.0', 5)
  expect(five.size).toBeGreaterThan(60)
  expect(five.size).toBeLessThan(140)
  const twenty = reached('1.2.0', 20)
  expect([...five].every((each) => twenty.has(each))).toBe(true)
  const others = reached('1.3.0', 5)
  expect([...five].filter((each) => others.has(each)).length).toBeLessThan(five.size / 2)
  expect(reached('1.2.0', 0).size).toBe(0)
  expect(reached('1.2.0', 100).size).toBe(2_000)
  expect(cohortOf('1.2.0', '1001', '01')).toBe(cohortOf('1.2.0', '1001', '01'))
})

test('a lane that no wave reaches gets the stable version', () => {
  expect(chosen([release('1.1.0', { wavePercent: 0 }), release('1.3.0', { wavePercent: 0 })])).toBe('1.1.0')
  expect(chosen([release('1.1.0'), release('1.3.0', { wavePercent: 0 })], {}, '1.3.0')).toBe('1.3.0')
  expect(chosen([release('1.1.0'), release('1.3.0', { halted: true })], {}, '1.3.0')).toBe('1.1.0')
})

test('a lane with an old database gets an intermediate version, and no program that cannot read its database', () => {
  const releases = [release('1.1.0'), release('2.0.0'), release('3.0.0')]
  const facts = new Map([
    ['1.1.0', { schema: 2, readsBack: 1 }],
    ['2.0.0', { schema: 4, readsBack: 2 }],
    ['3.0.0', { schema: 6, readsBack: 4 }],
  ])
  const at = (schema: number | null) =>
    choose(channelOf(releases), { ...lane, schema }, ({ version }) =>
      updateManifest({ version, ...facts.get(version) }),
    )?.version ?? null
  expect([1, 2, 3, 4, 6, 7, null].map(at)).toEqual(['1.1.0', '2.0.0', '2.0.0', '3.0.0', '3.0.0', null, '3.0.0'])
})

test("a manifest of another version, or without the lane's platform, is rejected", () => {
  const channel = channelOf([release('1.1.0')])
  expect(choose(channel, lane, () => updateManifest({ version: '1.2.0' }))).toBeNull()
  const windows = updateManifest({ version: '1.1.0', programs: [program({ platform: 'win-x64' })] })
  expect(choose(channel, lane, () => windows)).toBeNull()
  expect(choose(channel, lane, () => null)).toBeNull()
})

test('a training lane skips a version without the reference services', () => {
  const channel = channelOf([release('1.1.0')])
  const { files } = program()
  const withServices = program({ files: files.flatMap((file) => [file, { ...file, path: 'central/main.js' }]) })
  const ofStores = updateManifest({ version: '1.1.0' })
  const ofTraining = updateManifest({ version: '1.1.0', programs: [withServices] })
  expect(choose(channel, { ...lane, training: true }, () => ofStores)).toBeNull()
  expect(choose(channel, { ...lane, training: true }, () => ofTraining)?.version).toBe('1.1.0')
  expect(choose(channel, lane, () => ofStores)?.version).toBe('1.1.0')
})
