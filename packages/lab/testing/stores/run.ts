import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createSeededRng, type SeededRng } from '../../simulation/rng.ts'
import { createCashier, type Cashier, type Tally } from './cashier.ts'
import { whenIdle, closeDay, printUnprinted } from './end-of-day.ts'
import { createFaultPlan, causeFaults, type FaultPlan } from './faults.ts'
import { createGoods } from './goods.ts'
import { readBooks, type Books, type Query } from './judge/books.ts'
import type { Finding } from './judge/finding.ts'
import { judge } from './judge/judge.ts'
import { readDocuments, type PrintedDocument } from './judge/documents.ts'
import type { Lane } from './lane.ts'
import type { Cluster } from './server.ts'
import { openStore, type Store } from './store.ts'

export interface RunOptions {
  readonly lanes: number
  /** The run ends after this number of sales or of seconds: the limit that is reached first applies. */
  readonly sales: number
  readonly seconds: number
  readonly seed: number
  /** Mean milliseconds between two faults. The run does not end before `minimumFaults` faults have occurred. */
  readonly everyMs: number
  readonly minimumFaults: number
  /**
   * Mean milliseconds between two customers of a lane. Without this pause, thirty lanes on two processor cores make the
   * store server miss its time limits.
   */
  readonly pauseMs: number
  readonly fsync: boolean
  readonly log: (line: string) => void
  readonly atEnd?: (cluster: Cluster, checkAgain: (query: Query) => Promise<Finding[]>) => Promise<void>
}

export interface RunResult {
  readonly found: readonly Finding[]
  readonly books: Books
  readonly papers: readonly PrintedDocument[]
  readonly done: ReadonlyMap<string, number>
  readonly refused: ReadonlyMap<string, number>
  readonly faults: ReadonlyMap<string, number>
  readonly wire: Readonly<Record<string, number>>
  readonly repeatedCalls: number
  readonly sellingSeconds: number
  /** Seconds from the last sale until no lane has pending work. */
  readonly healingSeconds: number
}

const IDLE_TIMEOUT_MS = 240_000
/** Mean number of customers between two Z reports; each lane makes one more Z report at the end. */
const DAY_CUSTOMERS = 400
const PROGRESS_EVERY_MS = 15_000
const LANES_ENDED_AT_ONCE = 4
/** Actions of the first customers, so that every run contains them, even on the slowest machine. */
const OPENING = ['cash', 'return', 'gift card'] as const

/**
 * Runs a store: sells at every lane while faults occur, waits for the recovery, and checks the result. Returns a reason
 * if it cannot run.
 */
export async function runStore(options: RunOptions): Promise<RunResult | string> {
  const rng = createSeededRng(options.seed)
  const plan = createFaultPlan(rng.for('wire'))
  const store = await openStore(options, plan)
  if (typeof store === 'string') return store
  try {
    return await sellAndCheck(store, options, plan, rng)
  } finally {
    await store.close()
  }
}

async function sellAndCheck(store: Store, options: RunOptions, plan: FaultPlan, rng: SeededRng): Promise<RunResult> {
  const { lanes, shop, wire, cluster } = store
  const { log, everyMs } = options
  const tally: Tally = { done: new Map(), refused: new Map(), held: 0 }
  const goods = createGoods()
  const faults = new Map<string, number>()
  const cashiers = lanes.map((lane) => ({
    lane,
    cashier: createCashier({ lane, goods, cards: shop.cards, rng: rng.for(`lane ${lane.id}`), tally }),
  }))
  const beganAt = Date.now()
  const sales = (): number => tally.done.get('sale') ?? 0
  const seconds = (): number => Math.round((Date.now() - beganAt) / 1_000)
  let broken: Error | undefined
  const faultCount = (): number => [...faults.values()].reduce((sum, one) => sum + one, 0)
  const isOver = (): boolean => sales() >= options.sales || seconds() >= options.seconds
  const isRunning = (): boolean => broken === undefined && (!isOver() || faultCount() < options.minimumFaults)
  const fail = (error: unknown): void => {
    broken ??= error instanceof Error ? error : new Error(String(error))
    log(`the run stops: ${broken.message}`)
    for (const { till } of lanes) till.abort(broken)
  }
  const progress = setInterval(() => {
    log(`${seconds()} s: ${sales()} sales, ${faultCount()} faults`)
  }, PROGRESS_EVERY_MS)
  for (const activity of OPENING) await cashiers[0]?.cashier.customer(activity)
  const causing = causeFaults({ ...store, plan, rng: rng.for('strikes'), everyMs, faults }, isRunning).catch(fail)
  const serving = { isRunning, pauseMs: options.pauseMs }
  await Promise.all(cashiers.map((one) => serveWhile(one, serving, rng.for(`days of ${one.lane.id}`)).catch(fail)))
  await causing
  clearInterval(progress)
  if (broken !== undefined) throw broken
  const sellingSeconds = seconds()
  log(`${sellingSeconds} s: ${sales()} sales; faults end`)
  const remaining = cashiers.values()
  const ending = async (): Promise<void> => {
    for (const { lane, cashier } of remaining) await endDay(lane, cashier)
  }
  await Promise.all(Array.from({ length: LANES_ENDED_AT_ONCE }, ending))
  await Promise.all(lanes.map((lane) => whenIdle(lane, IDLE_TIMEOUT_MS)))
  const healingSeconds = seconds() - sellingSeconds
  log(`checking ${lanes.reduce((sum, { paper }) => sum + readdirSync(paper).length, 0)} documents`)
  const books = await readBooks(cluster.query, shop.storeId)
  const papers = lanes.flatMap(({ id, paper }) => readDocuments(id, paper))
  await options.atEnd?.(cluster, async (query) => judge(await readBooks(query, shop.storeId), papers))
  return {
    found: judge(books, papers),
    books,
    papers,
    done: tally.done,
    refused: tally.refused,
    faults,
    wire: wire.counts,
    repeatedCalls: lanes.reduce((sum, { till }) => sum + till.repeatedCalls, 0),
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
  { isRunning, pauseMs }: { isRunning: () => boolean; pauseMs: number },
  rng: SeededRng,
): Promise<void> {
  const pauses = rng.for('pauses')
  while (isRunning()) {
    await cashier.customer()
    await pause(pauses.below(2 * pauseMs + 1))
    if (rng.onceIn(DAY_CUSTOMERS)) await closeDay(lane, cashier)
  }
}

async function endDay(lane: Lane, cashier: Cashier): Promise<void> {
  // Wait until the lane has no pending work: while the store server is unreachable or slow, the lane lists only sales
  // that it held itself.
  await whenIdle(lane, IDLE_TIMEOUT_MS)
  await cashier.clearHeld()
  await whenIdle(lane, IDLE_TIMEOUT_MS)
  await closeDay(lane, cashier)
  await printUnprinted(lane, cashier, IDLE_TIMEOUT_MS)
}
