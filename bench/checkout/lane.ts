import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import type { Central } from '../../packages/lab/rig/central.ts'
import { northstar, provision } from '../../e2e/installer.ts'
import { CASHIER, FIRST_PIN, MANAGER } from '../../e2e/lane.ts'
import { start, type RunningProcess, type LaneReady } from '../../packages/lab/rig/process.ts'
import { catalogCsv, type PlaceOf } from './items.ts'
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

export const LANE = '01'
export const LOCATION = 'N101'

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
  /** More that is laid into the terminal's database before it starts, past the program. */
  readonly alsoLay?: (file: string) => void
  /** Who gets the first PIN. */
  readonly people?: readonly { readonly id: string }[]
  /** Where two lanes sell, each has its own. */
  readonly lane?: string
  /** Sections of the profile in the place of the store's own. */
  readonly profile?: object
  readonly placeOf?: PlaceOf
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
  alsoLay,
  people = [CASHIER],
  lane = LANE,
  profile: sections = {},
  placeOf,
}: BenchLaneOptions): Promise<BenchLane> {
  const profile = path.join(folder, 'store.yaml')
  const data = path.join(folder, 'data')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'catalog.csv'), catalogCsv(items, placeOf))
  await writeFile(profile, stringify({ ...profileOf(central, scanner, lane), ...sections }))
  await provision(['set-secret', '--data', data], central.clientSecret)
  // Makes the database with its schema and its staff.
  for (const { id } of people)
    await provision(['set-pin', '--data', data, '--profile', profile, '--staff', id], FIRST_PIN)
  const laid = performance.now()
  layPastSales(path.join(data, 'terminal.db'), {
    count: pastSales,
    lane,
    cashierId: CASHIER.id,
    locationCode: LOCATION,
    beforeMs: Date.now(),
  })
  alsoLay?.(path.join(data, 'terminal.db'))
  // What was written past the program would be found out at the start.
  if (pastSales > 0 || alsoLay) execFileSync(process.execPath, ['packages/lab/testing/take-into-care.ts', data])
  const begin = (): Promise<RunningProcess<LaneReady>> =>
    start(
      [program, '--profile', profile, '--data', data, '--static', screens, '--exit-with-stdin', '--log-level', 'warn'],
      environment,
    )
  const begun = performance.now()
  const running = await begin()
  return { running, start: begin, pastSalesMs: begun - laid, firstStartMs: performance.now() - begun }
}

const profileOf = (central: Central, scanner: string, lane: string): object => ({
  ...northstar(central),
  lanes: [
    {
      id: lane,
      deviceId: `${LOCATION}-${lane}`,
      devices: { scanner: { connection: { kind: 'serial', path: scanner, baudRate: 9600 } } },
    },
  ],
  staff: [
    { id: CASHIER.id, name: CASHIER.name, role: 'cashier', locale: 'en-CA' },
    { id: MANAGER.id, name: MANAGER.name, role: 'manager', locale: 'en-CA' },
  ],
})
