import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import type { Central } from '../../e2e/central.ts'
import { northstar, provision } from '../../e2e/installer.ts'
import { CASHIER, FIRST_PIN, MANAGER, type LaneReady } from '../../e2e/lane.ts'
import { start, type RunningProcess } from '../../e2e/processes.ts'
import { catalogCsv } from './items.ts'
import { layPastSales } from './past-sales.ts'

export interface BenchLane {
  readonly running: RunningProcess<LaneReady>
  /** Starts the backend on the same folder again, once it has stopped. */
  start(): Promise<RunningProcess<LaneReady>>
  /** Milliseconds that laying the past sales took. */
  readonly pastSalesMs: number
  /** Milliseconds from the start of the backend to its readiness, the import of the catalog included. */
  readonly firstStartMs: number
}

const LANE = '01'
const LOCATION = 'N101'

export interface BenchLaneOptions {
  readonly folder: string
  readonly central: Central
  /** The near end of the scanner's wire. */
  readonly scanner: string
  readonly items: number
  readonly pastSales: number
  /** Folder of the built renderer. */
  readonly screens: string
  /** The backend's main file; in the sources unless it is said. */
  readonly program?: string
  readonly environment?: Record<string, string>
  /** The manager has a PIN too. */
  readonly withManager?: boolean
}

/**
 * A lane of a store with a large catalog and a past: set up as an installer would (profile, secret, PIN), then the
 * backend as a process of its own, in production mode, with its scanner on a pseudo-terminal.
 */
export async function startBenchLane({
  folder,
  central,
  scanner,
  items,
  pastSales,
  screens,
  program = 'backend/main.ts',
  environment = {},
  withManager = false,
}: BenchLaneOptions): Promise<BenchLane> {
  const profile = path.join(folder, 'store.yaml')
  const data = path.join(folder, 'data')
  await writeFile(path.join(folder, 'catalog.csv'), catalogCsv(items))
  await writeFile(profile, stringify(profileOf(central, scanner)))
  await provision(['set-secret', '--data', data], central.ready.clientSecret)
  // Makes the database with its schema and its staff.
  await provision(['set-pin', '--data', data, '--profile', profile, '--staff', CASHIER.id], FIRST_PIN)
  if (withManager) await provision(['set-pin', '--data', data, '--profile', profile, '--staff', MANAGER.id], FIRST_PIN)
  const laid = performance.now()
  layPastSales(path.join(data, 'terminal.db'), {
    count: pastSales,
    lane: LANE,
    cashierId: CASHIER.id,
    locationCode: LOCATION,
    beforeMs: Date.now(),
  })
  // What was written past the program would be found out at the start.
  if (pastSales > 0) execFileSync(process.execPath, ['backend/testing/take-into-care.ts', data])
  const begin = (): Promise<RunningProcess<LaneReady>> =>
    start(
      [program, '--profile', profile, '--data', data, '--static', screens, '--exit-with-stdin', '--log-level', 'warn'],
      environment,
    )
  const begun = performance.now()
  const running = await begin()
  return { running, start: begin, pastSalesMs: begun - laid, firstStartMs: performance.now() - begun }
}

const profileOf = ({ ready }: Central, scanner: string): object => ({
  ...northstar(ready),
  lanes: [
    {
      id: LANE,
      deviceId: `${LOCATION}-${LANE}`,
      devices: { scanner: { connection: { kind: 'serial', path: scanner, baudRate: 9600 } } },
    },
  ],
  staff: [
    { id: CASHIER.id, name: CASHIER.name, role: 'cashier', locale: 'en-CA' },
    { id: MANAGER.id, name: MANAGER.name, role: 'manager', locale: 'en-CA' },
  ],
})
