import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startCentral } from '../../packages/lab/rig/central.ts'
import { CASHIER, FIRST_PIN } from '../../e2e/lane.ts'
import { start, type RunningProcess, type LaneReady } from '../../packages/lab/rig/process.ts'
import { openWire, type Wire } from '../../e2e/pty.ts'
import type { Benchmark, BenchmarkRun, Measured, Target } from '../benchmark.ts'
import { itemAt } from '../checkout/items.ts'
import { startBenchLane } from '../checkout/lane.ts'
import { now } from '../checkout/clock.ts'
import { openApiClient, type ApiClient } from '../checkout/api-client.ts'
import { highestMemoryOf, memoryOf, shareOf } from '../process-memory.ts'

const OPTIONS = {
  items: { default: 100_000, about: 'items in the catalog' },
  'past-sales': { default: 365_000, about: 'completed sales in the database' },
  sales: { default: 300, about: 'sales rung before the last reading' },
  lines: { default: 5, about: 'scans of each sale' },
  settle: {
    default: 50,
    about: 'seconds before a reading: after the verification of the database, before the first backup',
  },
} as const
type Run = BenchmarkRun<typeof OPTIONS>

const PROGRAM = 'build/app/backend/main.js'
/** The environment variables that `launchNode` sets for a backend. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }
/** Limit of the backend’s resident memory on a lane, in megabytes. */
const LIMIT_MB = 120
const READINGS = 5

export const memory: Benchmark<typeof OPTIONS> = {
  name: 'memory',
  about: 'memory of the packaged backend: after a start, after the start that imports the catalog, after sales',
  options: OPTIONS,
  run: measureMemory,
}

async function measureMemory(run: Run): Promise<Measured> {
  const { settings, folder, log, atEnd } = run
  log('building the lane’s programs')
  execFileSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (!existsSync(PROGRAM)) throw new Error(`the build left no ${PROGRAM}`)
  const central = await startCentral({ folder: path.join(folder, 'central'), scheme: 'https' })
  atEnd(() => central.stop())
  const wire = await openWire(path.join(folder, 'scanner'))
  atEnd(() => wire.close())
  const bare = await start<object>(['bench/memory/dependencies.ts'], ENVIRONMENT)
  atEnd(() => bare.stop())

  log(`inserting ${settings['past-sales']} past sales, importing ${settings.items} items`)
  const lane = await startBenchLane({
    folder,
    central,
    scanner: wire.path,
    items: settings.items,
    pastSales: settings['past-sales'],
    screens: path.resolve('build/renderer'),
    program: PROGRAM,
    environment: ENVIRONMENT,
  })
  atEnd(() => lane.running.stop('SIGKILL'))
  const imported = await readingsOf(run, lane.running)
  const importPeak = highestMemoryOf(pidOf(lane.running))
  log('closing: the database is copied and verified')
  await closed(lane.running)

  log('starting again')
  const begun = performance.now()
  const running = await lane.start()
  const startMs = performance.now() - begun
  atEnd(() => running.stop('SIGKILL'))
  const idle = await readingsOf(run, running)
  const startPeak = highestMemoryOf(pidOf(running))

  log(`ringing ${settings.sales} sales`)
  const client = await openApiClient(running.ready, { id: CASHIER.id, pin: FIRST_PIN, newPin: CASHIER.pin })
  atEnd(async () => {
    client.close()
  })
  const received = await ring(run, client, wire)
  const sold = await readingsOf(run, running)
  const dependencies = await readingsOf({ ...run, settings: { ...settings, settle: 0 } }, bare)

  return {
    measurements: [
      { name: 'start that imports the catalog', role: 'result', samples: [lane.firstStartMs] },
      { name: 'start', role: 'result', samples: [startMs] },
      { name: 'wire to event at a plain client', role: 'result', samples: received },
    ],
    targets: [
      target('resident after a start', idle.resident),
      target('resident after the start that imported the catalog', imported.resident),
      target(`resident after ${settings.sales} sales`, sold.resident),
    ],
    facts: {
      'node with the same packages loaded, resident MB': dependencies.resident.at(-1) ?? 0,
      'proportional share in MB: start, import, sales': [idle.share, imported.share, sold.share].join(', '),
      'highest resident MB: start, import': [startPeak, importPeak].join(', '),
    },
    notes: [
      'Resident includes the pages of the Node binary, which other Node processes share; the proportional ' +
        'share divides them among those.',
      'Measured with Node, whose memory glibc manages; Electron has its own allocator.',
    ],
  }
}

interface Held {
  readonly resident: readonly number[]
  readonly share: number
}

async function readingsOf({ settings, signal }: Run, running: RunningProcess<LaneReady | object>): Promise<Held> {
  await pause(settings.settle * 1_000, undefined, { signal })
  const resident: number[] = []
  for (let reading = 0; reading < READINGS; reading += 1) {
    resident.push(memoryOf(pidOf(running)))
    await pause(1_000, undefined, { signal })
  }
  return { resident, share: shareOf(pidOf(running)) }
}

/** A stop includes a backup of years of sales, which takes longer than the usual stop timeout. */
async function closed({ child }: RunningProcess<unknown>): Promise<void> {
  const gone = once(child, 'exit')
  child.stdin?.end()
  const [code] = (await gone) as [number | null]
  if (code !== 0) throw new Error(`the backend ended with ${code}`)
}

function pidOf({ child }: RunningProcess<unknown>): number {
  if (child.pid === undefined) throw new Error('a process has no id')
  return child.pid
}

async function ring({ settings, signal }: Run, client: ApiClient, wire: Wire): Promise<number[]> {
  const took: number[] = []
  const scans = settings.sales * settings.lines
  for (let scan = 0; scan < scans; scan += 1) {
    signal.throwIfAborted()
    const { barcode, name } = itemAt(Math.floor((scan * settings.items) / scans))
    const received = client.follow((event) =>
      event.type === 'sale-changed' && event.cause === 'scan' && event.sale.lines.at(-1)?.name['en-CA'] === name
        ? event.sale
        : null,
    )
    const written = now()
    await wire.send(`]E0${barcode}\r`)
    const { at, value: sale } = await received
    took.push(at - written)
    if ((scan + 1) % settings.lines === 0) await client.payByCard(sale)
  }
  return took
}

const target = (name: string, readings: readonly number[]): Target => ({
  name,
  unit: 'MB',
  bound: 'below',
  limit: LIMIT_MB,
  value: readings.at(-1) ?? 0,
  low: Math.min(...readings),
  high: Math.max(...readings),
})
