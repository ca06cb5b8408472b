import { describe, expect, test } from 'vitest'
import { createSeededRng } from './rng.ts'
import { simulate } from './seed.ts'
import { brokenBy } from './differential-run.ts'
import { createWorld } from './world.ts'

describe('simulate', () => {
  test('has the same trace every time for the same seed', async () => {
    const seed = 42
    const first = await simulate(seed, { recordTrace: true })
    const again = await simulate(seed, { recordTrace: true })
    expect(first.trace.length).toBeGreaterThan(20)
    expect(again.trace).toEqual(first.trace)
    expect(again.ends).toEqual(first.ends)
  })

  test('has different traces for different seeds', async () => {
    const traces = await Promise.all(
      [1, 2, 3].map(async (seed) => (await simulate(seed, { recordTrace: true })).trace.join('\n')),
    )
    expect(new Set(traces).size).toBe(3)
  })

  test('sells, redeems and issues without faults, and the lane’s books match the loyalty service', async () => {
    const { violations, ends } = await simulate(0)
    expect(violations).toEqual([])
    expect(ends).toEqual(expect.arrayContaining(['redeem approved 1', 'issue confirmed ']))
  })
})

describe('the simulated world and its clock', () => {
  test('runs planned work by time, and at equal times in the order in which it was planned', async () => {
    const world = createWorld(0)
    const happened: string[] = []
    world.plan(20, () => happened.push('later'))
    world.plan(10, () => happened.push('first'))
    world.plan(10, () => happened.push('second'))
    world.plan(15, () => happened.push('called off'))()
    expect(await world.until(() => happened.length === 3, 100)).toBe(true)
    expect(happened).toEqual(['first', 'second', 'later'])
    expect(world.now).toBe(20)
  })

  test('does not move timers when the wall clock is changed', async () => {
    const world = createWorld(1_000_000)
    const clock = world.clock(() => true)
    let rang = false
    clock.after(50, () => {
      rang = true
    })
    world.jump(-86_400_000)
    expect(clock.now()).toBe(1_000_000 - 86_400_000)
    expect(await world.until(() => rang, 60)).toBe(true)
    expect(clock.monotonic()).toBe(50)
  })

  test('gives the same random values for the same seed, independently per component', () => {
    const throws = (rng: ReturnType<typeof createSeededRng>) => Array.from({ length: 5 }, () => rng.below(1000))
    expect(throws(createSeededRng(7, 'a'))).toEqual(throws(createSeededRng(7, 'a')))
    expect(throws(createSeededRng(7, 'a'))).not.toEqual(throws(createSeededRng(7, 'b')))
    const parent = createSeededRng(7)
    const before = throws(parent.for('part'))
    throws(parent)
    expect(throws(parent.for('part'))).toEqual(before)
    expect(parent.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

test('forty simulated seeds hold every invariant', async () => {
  expect(await brokenBy(1, 40)).toEqual([])
})
