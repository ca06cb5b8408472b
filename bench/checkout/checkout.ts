import path from 'node:path'
import { startCentral } from '../../packages/lab/rig/central.ts'
import { CASHIER, FIRST_PIN } from '../../e2e/lane.ts'
import { start } from '../../packages/lab/rig/process.ts'
import { openWire } from '../../e2e/pty.ts'
import type { Benchmark, BenchmarkRun, Measured, Target } from '../benchmark.ts'
import { percentile } from '../statistics.ts'
import { now } from './clock.ts'
import { itemAt } from './items.ts'
import { startBenchLane } from './lane.ts'
import { clockOver, rest, scanBytes, scanItem, timesOf, within, type MeasuredLane, type Scan } from './scans.ts'
import { measurePricing, promotionsOf } from './promotions.ts'
import { openScreen, type Interactions, type Screen, type Start } from './screen.ts'
import { readScreensBuild } from './screens-build.ts'
import { openApiClient, type ApiClient } from './api-client.ts'
import { openWireEcho } from './wire-echo.ts'

const OPTIONS = {
  scans: { default: 200, about: 'scans that count' },
  'warm-up': { default: 20, about: 'scans before them that do not count' },
  basket: { default: 20, about: 'scans of a sale before it is paid' },
  items: { default: 100_000, about: 'items in the catalog' },
  promotions: { default: 0, about: 'active promotions of the store' },
  'past-sales': { default: 365_000, about: 'completed sales in the database' },
  starts: { default: 15, about: 'newly opened windows' },
  sales: { default: 100, about: 'sales of five lines over the local API, without a window' },
  rounds: { default: 12, about: 'rounds of keys, each in its own sale' },
  screens: { default: 'build/renderer', about: 'folder of the built screens' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>

const LINES_OF_A_ROUND = 6
const LINES_OF_A_SALE = 5

export const checkout: Benchmark<typeof OPTIONS> = {
  name: 'checkout',
  about: 'scan bytes on the wire to the line painted on the screen; newly opened windows, and the response to keys',
  options: OPTIONS,
  run: measureCheckout,
}

async function measureCheckout(run: Run): Promise<Measured> {
  const { settings, folder, signal, log, atEnd } = run
  const screens = path.resolve(settings.screens)
  const build = readScreensBuild(screens)
  if (settings.scans < 1 || settings.basket < 1) throw new Error('--scans and --basket must be at least 1')
  if (settings.items < settings.scans + settings['warm-up'])
    throw new Error('--items is too small: every scan needs its own item')

  const promotions = promotionsOf(settings.promotions, settings.items)
  log(`pricing a hundred lines with ${promotions.length} promotions`)
  const pricings = await measurePricing(folder, promotions, signal)
  log('starting the central services, the wires and the browser')
  const central = await startCentral({ folder: path.join(folder, 'central'), scheme: 'https' })
  atEnd(() => central.stop())
  const wire = await openWire(path.join(folder, 'scanner'))
  atEnd(() => wire.close())
  const screen = await openScreen()
  atEnd(() => screen.close())
  signal.throwIfAborted()

  log(`measuring the ceilings: ${settings.scans} echoes of the wire, ${settings.scans} bare paints`)
  const echoes = await measureEchoes(run)
  const barePaints = await repeat(run, () => screen.barePaint())
  const bareSales = await measureBareSales(run)

  log(`inserting ${settings['past-sales']} past sales, importing ${settings.items} items`)
  const lane = await startBenchLane({
    folder,
    central,
    scanner: wire.path,
    items: settings.items,
    pastSales: settings['past-sales'],
    screens,
    profile: { promotions },
  })
  // Stops the lane with SIGKILL, because a graceful stop would first back this large database up.
  atEnd(() => lane.running.stop('SIGKILL'))
  const client = await openApiClient(lane.running.ready, { id: CASHIER.id, pin: FIRST_PIN, newPin: CASHIER.pin })
  atEnd(async () => {
    client.close()
  })
  log(`selling ${settings.sales} times over the local API`)
  const sales = await measureSales(run, async () => {
    let sale = await client.ring(itemAt(0).sku)
    for (let line = 1; line < LINES_OF_A_SALE; line += 1) sale = await client.ring(itemAt(line).sku)
    await client.payByCard(sale)
  })
  log(`opening ${settings.starts} windows`)
  const starts = await measureStarts(run, { client, screen, url: lane.running.ready.url })
  await screen.open(lane.running.ready.url, client.headers)
  signal.throwIfAborted()

  log(`scanning: ${settings['warm-up']} to warm up, ${settings.scans} that count`)
  const before = await screen.compareClocks()
  const scans = await measureScans(run, { wire, client, screen })
  const after = await screen.compareClocks()
  const clock = clockOver(before, after)
  const { changed, painted } = timesOf(scans, clock)
  log(`${settings.rounds} rounds of keys`)
  const keys = await measureKeys(run, { wire, client, screen })

  const [scanP95, startP95] = [p95(painted), p95(starts.map(({ ms }) => ms))]
  const firstLoadKb = starts.map(({ packedBytes }) => packedBytes / 1_000)
  const slowest = Math.max(0, ...keys.slow.map(({ duration }) => duration))
  return {
    measurements: [
      { name: 'wire to painted line', role: 'result', samples: painted },
      {
        name: 'wire to event at a plain client',
        role: 'stage',
        samples: scans.map((scan) => scan.received - scan.written),
      },
      { name: 'wire to changed page', role: 'stage', samples: changed },
      {
        name: 'changed page to painted line',
        role: 'stage',
        samples: scans.map(({ line }) => line.painted - line.changed),
      },
      { name: 'echo of the wire to a bare reader', role: 'ceiling', samples: echoes },
      { name: 'bare change of an empty page to its paint', role: 'ceiling', samples: barePaints },
      { name: 'the same calls to a server that only commits a row', role: 'ceiling', samples: bareSales },
      { name: 'promotions of a hundred lines, priced in memory', role: 'result', samples: pricings },
      { name: 'opened window to painted sign-in', role: 'result', samples: starts.map(({ ms }) => ms) },
      { name: 'five lines and their payment over the local API', role: 'result', samples: sales },
      ...(keys.slow.length === 0
        ? []
        : [
            {
              name: 'key to paint, if 16 ms or more',
              role: 'result' as const,
              samples: keys.slow.map(({ duration }) => duration),
            },
          ]),
    ],
    targets: [
      target('scan to painted line, p95', 'ms', 50, scanP95, painted),
      target(
        'opened window to painted sign-in, p95',
        'ms',
        1_000,
        startP95,
        starts.map(({ ms }) => ms),
      ),
      target('promotions of a hundred lines, p95', 'ms', 1, p95(pricings), pricings),
      target('sale of five lines over the local API, p50', 'ms', 8, p50(sales), sales),
      target('first load, packed', 'kB', 250, Math.max(...firstLoadKb), firstLoadKb),
      target('slowest key to its paint', 'ms', 100, slowest, [0, slowest]),
    ],
    facts: {
      'keys pressed': keys.count,
      browser: screen.browser,
      'script of the screens in kB': build.scriptKb,
      'inserting past sales, s': seconds(lane.pastSalesMs),
      'first start with the import of the catalog in s': seconds(lane.firstStartMs),
      'clocks compared to within ± ms': Math.round(clock.uncertaintyMs * 1_000) / 1_000,
    },
    notes: [
      'The first load is everything that a fresh window requests until the sign-in is painted, each file ' +
        'packed by gzip; the backend sends them unpacked, since they never leave the machine.',
      'Key to paint is the browser’s own measure (Event Timing), in steps of 8 ms; keys below 16 ms are ' +
        'counted, but not listed.',
      ...(build.development
        ? ['These screens are a development build, several times slower than that of a store. Run ' + 'npm run build.']
        : []),
      'The wire is a pseudo-terminal without transmission time. A scanner at 9,600 baud adds 17.7 ms for the ' +
        '17 bytes of an EAN-13.',
      'Painted: the page has finished style, layout and paint of the frame; the compositor and the display ' +
        'come after.',
      'Frames come 60 times a second: each paint, also the bare one, includes up to 16.7 ms of waiting.',
    ],
  }
}

const at =
  (percent: number) =>
  (samples: readonly number[]): number =>
    percentile(
      samples.toSorted((a, b) => a - b),
      percent,
    )
const [p50, p95] = [at(50), at(95)]
const tenths = (value: number): number => Math.round(value * 10) / 10
const target = (name: string, unit: string, limit: number, value: number, samples: readonly number[]): Target => ({
  name,
  unit,
  bound: 'below',
  limit,
  value: tenths(value),
  low: tenths(Math.min(...samples)),
  high: tenths(Math.max(...samples)),
})

async function measureSales({ settings, signal }: Run, sell: () => Promise<void>): Promise<number[]> {
  const samples: number[] = []
  for (let count = -settings['warm-up']; count < settings.sales; count += 1) {
    signal.throwIfAborted()
    const from = now()
    await sell()
    if (count >= 0) samples.push(now() - from)
    await rest()
  }
  return samples
}

async function measureBareSales(run: Run): Promise<number[]> {
  const server = await start<{ port: number }>(['bench/checkout/bare-calls.ts', run.folder])
  try {
    return await measureSales(run, async () => {
      for (let call = 0; call <= LINES_OF_A_SALE; call += 1) {
        const body = JSON.stringify({ sku: itemAt(call).sku, quantity: 1 })
        const answer = await fetch(`http://127.0.0.1:${server.ready.port}/`, { method: 'POST', body })
        await answer.json()
      }
    })
  } finally {
    await server.stop()
  }
}

async function measureStarts(
  { settings, signal }: Run,
  { client, screen, url }: { client: ApiClient; screen: Screen; url: string },
): Promise<Start[]> {
  await client.signOut()
  const starts: Start[] = []
  for (let count = 0; count < settings.starts; count += 1) {
    signal.throwIfAborted()
    starts.push(await within(screen.start(url, client.headers), 'a window'))
  }
  await client.signIn()
  return starts
}

/**
 * Scans items and presses the keys of whole sales. Returns the number of key presses, and the time to the paint for
 * each that took 16 ms or more.
 */
async function measureKeys({ settings, signal }: Run, { wire, client, screen }: MeasuredLane): Promise<Interactions> {
  for (let round = 0; round < settings.rounds; round += 1) {
    signal.throwIfAborted()
    for (let line = 0; line < LINES_OF_A_ROUND; line += 1) {
      const { barcode, name } = itemAt(round * LINES_OF_A_ROUND + line)
      const shown = screen.line(name)
      await wire.send(scanBytes(barcode))
      await within(shown, `the scan of ${barcode}`)
    }
    await screen.press('ArrowUp', 'ArrowUp', '+', '+', '-', 'ArrowDown', 'Delete', 'Control+z')
    await screen.press('F3')
    await screen.type('12')
    await screen.press('Enter', 'F2')
    await screen.type('item 4')
    await screen.press('Escape', 'Escape', 'Shift+F2', 'ArrowDown', 'ArrowRight', 'Escape')
    await screen.press('Control+e', 'Escape', 'Control+d', 'Escape', '?', 'Escape', 'F7', 'Escape', 'F6')
    await screen.type('2000')
    await screen.press('Escape')
    const sold = client.follow((event) => (event.type === 'sale-closed' ? event : null))
    await screen.press('F9')
    await within(sold, 'the end of a sale')
    await screen.press('Enter')
  }
  return screen.interactions()
}

/** Measures socat, a pseudo-terminal and serialport alone: the wire of a scanner without the terminal program. */
async function measureEchoes(run: Run): Promise<number[]> {
  const wire = await openWire(path.join(run.folder, 'echo'))
  try {
    const echo = await openWireEcho(wire)
    try {
      return await repeat(run, (index) => echo.measure(scanBytes(itemAt(index).barcode)))
    } finally {
      await echo.close()
    }
  } finally {
    await wire.close()
  }
}

async function repeat({ settings, signal }: Run, measure: (index: number) => Promise<number>): Promise<number[]> {
  const samples: number[] = []
  for (let index = 0; index < settings['warm-up'] + settings.scans; index += 1) {
    signal.throwIfAborted()
    await rest()
    const sample = await within(measure(index), 'a ceiling')
    if (index >= settings['warm-up']) samples.push(sample)
  }
  return samples
}

async function measureScans({ settings, signal }: Run, lane: MeasuredLane): Promise<Scan[]> {
  const scans: Scan[] = []
  for (let index = 0; index < settings['warm-up'] + settings.scans; index += 1) {
    signal.throwIfAborted()
    await rest()
    // The scanned items are spread over the whole catalog, so that no database page is cached from the scan before.
    const item = itemAt(Math.floor((index * settings.items) / (settings['warm-up'] + settings.scans)))
    const { scan, sale } = await scanItem(lane, item)
    if (index >= settings['warm-up']) scans.push(scan)
    if (index % settings.basket === settings.basket - 1) await lane.client.payByCard(sale)
  }
  return scans
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10
