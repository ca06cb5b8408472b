import { setTimeout as pause } from 'node:timers/promises'
import type { BenchmarkOptions, BenchmarkRun, Measurement } from '../benchmark.ts'
import { now } from '../checkout/clock.ts'
import { clockOver, timesOf, within, type Scan } from '../checkout/scans.ts'
import { openScreen, type Screen } from '../checkout/screen.ts'
import { openCounter } from './counter.ts'
import type { Stand, StandLane } from './stand.ts'

/** Of the training catalog: what a sale of five lines holds, each line for the first time. */
const ITEMS = [
  ['0628451101000', 'Apples, Gala (bag)'],
  ['0628451101178', 'Bananas (bunch)'],
  ['0628451101512', 'Whole milk 2 L'],
  ['0628451101857', 'Cheddar, aged 400 g'],
  ['0628451102199', 'Sourdough loaf'],
] as const
const WARM_UP_SALES = 3
/** A person's pace: what a scan sets off is over before the next one. */
const restMs = (): number => 50 + Math.random() * 100

interface Order extends Pick<BenchmarkRun<BenchmarkOptions>, 'signal' | 'log' | 'atEnd'> {
  /** Of five lines, in each weather. */
  readonly sales: number
}

/** From a code before the scanner to its painted line, at the window of a lane, in each weather of the store. */
export async function measurePainted({ sales, signal, log, atEnd }: Order, stand: Stand): Promise<Measurement[]> {
  const [first] = stand.lanes
  const alone = stand.lanes.at(-1)
  if (!first || !alone) throw new Error('the store has no lanes')
  const measurements: Measurement[] = []
  const windows = new Map<StandLane, Screen>()
  for (const lane of [alone, first]) {
    const screen = await openScreen()
    atEnd(() => screen.close())
    await screen.open(lane.url, lane.headers)
    windows.set(lane, screen)
  }
  for (const [name, lane, weather, role] of [
    ['no store', alone, 'pass', 'ceiling'],
    ['the store there', first, 'pass', 'result'],
    ['the store slow', first, 'slow', 'result'],
    ['the store away', first, 'refuse', 'result'],
  ] as const) {
    const screen = windows.get(lane)
    if (!screen) throw new Error('the lane has no window')
    log(`scanning with ${name}`)
    await stand.weather(weather)
    const samples = await scanSales(lane, screen, { sales, signal })
    measurements.push({ name: `scan to painted line, ${name}`, role, samples })
  }
  await stand.weather('pass')
  return measurements
}

async function scanSales(
  lane: StandLane,
  screen: Screen,
  { sales, signal }: { readonly sales: number; readonly signal: AbortSignal },
): Promise<number[]> {
  const counter = openCounter(lane)
  const scans: Scan[] = []
  const before = await screen.compareClocks()
  for (let count = -WARM_UP_SALES; count < sales; count += 1) {
    signal.throwIfAborted()
    for (const [code, name] of ITEMS) {
      const shown = screen.line(name)
      const written = now()
      await counter.scan(code)
      const line = await within(shown, `the scan of ${code}`)
      if (count >= 0) scans.push({ written, received: written, line })
      await pause(restMs())
    }
    await counter.take()
    await counter.pay()
    await pause(restMs())
  }
  return timesOf(scans, clockOver(before, await screen.compareClocks())).painted
}
