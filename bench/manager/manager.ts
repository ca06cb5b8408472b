import path from 'node:path'
import { startCentral } from '../../packages/lab/rig/central.ts'
import { FIRST_PIN, MANAGER } from '../../e2e/lane.ts'
import { openWire } from '../../e2e/pty.ts'
import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { openApiClient } from '../checkout/api-client.ts'
import { now } from '../checkout/clock.ts'
import { LANE, LOCATION, startBenchLane } from '../checkout/lane.ts'
import { openBareCommits } from '../journal/bare-commits.ts'
import { percentile } from '../statistics.ts'
import { insertOpenDrawers } from './open-drawers.ts'

const OPTIONS = {
  items: { default: 1_000, about: 'items in the catalog' },
  'past-sales': { default: 365_000, about: 'completed sales of earlier days in the database' },
  days: { default: 20, about: 'closed days' },
  sales: { default: 5_000, about: 'sales of each day' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>

const DAY_MS = 86_400_000
const COUNT = { cash: { by: 'sum', cents: 0 }, cardSlipsCents: null, chequesCents: null }

export const manager: Benchmark<typeof OPTIONS> = {
  name: 'manager',
  about: 'the end of the day: a drawer counted and closed, and its Z, in a database with a year of sales',
  options: OPTIONS,
  run: measureManager,
}

async function measureManager({ settings, folder, signal, log, atEnd }: Run): Promise<Measured> {
  const central = await startCentral({ folder: path.join(folder, 'central'), scheme: 'https' })
  atEnd(() => central.stop())
  const wire = await openWire(path.join(folder, 'scanner'))
  atEnd(() => wire.close())
  log(`inserting ${settings['past-sales']} past sales and ${settings.days} days of ${settings.sales}`)
  const lane = await startBenchLane({
    folder,
    central,
    scanner: wire.path,
    items: settings.items,
    pastSales: settings['past-sales'],
    screens: path.resolve('build/renderer'),
    people: [MANAGER],
    insertMore: (file) => {
      insertOpenDrawers(file, {
        drawers: settings.days,
        sales: settings.sales,
        lane: LANE,
        locationCode: LOCATION,
        atMs: Date.now() - DAY_MS,
      })
    },
  })
  atEnd(() => lane.running.stop('SIGKILL'))
  const client = await openApiClient(lane.running.ready, { id: MANAGER.id, pin: FIRST_PIN, newPin: MANAGER.pin })
  atEnd(async () => {
    client.close()
  })
  const bare = openBareCommits(folder)
  atEnd(async () => {
    bare.close()
  })

  // All past sales belong to one closed shift, and the Z report of that shift is made before the measurement.
  if (settings['past-sales'] > 0) await client.post('/api/z-reports', {})
  log('closing the days one after another')
  const { shifts } = await client.get<{ shifts: { id: number; state: string }[] }>('/api/shifts')
  const counts: number[] = []
  const closes: number[] = []
  const reports: number[] = []
  const timed = async (samples: number[], call: () => Promise<unknown>): Promise<void> => {
    const from = now()
    await call()
    samples.push(now() - from)
  }
  for (const { id } of shifts.filter(({ state }) => state === 'open').toReversed()) {
    signal.throwIfAborted()
    await timed(counts, () => client.post(`/api/shifts/${id}/counts`, { count: COUNT }))
    await timed(closes, () => client.post(`/api/shifts/${id}/close`, { reason: 'measured', leftCents: 0 }))
    await timed(reports, () => client.post('/api/z-reports', {}))
  }
  if (reports.length === 0) throw new Error('there was no day to close')
  const whole = reports.map((ms, day) => ms + (counts[day] ?? 0) + (closes[day] ?? 0))
  const p95 = percentile(
    whole.toSorted((a, b) => a - b),
    95,
  )
  return {
    measurements: [
      { name: 'count, close and Z of a day', role: 'result', samples: whole },
      { name: 'the count', role: 'stage', samples: counts },
      { name: 'the close of the drawer', role: 'stage', samples: closes },
      { name: 'the Z', role: 'stage', samples: reports },
      { name: 'bare commit', role: 'ceiling', samples: Array.from({ length: 200 }, () => bare.round(1)) },
    ],
    targets: [
      {
        name: `close of a day of ${settings.sales} sales, p95`,
        unit: 'ms',
        bound: 'below',
        limit: 1_000,
        value: Math.round(p95),
        low: Math.round(Math.min(...whole)),
        high: Math.round(Math.max(...whole)),
      },
    ],
    facts: { 'inserting past sales, s': Math.round(lane.pastSalesMs / 1_000) },
    notes: ['Over the local API, from the request to the response, when the Z is on disk and queued for printing.'],
  }
}
