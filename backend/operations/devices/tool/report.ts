import type {
  DeviceConnection,
  DeviceDetails,
  InputRole,
  MaskedRead,
} from '../../../../contracts/operations/devices.ts'
import type { ScaleView } from '../../../../contracts/sales/weighing.ts'
import type { DeviceHealth, DeviceStatistics, DiskSpace } from '../../../../contracts/operations/diagnostics.ts'
import type { LaneSettings } from '../../../../contracts/core/profile.ts'
import type { PrintOutcome } from '../../../../hardware/index.ts'
import type { DeviceHub } from '../../../core/devices/hub.ts'
import { type Identity, identityOf } from './identity.ts'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { dataHomeSegments, laneFolderSegments } from '../../../../contracts/core/program.ts'
import { diskSpace } from '../../backups/backup.ts'

export interface DeviceReport {
  readonly role: DeviceHealth['role']
  readonly connection: DeviceConnection | null
  readonly identity: Identity | null
  readonly printer: { readonly language: string; readonly columns: number } | null
  readonly category: DeviceDetails['category'] | null
  readonly says: DeviceDetails['identity']
  readonly health: Omit<DeviceHealth, 'role'>
  readonly statistics: DeviceStatistics | null
  readonly lastRead: LastRead | null
  readonly scale: ScaleView | null
}

export interface LastRead {
  readonly kind: MaskedRead['kind']
  readonly last4: string | null
  readonly at: number
  /** How the number was entered, by the device (specification 3 §4.2), never by its content. */
  readonly entryMode: 'SWIPE' | 'SCAN'
}

export type PrintState = 'queued' | PrintOutcome['state']

export type ToolEvent =
  | { readonly kind: 'health'; readonly role: DeviceHealth['role'] }
  | { readonly kind: 'read'; readonly role: InputRole; readonly read: LastRead }
  | { readonly kind: 'weight'; readonly role: 'scale'; readonly scale: ScaleView }
  | { readonly kind: 'raw'; readonly role: InputRole | 'scale'; readonly hex: string; readonly text: string }
  | { readonly kind: 'test-page'; readonly state: PrintState; readonly detail: string | null }

export const lastReadOf = (role: InputRole, { kind, shown, at }: MaskedRead): LastRead => ({
  kind,
  last4: shown?.slice(-4) ?? null,
  at: Date.parse(at),
  entryMode: role === 'card-reader' ? 'SWIPE' : 'SCAN',
})

export async function reportOf(
  hub: Pick<DeviceHub, 'health' | 'details'>,
  lane: LaneSettings,
): Promise<DeviceReport[]> {
  const details = hub.details()
  return Promise.all(
    hub.health().map(async ({ role, ...health }) => {
      const { printer, scale } = lane.devices
      const device = details.find((candidate) => candidate.role === role)
      const connection = device?.connection ?? null
      const isInput = role === 'card-reader' || role === 'scanner'
      return {
        role,
        connection,
        health,
        identity: connection?.kind === 'serial' ? await identityOf(connection.path) : null,
        printer:
          role === 'printer' && printer
            ? { language: printer.language, columns: printer.columns }
            : role === 'scale' && scale
              ? { language: scale.protocol, columns: 0 }
              : null,
        category: device?.category ?? null,
        says: device?.identity ?? null,
        statistics: device?.statistics ?? null,
        lastRead: isInput && device?.lastRead ? lastReadOf(role, device.lastRead) : null,
        scale: device?.scale ?? null,
      }
    }),
  )
}

export const allHealthy = (reports: readonly DeviceReport[]): boolean =>
  reports.every(({ health: { state } }) => state === 'ready' || state === 'not-configured')

export interface LaneDiskSpace extends DiskSpace {
  readonly folder: string
}

export const usualFolder = (storeId: string, lane: string): string =>
  join(...dataHomeSegments(process.platform, process.env, homedir()), ...laneFolderSegments(storeId, lane))

/** Measures the space on the disk of the lane's data folder, which need not exist. Reads only sizes. */
export function laneDiskSpace(folder: string): LaneDiskSpace {
  let there = resolve(folder)
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there)
  return { folder, ...diskSpace(there, join(folder, 'terminal.db')) }
}
