import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify } from 'yaml'
import type { Centre } from '../../e2e/centre.ts'
import { start, type RunningProcess } from '../../e2e/processes.ts'
import { catalogCsv } from './items.ts'
import { layPastSales } from './past-sales.ts'

export interface LaneReady { readonly url: string; readonly launchUrl: string }

export interface BenchLane {
  readonly running: RunningProcess<LaneReady>
  /** Milliseconds that laying the past sales took. */
  readonly pastSalesMs: number
  /** Milliseconds from the start of the backend to its readiness, the import of the catalog included. */
  readonly firstStartMs: number
}

export const CASHIER = { id: 'alex', name: 'Alex Tremblay', pin: '2468' }
const LANE = '01'
const LOCATION = 'N101'

export interface BenchLaneOptions {
  readonly folder: string
  readonly centre: Centre
  /** The near end of the scanner's wire. */
  readonly scanner: string
  readonly items: number
  readonly pastSales: number
  /** Folder of the built renderer. */
  readonly screens: string
}

/**
 * A lane of a store with a large catalog and a past: set up as an installer would (profile, secret, PIN), then the
 * backend as a process of its own, in production mode, with its scanner on a pseudo-terminal.
 */
export async function startBenchLane({ folder, centre, scanner, items, pastSales, screens }: BenchLaneOptions): Promise<BenchLane> {
  const profile = path.join(folder, 'store.yaml')
  const data = path.join(folder, 'data')
  await writeFile(path.join(folder, 'catalog.csv'), catalogCsv(items))
  await writeFile(profile, stringify(profileOf(centre, scanner)))
  await provision(['set-secret', '--data', data], centre.ready.clientSecret)
  // Makes the database with its schema and its staff.
  await provision(['set-pin', '--data', data, '--profile', profile, '--staff', CASHIER.id], CASHIER.pin)
  const laid = performance.now()
  layPastSales(path.join(data, 'terminal.db'), { count: pastSales, lane: LANE, cashierId: CASHIER.id, locationCode: LOCATION, beforeMs: Date.now() })
  const begun = performance.now()
  const running = await start<LaneReady>(['backend/main.ts', '--profile', profile, '--data', data, '--static', screens, '--exit-with-stdin', '--log-level', 'warn'])
  return { running, pastSalesMs: begun - laid, firstStartMs: performance.now() - begun }
}

const profileOf = ({ ready }: Centre, scanner: string): object => ({
  mode: 'production',
  store: { id: LOCATION, name: 'Northstar Front Street' },
  region: 'ON',
  timeZone: 'America/Toronto',
  locales: { default: 'en-CA' },
  program: { sponsorCode: 'NRTH', vendorId: 'NORTHSTAR', acquirerId: 'NORTHSTAR', provider: 'NORTHSTAR', program: 'CORE', locationCode: LOCATION, originClient: 'internal:pos:milepost' },
  lanes: [{ id: LANE, deviceId: `${LOCATION}-${LANE}`, devices: { scanner: { connection: { kind: 'serial', path: scanner, baudRate: 9600 } } } }],
  endpoints: { offers: ready.url, issuance: ready.url, cash: ready.url, token: { url: ready.tokenUrl, clientId: ready.clientId } },
  catalog: { file: 'catalog.csv' },
  staff: [{ id: CASHIER.id, name: CASHIER.name, role: 'cashier', locale: 'en-CA' }],
})

/** The installer's own command, fed by standard input. */
async function provision(args: readonly string[], value: string): Promise<void> {
  const child = spawn(process.execPath, ['backend/provision.ts', ...args], { stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => { said += chunk.toString() })
  child.stdin.end(`${value}\n`)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`provision ${args[0] ?? ''} failed: ${said}`)
}
