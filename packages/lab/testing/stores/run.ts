import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createSeededRng, type SeededRng } from '../../simulation/rng.ts'
import { createCashier, type Cashier, type Tally } from './cashier.ts'
import { atRest, closeDay, printOwed } from './evening.ts'
import { createWeather, strike, type Weather } from './faults.ts'
import { createGoods } from './goods.ts'
import { readBooks, type Books, type Query } from './judge/books.ts'
import type { Finding } from './judge/finding.ts'
import { judge } from './judge/judge.ts'
import { readPapers, type Paper } from './judge/papers.ts'
import type { Lane } from './lane.ts'
import type { Cluster } from './server.ts'
import { openStore, type Store } from './store.ts'

export interface RunOptions {
  readonly lanes: number
  /** It ends with so many sales, or after so many seconds. */
  readonly sales: number
  readonly seconds: number
  readonly seed: number
  /** From one kill or partition to the next, in the mean; on a busy machine it goes on until there were so many. */
  readonly everyMs: number
  readonly leastStrikes: number
  /** Between two customers of a lane, in the mean: without it thirty lanes on two cores let no store answer in time. */
  readonly pauseMs: number
  readonly fsync: boolean
  readonly log: (line: string) => void
  /** Looks at the store once more, while its database is there. */
  readonly atEnd?: (cluster: Cluster, rejudge: (query: Query) => Promise<Finding[]>) => Promise<void>
}

export interface RunResult {
  readonly found: readonly Finding[]
  readonly books: Books
  readonly papers: readonly Paper[]
  /** What was done, refused, struck and met on the wire, by name. */
  readonly done: ReadonlyMap<string, number>
  readonly refused: ReadonlyMap<string, number>
  readonly strikes: ReadonlyMap<string, number>
  readonly wire: Readonly<Record<string, number>>
  readonly askedAgain: number
  readonly sellingSeconds: number
  /** From the last sale until every lane was at rest. */
  readonly healingSeconds: number
}

const RESTS_WITHIN_MS = 240_000
/** A lane makes a Z after so many customers, in the mean, beside the one at the end. */
const DAY_CUSTOMERS = 400
const TELL_EVERY_MS = 15_000
const LANES_ENDED_AT_ONCE = 4
/** What every run has at least one of, however slow the machine is. */
const OPENING = ['cash', 'return', 'gift card'] as const

/** Sells at every lane while everything strikes, lets it heal, and has it judged. A string: why it could not. */
export async function runStore(options: RunOptions): Promise<RunResult | string> {
  const rng = createSeededRng(options.seed)
  const weather = createWeather(rng.for('wire'))
  const store = await openStore(options, weather)
  if (typeof store === 'string') return store
  try {
    return await sellAndJudge(store, options, weather, rng)
  } finally {
    await store.close()
  }
}

async function sellAndJudge(store: Store, options: RunOptions, weather: Weather, rng: SeededRng): Promise<RunResult> {
  const { lanes, shop, wire, cluster } = store
  const { log, everyMs } = options
  const tally: Tally = { done: new Map(), refused: new Map(), held: 0 }
  const goods = createGoods()
  const strikes = new Map<string, number>()
  const cashiers = lanes.map((lane) => ({
    lane,
    cashier: createCashier({ lane, goods, cards: shop.cards, rng: rng.for(`lane ${lane.id}`), tally }),
  }))
  const beganAt = Date.now()
  const sales = (): number => tally.done.get('sale') ?? 0
  const seconds = (): number => Math.round((Date.now() - beganAt) / 1_000)
  let broken: Error | undefined
  const struck = (): number => [...strikes.values()].reduce((sum, one) => sum + one, 0)
  const isOver = (): boolean => sales() >= options.sales || seconds() >= options.seconds
  const goesOn = (): boolean => broken === undefined && (!isOver() || struck() < options.leastStrikes)
  const fail = (error: unknown): void => {
    broken ??= error instanceof Error ? error : new Error(String(error))
    log(`it breaks off: ${broken.message}`)
    for (const { till } of lanes) till.giveUp(broken)
  }
  const telling = setInterval(() => {
    log(`${seconds()} s: ${sales()} sales, ${struck()} strikes`)
  }, TELL_EVERY_MS)
  for (const want of OPENING) await cashiers[0]?.cashier.customer(want)
  const striking = strike({ ...store, weather, rng: rng.for('strikes'), everyMs, strikes }, goesOn).catch(fail)
  const serving = { goesOn, pauseMs: options.pauseMs }
  await Promise.all(cashiers.map((one) => serveWhile(one, serving, rng.for(`days of ${one.lane.id}`)).catch(fail)))
  await striking
  clearInterval(telling)
  if (broken !== undefined) throw broken
  const sellingSeconds = seconds()
  log(`${sellingSeconds} s: ${sales()} sales; what is broken heals`)
  const evening = cashiers.values()
  const ending = async (): Promise<void> => {
    for (const { lane, cashier } of evening) await endDay(lane, cashier)
  }
  await Promise.all(Array.from({ length: LANES_ENDED_AT_ONCE }, ending))
  await Promise.all(lanes.map((lane) => atRest(lane, RESTS_WITHIN_MS)))
  const healingSeconds = seconds() - sellingSeconds
  log(`judging by ${lanes.reduce((sum, { paper }) => sum + readdirSync(paper).length, 0)} papers`)
  const books = await readBooks(cluster.query, shop.storeId)
  const papers = lanes.flatMap(({ id, paper }) => readPapers(id, paper))
  await options.atEnd?.(cluster, async (query) => judge(await readBooks(query, shop.storeId), papers))
  return {
    found: judge(books, papers),
    books,
    papers,
    done: tally.done,
    refused: tally.refused,
    strikes,
    wire: wire.counts,
    askedAgain: lanes.reduce((sum, { till }) => sum + till.askedAgain, 0),
    sellingSeconds,
    healingSeconds,
  }
}

interface Serving {
  readonly lane: Lane
  readonly cashier: Cashier
}

async function serveWhile(
  { lane, cashier }: Serving,
  { goesOn, pauseMs }: { goesOn: () => boolean; pauseMs: number },
  rng: SeededRng,
): Promise<void> {
  const pauses = rng.for('pauses')
  while (goesOn()) {
    await cashier.customer()
    await pause(pauses.below(2 * pauseMs + 1))
    if (rng.onceIn(DAY_CUSTOMERS)) await closeDay(lane, cashier)
  }
}

/** The last customers of a lane, its papers, and its Z. */
async function endDay(lane: Lane, cashier: Cashier): Promise<void> {
  // Away or slow, it shows what it held itself alone.
  await atRest(lane, RESTS_WITHIN_MS)
  await cashier.clearHeld()
  await atRest(lane, RESTS_WITHIN_MS)
  await closeDay(lane, cashier)
  await printOwed(lane, cashier, RESTS_WITHIN_MS)
}
