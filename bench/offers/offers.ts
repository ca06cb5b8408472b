import path from 'node:path'
import { LOCALES } from '../../contracts/i18n/languages.ts'
import type { Central } from '../../packages/lab/rig/central.ts'
import type { Benchmark, BenchmarkRun, Measured, Target } from '../benchmark.ts'
import { itemAt } from '../checkout/items.ts'
import { openScreen } from '../checkout/screen.ts'
import { readScreensBuild } from '../checkout/screens-build.ts'
import { summarise } from '../statistics.ts'
import { measureBoard, type Board } from './board.ts'
import { startCentralWithOffers } from './central.ts'
import { measureColdList } from './cold-list.ts'
import { differenceOf, type Difference, type Pair } from './difference.ts'
import { startOfferLane, type OfferLane } from './lanes.ts'
import { COLLECTORS, itemsFor } from './offer-mix.ts'
import { measureRanking } from './ranking.ts'
import { measureSaleEnds, type Paired } from './sale-ends.ts'
import { measureScanCost, type PaintedBaskets, type ScanningLane } from './scan-cost.ts'

const OPTIONS = {
  offers: { default: 300, about: 'offers of the store’s partner in its region' },
  lines: { default: 100, about: 'lines of the ranked basket, and of the board’s' },
  rankings: { default: 500, about: 'rankings that count' },
  boards: { default: 200, about: 'boards in each language that count' },
  colds: { default: 15, about: 'starts of a lane without its list' },
  ends: { default: 100, about: 'ends of sales of twenty lines at each of two lanes' },
  baskets: { default: 20, about: 'baskets scanned at each of two lanes' },
  scans: { default: 20, about: 'scans in each of them' },
  'warm-up': { default: 20, about: 'samples before those that count; baskets: two' },
  items: { default: 100_000, about: 'items in the catalog' },
  'past-sales': { default: 0, about: 'completed sales in the database of each lane' },
  screens: { default: 'build/renderer', about: 'folder of the built screens' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>
type Section = Pick<Measured, 'measurements' | 'facts'> & { readonly targets: readonly Target[] }

const RANKING_MS = 5
const BOARD_MS = 50
const COLD_MS = 1_000
const SCAN_COST_MS = 2
const LINES_OF_AN_END = 20
const WARM_UP_BASKETS = 2

export const offers: Benchmark<typeof OPTIONS> = {
  name: 'offers',
  about: 'the program’s offers for a basket: ranking, board, a missing list, and their cost for scans and sales',
  options: OPTIONS,
  run: measureOffers,
}

async function measureOffers(run: Run): Promise<Measured> {
  const { settings, folder, log, atEnd } = run
  readScreensBuild(path.resolve(settings.screens))
  const needed = Math.max((WARM_UP_BASKETS + settings.baskets) * settings.scans, itemsFor(settings.lines))
  if (settings.items < needed)
    throw new Error(`--items must be at least ${needed}: each scan, line and match needs its own`)
  log('starting the central services')
  const central = await startCentralWithOffers(folder, settings.offers)
  atEnd(() => central.stop())
  const ranking = await rankingSection(run, central)
  log(`starting two lanes, each with ${settings.items} items and ${settings['past-sales']} past sales`)
  const lanes = await startLanes(run, central)
  const ends = await endsSection(run, lanes)
  const scans = await scansSection(run, lanes)
  const board = await boardSection(run, lanes.a)
  const cold = await coldSection(run, lanes.a, central, board.board)
  const sections = [ranking, board, cold, scans, ends]
  return {
    measurements: sections.flatMap(({ measurements }) => measurements),
    targets: sections.flatMap(({ targets }) => targets),
    facts: Object.assign({}, ...sections.map(({ facts }) => facts)),
    notes: NOTES,
  }
}

const NOTES = [
  'A window requests the offers when nothing has changed for 150 ms. The scans of this benchmark come 150 to 350 ms ' +
    'after the painted line, so that they coincide with the board as often as possible; quicker ones never do.',
  'Both lanes have a member on every sale and the same profile but for the address of the offer service: the cost ' +
    'is caused by the offers, not by the member.',
  'The members have a card on the sale and have not signed in by phone: states of a member are only in the ranking. ' +
    'Their numbers are keyed, so that no call about them is made.',
  'A percentile of one basket of twenty is its second slowest scan, which depends mostly on the machine. So ' +
    'the scans of all baskets are compared, and the difference is compared with the difference by chance of ' +
    'the same samples: neighbouring baskets are exchanged at random, 2,000 times, and 95 % of the differences are no ' +
    'larger. Smaller differences prove nothing; the limit is 2 ms, or the difference by chance if that is more.',
  'Two lanes are two processes and two browsers: random differences between them remain in the result.',
  'The missing list: the lane has just started, and the services rejected its own attempt. One language ' +
    'of four pages; the types of the offers are fetched later, so the first board has less detail than the next.',
  'A board is read to its last byte without parsing; the window’s work with it is in the painted lines.',
  'Pictures of offers are fetched only over https, which the services of a benchmark do not use.',
]

async function startLanes(run: Run, central: Central): Promise<Paired<OfferLane>> {
  const { settings } = run
  const options = {
    central,
    offers: settings.offers,
    items: settings.items,
    pastSales: settings['past-sales'],
    screens: path.resolve(settings.screens),
  }
  const [first, second] = COLLECTORS
  return {
    a: await startOfferLane(run, { ...options, id: '01', collector: first, hasOffers: true }),
    b: await startOfferLane(run, { ...options, id: '02', collector: second, hasOffers: false }),
  }
}

async function rankingSection({ settings, folder, signal, log }: Run, central: Central): Promise<Section> {
  log(`ranking ${settings.offers} offers, ${settings.rankings} times`)
  const { samples, ranks } = await measureRanking(
    folder,
    central,
    {
      offers: settings.offers,
      lines: settings.lines,
      samples: settings.rankings,
      warmUp: settings['warm-up'],
    },
    signal,
  )
  return {
    measurements: [{ name: 'ranking alone', role: 'result', samples }],
    targets: [p95Target('ranking alone, p95', RANKING_MS, samples)],
    facts: { 'statuses of the ranking': countsText(ranks) },
  }
}

async function boardSection(
  { settings, signal, log }: Run,
  lane: OfferLane,
): Promise<Section & { readonly board: Board }> {
  log(`requesting ${settings.boards} boards in each language`)
  const board = await measureBoard(
    lane,
    { offers: settings.offers, lines: settings.lines, samples: settings.boards, warmUp: settings['warm-up'] },
    signal,
  )
  const inEach = LOCALES.map((locale) => ({ locale, samples: board.samples.get(locale) ?? [] }))
  return {
    board,
    measurements: [
      ...inEach.map(({ locale, samples }) => ({ name: `board, ${locale}`, role: 'result' as const, samples })),
      { name: 'call for the sale without offers', role: 'peer', samples: board.saleAlone },
    ],
    targets: inEach.map(({ locale, samples }) => p95Target(`board, ${locale}, p95`, BOARD_MS, samples)),
    facts: { 'board in bytes': board.bytes, 'statuses of the board': countsText(board.ranks) },
  }
}

async function coldSection(
  { settings, signal, log }: Run,
  lane: OfferLane,
  central: Central,
  { saleId }: Board,
): Promise<Section> {
  log(`starting the lane ${settings.colds} times without its list`)
  const { list, board, bare } = await measureColdList(
    lane,
    central,
    { saleId, offers: settings.offers, samples: settings.colds },
    signal,
  )
  const both = list.map((ms, index) => ms + (board[index] ?? Infinity))
  return {
    measurements: [
      { name: 'missing list to the first board', role: 'result', samples: both },
      { name: 'missing list to the list', role: 'stage', samples: list },
      { name: 'the first board after it', role: 'stage', samples: board },
      { name: 'the same pages to a bare client', role: 'ceiling', samples: bare },
    ],
    targets: [p95Target('missing list to the first board, p95', COLD_MS, both)],
    facts: {},
  }
}

async function scansSection(run: Run, lanes: Paired<OfferLane>): Promise<Section> {
  const { settings, signal, log } = run
  log(`scanning ${settings.baskets} baskets at each lane, alternating`)
  const all = (WARM_UP_BASKETS + settings.baskets) * settings.scans
  const { a, b, boards } = await measureScanCost(
    { a: await withScreen(run, lanes.a), b: await withScreen(run, lanes.b) },
    {
      baskets: settings.baskets,
      warmUp: WARM_UP_BASKETS,
      scans: settings.scans,
      // The scanned items are spread over the whole catalog, as in the `checkout` benchmark.
      itemOf: (scan) => itemAt(Math.floor((scan * settings.items) / all)),
    },
    signal,
  )
  const pairs = pairsOf(a, b)
  const [p50, p95] = [differenceOf(pairs, 50), differenceOf(pairs, 95)]
  return {
    measurements: [
      { name: 'wire to painted line, with offers', role: 'result', samples: a.flat() },
      { name: 'wire to painted line, without', role: 'peer', samples: b.flat() },
    ],
    targets: [
      differenceTarget('painted line, with offers − without, p50', p50),
      differenceTarget('painted line, with offers − without, p95', p95),
    ],
    facts: {
      ...differenceFacts('painted line, p50', p50),
      ...differenceFacts('painted line, p95', p95),
      'boards requested by the window during scans': boards,
    },
  }
}

const pairsOf = (a: PaintedBaskets, b: PaintedBaskets): Pair[] =>
  a.map((basket, index) => ({ with: basket, without: b[index] ?? [] }))

async function withScreen({ atEnd }: Run, lane: OfferLane): Promise<ScanningLane> {
  const screen = await openScreen()
  atEnd(() => screen.close())
  await screen.open(lane.ready.url, lane.client.headers)
  return { ...lane, screen }
}

async function endsSection({ settings, signal, log }: Run, lanes: Paired<OfferLane>): Promise<Section> {
  log(`ending ${settings.ends} sales at each lane, alternating`)
  const { a, b } = await measureSaleEnds(
    lanes,
    { sales: settings.ends, warmUp: settings['warm-up'], lines: LINES_OF_AN_END },
    signal,
  )
  const pairs = a.map((ms, index) => ({ with: [ms], without: b.slice(index, index + 1) }))
  return {
    measurements: [
      { name: 'last tender of twenty lines, with offers', role: 'result', samples: a },
      { name: 'last tender of twenty lines, without', role: 'peer', samples: b },
    ],
    targets: [],
    facts: {
      ...differenceFacts('last tender, p50', differenceOf(pairs, 50)),
      ...differenceFacts('last tender, p95', differenceOf(pairs, 95)),
    },
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10
const hundredths = (value: number): number => Math.round(value * 100) / 100

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

const differenceFacts = (name: string, { value, chance }: Difference): Measured['facts'] => ({
  [`${name}, with − without, ms`]: hundredths(value),
  [`${name}, difference by chance, ± ms`]: hundredths(chance),
})

function p95Target(name: string, limit: number, samples: readonly number[]): Target {
  const { min, p95, max } = summarise(samples)
  return { name, unit: 'ms', bound: 'below', limit, value: tenths(p95), low: tenths(min), high: tenths(max) }
}

const differenceTarget = (name: string, { value, chance, pairs }: Difference): Target => ({
  name,
  unit: 'ms',
  bound: 'below',
  limit: hundredths(Math.max(SCAN_COST_MS, chance)),
  value: hundredths(value),
  low: tenths(Math.min(...pairs)),
  high: tenths(Math.max(...pairs)),
})
