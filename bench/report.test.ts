import { expect, it } from 'vitest'
import { reportOf, tableOf } from './report.ts'

const report = reportOf(
  { name: 'ring' },
  {
    at: new Date('2026-07-01T12:00:00Z'),
    revision: { commit: 'abc', changed: true },
    machine: { cpu: 'Abacus', cores: 2, memoryMb: 4_096, os: 'Debian', node: '24.0.0', loadBefore: 0.1 },
    settings: { items: 100_000 },
    measured: {
      measurements: [
        { name: 'ring', role: 'result', samples: [3.14159, 1, 2] },
        { name: 'bare', role: 'ceiling', samples: [0.5] },
      ],
      targets: [
        { name: 'rings', unit: 'a second', bound: 'at least', limit: 300, value: 300, low: 280.5, high: 1_320 },
        { name: 'louder', unit: 'times', bound: 'above', limit: 1, value: 1, low: 1, high: 1 },
        { name: 'silence', unit: 'ms', bound: 'below', limit: 5, value: 5, low: 4, high: 6 },
      ],
      facts: { browser: 'none' },
      notes: ['no ring was made'],
    },
  },
)

it('the JSON report has percentiles in milliseconds, rounded to microseconds, and the commit of the run', () => {
  expect(JSON.parse(JSON.stringify(report))).toMatchObject({
    benchmark: 'ring',
    at: '2026-07-01T12:00:00.000Z',
    revision: { commit: 'abc', changed: true },
    settings: { items: 100_000 },
    measurements: [
      { name: 'ring', role: 'result', unit: 'ms', samples: 3, min: 1, p50: 2, p95: 3.142, max: 3.142, mean: 2.047 },
      { name: 'bare', role: 'ceiling', samples: 1, p50: 0.5 },
    ],
  })
})

it('the text report shows results before comparisons, with settings, machine, revision and notes', () => {
  const table = tableOf(report, 'rings')
  expect(table).toMatch(/^ring +3 +2\.00 +3\.14 +3\.14 +3\.14$/m)
  expect(table.indexOf('for comparison, in the same run')).toBeGreaterThan(table.search(/^ring /m))
  expect(table).toMatch(/^ {2}bare +1 +0\.50/m)
  for (const words of [
    'items: 100,000',
    'browser: none',
    'Abacus, 2 cores',
    'abc, with uncommitted changes',
    'note: no ring was made',
  ])
    expect(table).toContain(words)
})

it('the text report shows whether each target is reached, with the lowest and the highest round', () => {
  expect(report.targets.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['rings', 'pass'],
    ['louder', 'short'],
    ['silence', 'short'],
  ])
  const table = tableOf(report, 'rings')
  expect(table).toMatch(/^pass +rings: 300 a second, wanted at least 300 \(rounds 280.5 to 1,320\)$/m)
  expect(table).toMatch(/^short +silence: 5 ms, wanted below 5/m)
})
