import { expect, test } from 'vitest'
import { createMemoryFiles, itemOf, syncAll } from '../../../packages/lab/testing/catalog-lane.ts'
import { APPLE, BREAD, openLane } from './lanes.fixture.ts'
import { createSlices } from './slices.ts'

/** Returns how many items each slice has, if an item takes `ofItem` ms and each commit `commitMs` more. */
function sizes(ofItem: (at: number) => number, commitMs: number, count: number): number[] {
  let now = 0
  const slices = createSlices({ monotonic: () => now })
  const all: number[] = []
  for (let at = 0; at < count;) {
    const size = slices.size()
    all.push(size)
    slices.run(size, () => {
      now += commitMs
      for (let item = 0; item < size; item += 1, at += 1) now += ofItem(at)
    })
  }
  return all
}

test('a commit of catalog changes has as many items as fit in eight milliseconds, from 10 to 100', () => {
  const cheap = sizes(() => 0.01, 1, 10_000)
  expect(cheap.slice(0, 5)).toEqual([10, 20, 40, 80, 100])
  expect(cheap.length).toBeLessThan(110)
  expect(Math.max(...sizes(() => 0.4, 1, 1_000)), 'eight milliseconds').toBeLessThanOrEqual(20)
  const mixed = sizes((at) => (at < 1_000 ? 0.01 : 0.3), 1, 3_000)
  expect(Math.max(...mixed)).toBe(100)
  expect(mixed.at(-1), 'one slice later it is short again').toBeLessThanOrEqual(26)
  expect(new Set(sizes(() => 1, 20, 100)), 'on a slow disk the smallest slices').toEqual(new Set([10]))
})

test('after a failed commit of catalog changes, the next one has the smallest number of items', () => {
  const slices = createSlices({ monotonic: () => 0 })
  slices.run(50, () => undefined)
  expect(slices.size()).toBe(100)
  const fails = (): never => {
    throw new Error('the disk is full')
  }
  expect(() => slices.run(100, fails)).toThrow('the disk is full')
  expect(slices.size()).toBe(10)
})

test.each([
  ['few commits while the checks are quick', 0, 1, 4],
  ['commits of ten items while the checks are slow', 100, 15, 15],
])(
  'all changed items are checked again in commits that are too short to delay a scan: %s',
  async (_, takesMs, least, most) => {
    let now = 0
    let commits = 0
    const files = createMemoryFiles()
    const watch = { committed: () => void (commits += 1) }
    const lane = await openLane(1, { files, profileRows: [APPLE, BREAD], watch, monotonic: () => (now += takesMs) })
    for (let number = 0; number < 150; number += 1) lane.items.save({ how: 'add', item: itemOf(`P${number}`) }, 'sam')
    await syncAll([lane])
    const { shared } = lane.catalog
    if (!shared) throw new Error('nobody follows')
    commits = 0
    lane.db.exec('INSERT INTO store_catalog_due (sku) SELECT sku FROM store_catalog_item')
    shared.items.start()
    await syncAll([lane])
    expect(lane.db.prepare('SELECT count(*) FROM store_catalog_due').pluck().get()).toBe(0)
    expect(commits).toBeGreaterThanOrEqual(least)
    expect(commits).toBeLessThanOrEqual(most)
  },
)
