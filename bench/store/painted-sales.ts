import { setTimeout as pause } from 'node:timers/promises'
import type { BenchmarkOptions, BenchmarkRun, Measurement } from '../benchmark.ts'
import { now } from '../checkout/clock.ts'
import { clockOver, timesOf, within, type Scan } from '../checkout/scans.ts'
import { openScreen, type Screen } from '../checkout/screen.ts'
import { openCounter } from './counter.ts'
import type { MeasuredStore, MeasuredLane } from './measured-store.ts'

const ITEMS = [
  ['0628451101000', 'Apples, Gala (bag)'],
  ['0628451101178', 'Bananas (bunch)'],
  ['0628451101512', 'Whole milk 2 L'],
  ['0628451101857', 'Cheddar, aged 400 g'],
  ['0628451102199', 'Sourdough loaf'],
] as const
const WARM_UP_SALES = 3
/** Pause in which the effects of a scan end before the next scan. */
const restMs = (): number => 50 + Math.random() * 100

interface PaintedSalesOptions extends Pick<BenchmarkRun<BenchmarkOptions>, 'signal' | 'log' | 'atEnd'> {
  readonly sales: number
}

/**
 * Measures from a scanned code to its painted line in a lane’s window, in each network condition between lane and store
 * server.
 */
export async function measurePainted(
  { sales, signal, log, atEnd }: PaintedSalesOptions,
  measured: MeasuredStore,
): Promise<Measurement[]> {
  const [first] = measured.lanes
  const alone = measured.lanes.at(-1)
  if (!first || !alone) throw new Error('the store has no lanes')
  const measurements: Measurement[] = []
  const windows = new Map<MeasuredLane, Screen>()
  for (const lane of [alone, first]) {
    const screen = await openScreen()
    atEnd(() => screen.close())
    await screen.open(lane.url, lane.headers)
    windows.set(lane, screen)
  }
  for (const [name, lane, weather, role] of [
    ['no store', alone, 'pass', 'ceiling'],
    ['store reachable', first, 'pass', 'result'],
    ['store slow', first, 'slow', 'result'],
    ['store unreachable', first, 'refuse', 'result'],
  ] as const) {
    const screen = windows.get(lane)
    if (!screen) throw new Error('the lane has no window')
    log(`scanning with ${name}`)
    await measured.setNetwork(weather)
    const samples = await scanSales(lane, screen, { sales, signal })
    measurements.push({ name: `scan to painted line, ${name}`, role, samples })
  }
  await measured.setNetwork('pass')
  return measurements
}

async function scanSales(
  lane: MeasuredLane,
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
