import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LANE_METRICS } from '../../../contracts/operations/lane-metrics.ts'
import { MAX_SERIES, seriesNames, type Metric } from '../../../contracts/core/metric-table.ts'
import { MetricsRequest, type Sample } from '../../../contracts/store/metrics.ts'
import { createMetrics } from '../../delivery/metrics-registry.ts'
import { parseOpenMetrics } from '../testing/open-metrics.ts'
import { lanesText, readSamples } from './lane-samples.ts'

const CALLER = { store: '1001', lane: '02' }
const INFO = { version: '1.0.0', store_id: '1001', lane_id: '02', mode: 'production' }

async function honest(): Promise<Sample[]> {
  const metrics = createMetrics(LANE_METRICS)
  metrics.set('info', INFO, 1)
  metrics.add('transactions', { kind: 'sale' }, 7)
  metrics.set('clock', {}, -2.5)
  for (const seconds of [0.002, 0.05, 3]) metrics.observe('commits', {}, seconds)
  for (const service of ['cash', 'issuance'] as const) metrics.observe('latency', { service }, 0.3)
  return metrics.samples()
}
const sample = (name: string, labels: Record<string, string>, value: number): Sample => ({ name, labels, value })
const SALES = sample('milepost_transactions_total', { kind: 'sale' }, 7)

test("a lane's metric samples are grouped from any order, with histogram buckets ascending", async () => {
  const samples = await honest()
  const read = readSamples(samples.toReversed(), CALLER)
  expect(read).toEqual(readSamples(samples, CALLER))
  const names = (read.kind === 'accepted' ? read.accepted : []).flatMap(({ name, labels }) =>
    name.startsWith('milepost_commit_seconds') ? [`${name} ${labels['le'] ?? ''}`.trim()] : [],
  )
  expect(names).toEqual([
    'milepost_commit_seconds_bucket 0.01',
    'milepost_commit_seconds_bucket 0.1',
    'milepost_commit_seconds_bucket +Inf',
    'milepost_commit_seconds_count',
    'milepost_commit_seconds_sum',
  ])
})

test('unknown fields in the metric samples of a newer lane are dropped', () => {
  const later = { protocol: 1, samples: [{ ...SALES, exemplar: '80000000011' }], at: 1 }
  expect(MetricsRequest.parse(later)).toEqual({ protocol: 1, samples: [SALES] })
})

test('all metric samples of a correct lane are stored, with labels for its store and lane', async () => {
  const samples = await honest()
  const read = readSamples(MetricsRequest.parse({ protocol: 1, samples: samples }).samples, CALLER)
  if (read.kind !== 'accepted') throw new Error(read.why)
  expect(read.dropped).toBe(0)
  expect(read.accepted.length).toBe(samples.length)
  const text = await lanesText([{ ...CALLER, secondsSinceContact: 1.5, samples: read.accepted }])
  const shown = parseOpenMetrics(text)
  for (const { name, labels, value } of samples)
    expect(shown).toContainEqual({ name, labels: { ...labels, store: '1001', lane: '02' }, value })
  expect(shown.length).toBe(samples.length + 2)
})

test.each<[string, Sample]>([
  ['an unknown name', sample('milepost_gift_cards_total', { kind: 'sale' }, 1)],
  ['a name of the JavaScript engine', sample('process_cpu_seconds_total', {}, 1)],
  ['a counter name without “_total”', sample('milepost_transactions', { kind: 'sale' }, 1)],
  ['an unknown label', sample('milepost_transactions_total', { kind: 'sale', collector: '80000000011' }, 1)],
  ['a label that only the store sets', sample('milepost_transactions_total', { kind: 'sale', lane: '03' }, 1)],
  ['a missing label', sample('milepost_transactions_total', {}, 1)],
  ['an unknown label value', sample('milepost_transactions_total', { kind: 'N1010100000038K7Q2' }, 1)],
  ['a name that is a property of every object', sample('constructor', {}, 1)],
  ['an unknown histogram bound', sample('milepost_commit_seconds_bucket', { le: '7' }, 1)],
  ['a malformed version', sample('milepost_lane_info', { ...INFO, version: 'Jean Tremblay' }, 1)],
])('drops a metric sample with %s, and stores the other samples of the lane', (_, strange) => {
  expect(readSamples([SALES, strange], CALLER)).toEqual({ kind: 'accepted', accepted: [SALES], dropped: 1 })
})

const bucket = (le: string, value: number): Sample => sample('milepost_commit_seconds_bucket', { le }, value)
const count = (value: number): Sample => sample('milepost_commit_seconds_count', {}, value)
const SUM = sample('milepost_commit_seconds_sum', {}, 1)

test.each<[string, string, Sample[]]>([
  ['the name of another lane', 'another-lane', [sample('milepost_lane_info', { ...INFO, lane_id: '03' }, 1)]],
  ['the name of another store', 'another-lane', [sample('milepost_lane_info', { ...INFO, store_id: '1002' }, 1)]],
  ['a negative count', 'not-a-count', [{ ...SALES, value: -1 }]],
  ['one series twice', 'twice', [SALES, { ...SALES, value: 8 }]],
  ['too many series', 'too-many', Array.from({ length: MAX_SERIES + 1 }, () => SALES)],
  ['a histogram without bounds', 'no-histogram', [count(1), SUM]],
  [
    'a histogram that is not cumulative',
    'no-histogram',
    [bucket('0.01', 2), bucket('0.1', 1), bucket('+Inf', 2), count(2), SUM],
  ],
  [
    'a histogram with more samples than its count',
    'no-histogram',
    [bucket('0.01', 1), bucket('0.1', 1), bucket('+Inf', 2), count(1), SUM],
  ],
])('refuses all metric samples of a lane that sends %s', (_, why, changed) => {
  expect(readSamples(changed, CALLER)).toEqual({ kind: 'refused', why })
})

test.each([
  ['NaN', '{"protocol":1,"samples":[{"name":"milepost_stopped","labels":{},"value":NaN}]}'],
  ['infinity', '{"protocol":1,"samples":[{"name":"milepost_stopped","labels":{},"value":1e999}]}'],
  ['a text', '{"protocol":1,"samples":[{"name":"milepost_stopped","labels":{},"value":"1"}]}'],
  [
    'an object with an invalid label',
    '{"protocol":1,"samples":[{"name":"milepost_stopped","labels":{"a":1},"value":1}]}',
  ],
  ['an object without labels', '{"protocol":1,"samples":[{"name":"milepost_stopped","value":1}]}'],
])('the request schema rejects %s as a metric sample', (_, body) => {
  expect(MetricsRequest.safeParse(parsed(body)).success).toBe(false)
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function near(samples: readonly Sample[]): fc.Arbitrary<Sample[]> {
  const names = fc.oneof(
    fc.constantFrom(...samples.map(({ name }) => name)),
    fc.constantFrom('__proto__', 'toString', 'milepost_lane_up', 'milepost_lane_info_total'),
    fc.string({ maxLength: 80 }),
  )
  const label = fc.oneof(
    fc.constantFrom('kind', 'le', 'lane', 'store', 'lane_id', 'what', '__proto__', 'constructor'),
    fc.string({ maxLength: 12 }),
  )
  const value = fc.oneof(
    fc.constantFrom('sale', '+Inf', '0.1', '03', '"} 1\n# EOF', '\\'),
    fc.string({ maxLength: 20 }),
  )
  const labels = fc.oneof(
    fc.constantFrom(...samples.map((one) => one.labels)),
    fc.dictionary(label, value, { maxKeys: 4 }),
  )
  const number = fc.oneof(
    fc.constantFrom(0, -0, 1, -1, 1e308, 5e-324),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  const any = fc.record({ name: names, labels, value: number })
  return fc.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...samples) }, any), { maxLength: 110 })
}

const KNOWN = new Map(
  Object.values<Metric>(LANE_METRICS).flatMap((metric) => seriesNames(metric).map((name) => [name, metric])),
)

function unknownIn({ name, labels }: Sample): string[] {
  const known = KNOWN.get(name)
  if (!known) return /^milepost_lane_(up|heard_seconds)$/.test(name) ? [] : [name]
  return Object.entries(known.labels ?? {}).flatMap(([label, values]) =>
    values === 'any' || values.includes(labels[label] ?? '') ? [] : [`${name} ${label}`],
  )
}

test('any metric samples of a lane give a well-formed text with only known metrics of that lane', async () => {
  const samples = await honest()
  const other = { store: '1001', lane: '03' }
  const others = readSamples(
    samples.map((one) => ('lane_id' in one.labels ? { ...one, labels: { ...INFO, lane_id: '03' } } : one)),
    other,
  )
  if (others.kind !== 'accepted') throw new Error(others.why)
  const alone = parseOpenMetrics(await lanesText([{ ...other, secondsSinceContact: 0, samples: others.accepted }]))
  const kinds = new Set<string>()
  await fc.assert(
    fc.asyncProperty(near(samples), async (changed) => {
      const wire = MetricsRequest.safeParse(JSON.parse(JSON.stringify({ protocol: 1, samples: changed })))
      const read = wire.success ? readSamples(wire.data.samples, CALLER) : null
      kinds.add(read === null ? 'unreadable' : read.kind === 'refused' ? read.why : read.kind)
      const accepted = read?.kind === 'accepted' ? read.accepted : null
      const shown = parseOpenMetrics(
        await lanesText([
          { ...CALLER, secondsSinceContact: 0, samples: accepted },
          { ...other, secondsSinceContact: 0, samples: others.accepted },
        ]),
      )
      const mine = shown.filter(({ labels }) => labels['lane'] === '02')
      expect(mine.length).toBe((accepted?.length ?? 0) + 2)
      expect(mine.flatMap(unknownIn)).toEqual([])
      expect(shown.filter(({ labels }) => labels['lane'] === '03')).toEqual(expect.arrayContaining(alone))
      expect(shown.length).toBe(mine.length + alone.length)
    }),
    { numRuns: 150 },
  )
  expect([...kinds]).toEqual(expect.arrayContaining(['accepted', 'twice']))
})
