import type { DeviceHealth, DeviceStatistics } from '../../../contracts/api/diagnostics.ts'
import type { Lane, PrinterConnection } from '../../../contracts/profile.ts'
import { troubleOf, type PrintOutcome, type Trouble } from '../../../hardware/index.ts'
import type { DeviceHub, SeenRead } from '../hub.ts'
import { identityOf, type Identity } from './identity.ts'

/** What the tool knows of one device: the same for the screen, for lines and for machines. */
export interface DeviceReport {
  readonly role: DeviceHealth['role']
  /** null: the profile names none. A drawer's switch hangs on the printer. */
  readonly connection: PrinterConnection | { readonly kind: 'printer' } | null
  /** Of a serial port; null otherwise. */
  readonly identity: Identity | null
  /** Of a printer; null otherwise. */
  readonly printer: { readonly language: string; readonly columns: number } | null
  readonly health: Omit<DeviceHealth, 'role'>
  readonly trouble: Trouble | null
  readonly statistics: Omit<DeviceStatistics, 'role'> | null
  readonly lastRead: LastRead | null
}

export interface LastRead extends SeenRead {
  /** Epoch ms. */
  readonly at: number
  /** By the channel that it came on (specification 3 §4.2), never by what it says. */
  readonly entryMode: 'SWIPE' | 'SCAN'
}

export type PrintState = 'queued' | PrintOutcome['state']

/** What happens while the tool looks. */
export type ToolEvent =
  | { readonly kind: 'health'; readonly role: DeviceHealth['role'] }
  | { readonly kind: 'read'; readonly role: DeviceStatistics['role']; readonly read: LastRead }
  | { readonly kind: 'raw'; readonly role: DeviceStatistics['role']; readonly hex: string; readonly text: string }
  | { readonly kind: 'test-page'; readonly state: PrintState; readonly detail: string | null }

const connectionOf = (role: DeviceHealth['role'], { cardReader, scanner, printer, lineDisplay }: Lane['devices']): DeviceReport['connection'] => {
  switch (role) {
    case 'card-reader': return cardReader?.connection ?? null
    case 'scanner': return scanner?.connection ?? null
    case 'printer': return printer?.connection ?? null
    case 'line-display': return lineDisplay?.connection ?? null
    case 'drawer': return printer?.drawer ? { kind: 'printer' } : null
  }
}

/** Every role of the lane, as it is now. */
export async function reportOf(hub: Pick<DeviceHub, 'health' | 'details'>, lane: Lane, lastReads: ReadonlyMap<DeviceHealth['role'], LastRead>): Promise<DeviceReport[]> {
  const statistics = new Map<DeviceHealth['role'], DeviceReport['statistics']>(hub.details().map((device) => [device.role, device.statistics]))
  return Promise.all(hub.health().map(async ({ role, ...health }) => {
    const connection = connectionOf(role, lane.devices)
    const { printer } = lane.devices
    return {
      role, connection, health,
      identity: connection?.kind === 'serial' ? await identityOf(connection.path) : null,
      printer: role === 'printer' && printer ? { language: printer.language, columns: printer.columns } : null,
      trouble: troubleOf(health.detail),
      statistics: statistics.get(role) ?? null,
      lastRead: lastReads.get(role) ?? null,
    }
  }))
}

/** What is configured is ready; what is not configured is nobody's trouble. */
export const allHealthy = (reports: readonly DeviceReport[]): boolean => reports.every(({ health: { state } }) => state === 'ready' || state === 'not-configured')
