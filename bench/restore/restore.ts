import { once } from 'node:events'
import { statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import type { Backups as BackupsAnswer } from '../../contracts/operations/backups.ts'
import { startCentral } from '../../packages/lab/rig/central.ts'
import { FIRST_PIN, MANAGER } from '../../e2e/lane.ts'
import { openWire } from '../../e2e/pty.ts'
import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { openApiClient, type ApiClient } from '../checkout/api-client.ts'
import { now } from '../checkout/clock.ts'
import { itemAt } from '../checkout/items.ts'
import { startBenchLane } from '../checkout/lane.ts'

const OPTIONS = {
  items: { default: 1_000, about: 'items in the catalog' },
  'past-sales': { default: 365_000, about: 'completed sales of the year in the database' },
  sales: { default: 20, about: 'sales after the backup, lost by the restore' },
} as const
type Run = BenchmarkRun<typeof OPTIONS>
type Backups = z.infer<typeof BackupsAnswer>

/** Limit from the manager’s PIN to a lane that is ready again after a restore, in milliseconds. */
const LIMIT_MS = 120_000
const LOOK_MS = 100

export const restore: Benchmark<typeof OPTIONS> = {
  name: 'restore',
  about: 'a year of sales: a manual backup, the preview of a restore, and the restore',
  options: OPTIONS,
  run: measureRestore,
}

async function measureRestore({ settings, folder, signal, log, atEnd }: Run): Promise<Measured> {
  const central = await startCentral({ folder: path.join(folder, 'central'), scheme: 'https' })
  atEnd(() => central.stop())
  const wire = await openWire(path.join(folder, 'scanner'))
  atEnd(() => wire.close())
  log(`inserting ${settings['past-sales']} past sales`)
  const lane = await startBenchLane({
    folder,
    central,
    scanner: wire.path,
    items: settings.items,
    pastSales: settings['past-sales'],
    screens: path.resolve('build/renderer'),
    people: [MANAGER],
  })
  atEnd(() => lane.running.stop('SIGKILL'))
  const client = await openApiClient(lane.running.ready, { id: MANAGER.id, pin: FIRST_PIN, newPin: MANAGER.pin })
  atEnd(async () => {
    client.close()
  })

  log('backing up and verifying the copy')
  const began = now()
  await client.post('/api/backups', {})
  const { last, backups } = await ended(client, signal)
  const backupMs = now() - began
  const [backup] = backups.filter(({ kind }) => kind === 'hand')
  if (last?.outcome !== 'kept' || !backup) throw new Error(`the backup was not stored: ${last?.outcome}`)
  for (let sale = 0; sale < settings.sales; sale += 1) await client.payByCard(await client.ring(itemAt(sale).sku))

  log('requesting the preview of a restore')
  const asked = now()
  await client.post(`/api/backups/${backup.name}/preview`, {})
  const { preview } = await ended(client, signal)
  const previewMs = now() - asked
  if (!preview || preview.refusal !== null) throw new Error(`the preview failed: ${preview?.refusal ?? 'no result'}`)
  const lost = preview.lost.find(({ kind }) => kind === 'sales')?.count
  if (lost !== settings.sales) throw new Error(`${settings.sales} sales would be lost, but the preview has ${lost}`)

  log('restoring')
  const exited = once(lane.running.child, 'exit')
  const requested = now()
  const approval = { staffId: MANAGER.id, pin: MANAGER.pin, covers: preview.covers }
  await client.post('/api/backups/restore', { covers: preview.covers, approval })
  await exited
  const stoppedMs = now() - requested
  const again = await lane.start()
  const restoreMs = now() - requested
  atEnd(() => again.stop('SIGKILL'))
  const manager = await openApiClient(again.ready, { id: MANAGER.id, pin: MANAGER.pin })
  const { restored, epoch } = await manager.get<Backups>('/api/backups')
  manager.close()
  if (restored?.outcome !== 'restored' || epoch !== 2) throw new Error(`the restore failed: ${restored?.reason}`)
  return {
    measurements: [
      { name: 'from the PIN to a lane that is ready', role: 'result', samples: [restoreMs] },
      { name: 'until the program has ended', role: 'stage', samples: [stoppedMs] },
      { name: 'the preview', role: 'stage', samples: [previewMs] },
      { name: 'the backup with its verification', role: 'stage', samples: [backupMs] },
      { name: 'a first start on the same database', role: 'peer', samples: [lane.firstStartMs] },
    ],
    targets: [
      {
        name: 'restore of a year of sales',
        unit: 'ms',
        bound: 'below',
        limit: LIMIT_MS,
        value: Math.round(restoreMs),
        low: Math.round(restoreMs),
        high: Math.round(restoreMs),
      },
    ],
    facts: {
      'database, MB': Math.round(statSync(path.join(folder, 'data', 'terminal.db')).size / 1e6),
      'backup, MB': Math.round(backup.bytes / 1e6),
      'lost sales in the preview': lost,
    },
    notes: ['The benchmark itself starts the program again after the restore, without the time of a shell.'],
  }
}

async function ended(client: ApiClient, signal: AbortSignal): Promise<Backups> {
  for (;;) {
    signal.throwIfAborted()
    const backups = await client.get<Backups>('/api/backups')
    if (backups.work === null) return backups
    await sleep(LOOK_MS)
  }
}
