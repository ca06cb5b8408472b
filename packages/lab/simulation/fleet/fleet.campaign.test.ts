import { expect, test } from 'vitest'
import { jainOf, resultOf, type Result } from './figures.ts'
import { playFleet } from './run-scenario.ts'
import { plotOf } from './plot.ts'
import { FIXED, OURS, type Policy } from './policies.ts'
import { SCENARIOS } from './scenarios.ts'
import { seriesOf } from './series.ts'

const play = (id: string, policy: Policy, lanes: number) => {
  const scenario = SCENARIOS.find((one) => one.id === id)
  if (!scenario) throw new Error(`there is no scenario ${id}`)
  return playFleet(scenario, policy, { lanes, seed: 1 })
}
const figure = ({ figures }: Result, name: string): number => figures.find((one) => one.name === name)?.value ?? NaN

test('lanes with small backlogs respect Retry-After and lose no call after an hour without responses', () => {
  const result = resultOf(play('hour', OURS, 300))
  // Without a response, each lane probes the services every five seconds; all probes together are twice the capacity.
  expect(figure(result, 'offered load')).toBeLessThan(3)
  expect(figure(result, 'redemption p95')).toBeLessThan(2)
  expect(figure(result, 'Retry-After violations')).toBe(0)
  expect(figure(result, 'lost or doubled')).toBe(0)
  expect(result.facts).toMatchObject({ escalatedIssues: 0 })
  expect(result.facts['askedToWait']).toBeGreaterThan(500)
})

test('lanes with large backlogs share the capacity evenly after a day without a connection', () => {
  const result = resultOf(play('day', OURS, 50))
  expect(figure(result, 'fairness')).toBeGreaterThan(0.9)
  expect(figure(result, 'Retry-After violations')).toBe(0)
  expect(figure(result, 'lost or doubled')).toBe(0)
})

test('lanes with naive rules flood the services and ignore Retry-After when all lanes start within two seconds', () => {
  const [ours, naive] = [OURS, FIXED].map((policy) => resultOf(play('clocks', policy, 300)))
  if (!ours || !naive) throw new Error('both were played')
  expect(figure(ours, 'offered load')).toBeLessThan(1.2)
  expect(figure(naive, 'offered load')).toBeGreaterThan(3)
  expect(figure(ours, 'Retry-After violations')).toBe(0)
  expect(figure(naive, 'Retry-After violations')).toBeGreaterThan(1_000)
})

test('a fleet run and its plot are the same for the same seed, and the plot is small', () => {
  const pictures = [1, 2].map(() =>
    plotOf({ title: 'a < b', series: [seriesOf(play('morning', OURS, 100))], wrong: null }),
  )
  expect(pictures[0]).toBe(pictures[1])
  expect(pictures[0]).toContain('calls per second')
  expect(pictures[0]).toContain('a &lt; b')
  expect(pictures[0]?.length).toBeLessThan(60_000)
})

test('the fairness index is 1 for equal shares, and 1/n if one of n lanes has everything', () => {
  expect([jainOf([3, 3, 3]), jainOf([1, 0, 0, 0])]).toEqual([1, 0.25])
})
