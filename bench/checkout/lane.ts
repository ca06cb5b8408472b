import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import type { Central } from '../../packages/lab/rig/central.ts'
import { northstar, provision } from '../../e2e/installer.ts'
import { CASHIER, FIRST_PIN, MANAGER } from '../../e2e/lane.ts'
import { start, type RunningProcess, type LaneReady } from '../../packages/lab/rig/process.ts'
import { catalogCsv, type PlaceOf } from './items.ts'
import { insertPastSales } from './past-sales.ts'

export interface BenchLane {
  readonly running: RunningProcess<LaneReady>
  start(): Promise<RunningProcess<LaneReady>>
  readonly pastSalesMs: number
  readonly firstStartMs: number
}

export const LANE = '01'
export const LOCATION = 'N101'

export interface BenchLaneOptions {
  readonly folder: string
  readonly central: Central
  readonly scanner: string
  readonly items: number
  readonly pastSales: number
  readonly screens: string
  readonly program?: string
  readonly environment?: Record<string, string>
  readonly insertMore?: (file: string) => void
  readonly people?: readonly { readonly id: string }[]
  readonly lane?: string
  readonly profile?: object
  readonly placeOf?: PlaceOf
}

/**
 * Starts a lane of a store with a large catalog and past sales: provisioned as by an installer (profile, secret, PIN),
 * then the backend in production mode as a process of its own, with its scanner on a pseudo-terminal.
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
  insertMore,
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
  // The provisioning creates the database with its schema and staff.
  for (const { id } of people)
    await provision(['set-pin', '--data', data, '--profile', profile, '--staff', id], FIRST_PIN)
  const laid = performance.now()
  insertPastSales(path.join(data, 'terminal.db'), {
    count: pastSales,
    lane,
    cashierId: CASHIER.id,
    locationCode: LOCATION,
    beforeMs: Date.now(),
  })
  insertMore?.(path.join(data, 'terminal.db'))
  // Seal the digests of the inserted rows: otherwise the start would report the rows as changed by another program.
  if (pastSales > 0 || insertMore) execFileSync(process.execPath, ['packages/lab/testing/seal-rows.ts', data])
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
