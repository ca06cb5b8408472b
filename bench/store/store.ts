import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Fact } from '../../contracts/store/protocol.ts'
import type { Benchmark, BenchmarkRun, Measured, Measurement, Target } from '../benchmark.ts'
import { now } from '../checkout/clock.ts'
import { readScreensBuild } from '../checkout/screens-build.ts'
import { percentile } from '../statistics.ts'
import { measureBareDatabase } from './bare-database.ts'
import { openCounter, type Counter } from './counter.ts'
import { measurePainted } from './painted-sales.ts'
import { openLaneClient, type LaneClient } from './lane-client.ts'
import { saleFact } from './sale-facts.ts'
import { openMeasuredStore, type MeasuredStore } from './measured-store.ts'

const OPTIONS = {
  seconds: { default: 10, about: 'seconds of pushes, and of the bare database, in a round' },
  rounds: { default: 3, about: 'rounds of both with each size of push, alternating' },
  streams: { default: 8, about: 'parallel streams' },
  sales: { default: 60, about: 'sales looked up from another lane, and sold in each condition' },
  lanes: { default: 30, about: 'lanes that reconnect together' },
  receipts: { default: 1_000, about: 'receipts to push for each of them' },
  screens: { default: 'build/renderer', about: 'folder of the built screens' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>

/** Numbers of facts in a push: one fact, a sale with its related facts, and what a lane pushes after it was offline. */
const PUSH_SIZES = [1, 3, 100] as const
const SKUS = ['1001', '1002', '1004', '1006', '1008'] as const
/** Maximum number of facts that a lane pushes at once. */
const PUSHED_AT_ONCE = 500
const SAMPLES = { warmUp: 5 } as const
const SEEN_WITHIN_MS = 30_000
const AGAIN_MS = 5
/** Amount in cents that each sale pays by gift card; `SALES_A_CARD`: number of sales that one gift card pays. */
const GIFT_CARD_CENTS = 100
const SALES_A_CARD = 50

export const store: Benchmark<typeof OPTIONS> = {
  name: 'store',
  about:
    'the store’s server: facts a second by size of push, a sale found at another lane, lanes that reconnect, and ' +
    'the cashier’s waiting time, also for a gift card',
  options: OPTIONS,
  run: measureStore,
}

async function measureStore(run: Run): Promise<Measured> {
  const { settings, log, atEnd } = run
  log('starting PostgreSQL, the server and three lanes')
  const screens = path.resolve(settings.screens)
  readScreensBuild(screens)
  const measured = await openMeasuredStore({ lanes: 2, alone: 1, screens })
  atEnd(() => measured.close())
  const counters = await measureCounters(run, measured)
  const cards = await measureGiftCards(run, measured)
  const painted = await measurePainted({ ...run, sales: settings.sales }, measured)
  const seen = await measureSeen(run, measured)
  const pushed = await measureFacts(run, measured)
  const backMs = await measureComingBack(run, measured)
  const receipts = settings.lanes * settings.receipts
  return {
    measurements: [
      ...counters,
      ...cards.measurements,
      ...painted,
      { name: 'payment at a lane to its sale found at another', role: 'result', samples: seen },
      {
        name: `${receipts} receipts of ${settings.lanes} lanes until all are in the database`,
        role: 'result',
        samples: [backMs],
      },
    ],
    targets: [
      ...factsTargets(pushed),
      below('sale found at another lane, p95', 'ms', 1_000, p95(seen), seen),
      below('receipts of all lanes after they reconnect', 's', 10, backMs / 1_000, [backMs / 1_000]),
    ],
    facts: {
      ...Object.fromEntries(pushed.flatMap(factsOfRounds)),
      ...cards.facts,
    },
    notes: [
      'PostgreSQL syncs every commit to the disk. The bare database takes the same statements from pgbench, on the ' +
        'same cluster, with as many clients and batches of the same size.',
      'A sale is found when the API of the other lane returns it for GET /api/sales/ID/returnable. That lane calls ' +
        'the server for each request; the next request comes 5 ms after a response without the sale.',
      'A gift card was sold at the other lane, so the lane requests its balance from the store and draws from it. ' +
        'The time is that of both calls, or of the refused one.',
      'The cashier’s waiting time is measured at the local API: from the command to its response, and to the receipt ' +
        'in the virtual printer’s folder.',
      'A scan is a code at the virtual scanner, by a call of the local API, until its line is painted in the ' +
        'window of a real browser.',
      'Unreachable: every connection of the lanes breaks. Slow: every call arrives a second late.',
      'Lanes that reconnect are connections of this program which push as a lane does; reading facts from a lane’s ' +
        'own database is not included.',
    ],
  }
}

async function measureCounters({ settings, signal, log }: Run, measured: MeasuredStore): Promise<Measurement[]> {
  const [first] = measured.lanes
  const alone = measured.lanes.at(-1)
  if (!first || !alone) throw new Error('the store has no lanes')
  const kinds = [
    ['no store', alone, 'pass', 'ceiling'],
    ['store reachable', first, 'pass', 'result'],
    ['store slow', first, 'slow', 'result'],
    ['store unreachable', first, 'refuse', 'result'],
  ] as const
  const measurements: Measurement[] = []
  for (const [name, lane, weather, role] of kinds) {
    signal.throwIfAborted()
    log(`selling with ${name}`)
    await measured.setNetwork(weather)
    const { rung, paid, printed } = await sell(openCounter(lane), settings.sales)
    measurements.push(
      { name: `line rung, ${name}`, role, samples: rung },
      { name: `payment answered, ${name}`, role, samples: paid },
      { name: `payment to receipt, ${name}`, role, samples: printed },
    )
  }
  await measured.setNetwork('pass')
  return measurements
}

async function sell(counter: Counter, sales: number): Promise<Record<'rung' | 'paid' | 'printed', number[]>> {
  const samples = { rung: new Array<number>(), paid: new Array<number>(), printed: new Array<number>() }
  for (let count = -SAMPLES.warmUp; count < sales; count += 1) {
    const rung: number[] = []
    for (const sku of SKUS) rung.push(await counter.ring(sku))
    const { answered, printed } = await counter.pay()
    if (count < 0) continue
    samples.rung.push(...rung)
    samples.paid.push(answered)
    samples.printed.push(printed)
  }
  return samples
}

/**
 * Measures a cashier’s waiting time for a payment that calls the store server: with a gift card sold at another lane.
 */
async function measureGiftCards({ settings, signal, log }: Run, measured: MeasuredStore) {
  const [first, second] = measured.lanes
  if (!first || !second) throw new Error('the store has no two lanes')
  const counter = openCounter(first)
  const measurements: Measurement[] = []
  const facts: Record<string, string> = {}
  for (const [name, weather] of [
    ['store reachable', 'pass'],
    ['store slow', 'slow'],
    ['store unreachable', 'refuse'],
  ] as const) {
    signal.throwIfAborted()
    log(`paying by gift card with ${name}`)
    const codes: string[] = []
    for (let count = 0; count < SAMPLES.warmUp + settings.sales; count += SALES_A_CARD)
      codes.push(await openCounter(second).sellGiftCard(SALES_A_CARD * GIFT_CARD_CENTS))
    for (const code of codes) await untilKnown(counter, code)
    await measured.setNetwork(weather)
    const samples: number[] = []
    let paid = 0
    for (let count = -SAMPLES.warmUp; count < settings.sales; count += 1) {
      signal.throwIfAborted()
      await counter.ring(SKUS[0])
      const code = codes[Math.floor((count + SAMPLES.warmUp) / SALES_A_CARD)] ?? ''
      const { answered, isPaid } = await counter.payByGiftCard(code, GIFT_CARD_CENTS)
      await counter.pay()
      if (count < 0) continue
      samples.push(answered)
      if (isPaid) paid += 1
    }
    await measured.setNetwork('pass')
    measurements.push({ name: `gift card of another lane paid or refused, ${name}`, role: 'result', samples })
    facts[`gift cards paid, ${name}`] = `${paid} of ${settings.sales}`
  }
  return { measurements, facts }
}

/**
 * Waits until this lane can use a gift card of another lane: that lane has pushed its sale, and this lane has
 * reconnected after an outage.
 */
async function untilKnown(counter: Counter, code: string): Promise<void> {
  const from = now()
  while (!(await counter.isWorth(code))) {
    if (now() - from > SEEN_WITHIN_MS) throw new Error('the store does not know a gift card')
    await pause(AGAIN_MS)
  }
}

/** Milliseconds from the response to a payment at the first lane until the API of the second lane finds its sale. */
async function measureSeen({ settings, log, signal }: Run, measured: MeasuredStore): Promise<number[]> {
  const [first, second] = measured.lanes
  if (!first || !second) throw new Error('the store has no two lanes')
  log('looking up sales from another lane')
  const [counter, other] = [openCounter(first), openCounter(second)]
  const samples: number[] = []
  for (let count = -SAMPLES.warmUp; count < settings.sales; count += 1) {
    signal.throwIfAborted()
    await counter.ring(SKUS[0])
    // The second lane looks the sale up while the receipt is printed.
    const { id, at, printed } = await counter.tender()
    while ((await other.status(`/api/sales/${id}/returnable`)) !== 200) {
      if (now() - at > SEEN_WITHIN_MS) throw new Error(`no lane found ${id}`)
      await pause(AGAIN_MS)
    }
    if (count >= 0) samples.push(now() - at)
    await printed
  }
  return samples
}

interface FactsMeasured {
  readonly size: number
  readonly applied: number[]
  /** Facts per second of the bare database; null in each round without pgbench. */
  readonly bare: (number | null)[]
}

async function measureFacts(
  { settings, folder, log, signal }: Run,
  measured: MeasuredStore,
): Promise<readonly FactsMeasured[]> {
  const { seconds, streams } = settings
  const all = PUSH_SIZES.map((size): FactsMeasured => ({ size, applied: [], bare: [] }))
  for (let round = 0; round < settings.rounds; round += 1)
    for (const { size, applied, bare } of all) {
      signal.throwIfAborted()
      log(`pushing facts, ${size} a push, round ${round + 1}`)
      applied.push(await pushFor(measured, seconds * 1_000, streams, size))
      bare.push(
        await measureBareDatabase({ database: measured.database, folder, clients: streams, batch: size, seconds }),
      )
    }
  return all
}

function openStreams(
  measured: MeasuredStore,
  count: number,
): Promise<readonly { client: LaneClient; stream: string }[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const lane = measured.lanes[index % 2]
      if (!lane) throw new Error('the store has no two lanes')
      const client = openLaneClient({ url: measured.server, ca: measured.ca, lane })
      const stream = randomBytes(16).toString('hex')
      await client.hello(stream)
      return { client, stream }
    }),
  )
}
const factsOf = (stream: string, from: number, count: number): Fact[] =>
  Array.from({ length: count }, (_, index) =>
    saleFact(`${stream.slice(0, 12)}${from + index}`, from + index, Date.now()),
  )

async function pushFor(measured: MeasuredStore, ms: number, streams: number, batch: number): Promise<number> {
  const all = await openStreams(measured, streams)
  const from = now()
  const counts = await Promise.all(
    all.map(async ({ client, stream }) => {
      let applied = 0
      while (now() - from < ms) applied = await client.push(stream, factsOf(stream, applied + 1, batch))
      return applied
    }),
  )
  const facts = counts.reduce((sum, one) => sum + one, 0)
  for (const { client } of all) client.close()
  return facts / ((now() - from) / 1_000)
}

async function measureComingBack({ settings, log }: Run, measured: MeasuredStore): Promise<number> {
  const { lanes, receipts } = settings
  log(`${lanes} lanes reconnect with ${receipts} receipts each`)
  const all = await openStreams(measured, lanes)
  const batches = all.map(({ client, stream }) => ({
    client,
    stream,
    facts: factsOf(stream, 1, receipts),
  }))
  const from = now()
  await Promise.all(
    batches.map(async ({ client, stream, facts }) => {
      for (let at = 0; at < facts.length; at += PUSHED_AT_ONCE)
        await client.push(stream, facts.slice(at, at + PUSHED_AT_ONCE))
    }),
  )
  const ms = now() - from
  const database = new pg.Client({ connectionString: measured.database })
  await database.connect()
  const names = all.map(({ stream }) => stream)
  const { rows } = await database.query<{ count: string }>('SELECT count(*) FROM fact WHERE stream = ANY ($1)', [names])
  await database.end()
  for (const { client } of all) client.close()
  if (Number(rows[0]?.count) !== lanes * receipts)
    throw new Error(`only ${rows[0]?.count} receipts are in the database`)
  // The other lanes also pull the pushed facts: wait for that before the next measurement.
  await pause(1_000)
  return ms
}

const p95 = (samples: readonly number[]): number =>
  percentile(
    samples.toSorted((a, b) => a - b),
    95,
  )
const rounded = (value: number): number => Math.round(value * 100) / 100
const middle = (samples: readonly number[]): number =>
  percentile(
    samples.toSorted((a, b) => a - b),
    50,
  )
const below = (name: string, unit: string, limit: number, value: number, samples: readonly number[]): Target => ({
  name,
  unit,
  bound: 'below',
  limit,
  value: rounded(value),
  low: rounded(Math.max(...samples)),
  high: rounded(Math.min(...samples)),
})
const atLeast = (name: string, unit: string, limit: number, samples: readonly number[]): Target => ({
  name,
  unit,
  bound: 'at least',
  limit,
  value: rounded(middle(samples)),
  low: rounded(Math.min(...samples)),
  high: rounded(Math.max(...samples)),
})

function factsTargets(pushed: readonly FactsMeasured[]): Target[] {
  const most = pushed.at(-1)
  if (most === undefined) return []
  const { size, applied, bare } = most
  const shares = applied.flatMap((facts, round) => {
    const of = bare[round] ?? null
    return of === null ? [] : [facts / of]
  })
  return [
    atLeast(`facts applied a second, ${size} a push`, '/s', 500, applied),
    ...(shares.length === 0 ? [] : [atLeast(`share of the bare database, ${size} a push`, '', 0.5, shares)]),
  ]
}

const factsOfRounds = ({ size, applied, bare }: FactsMeasured): (readonly [string, string])[] => [
  [`facts a second by the server, ${size} a push, each round`, applied.map(Math.round).join(', ')],
  [
    `facts a second by the bare database, ${size} a push, each round`,
    bare.map((one) => (one === null ? 'no pgbench on this machine' : Math.round(one))).join(', '),
  ],
]
