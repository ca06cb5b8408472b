import type { ConnectionStatus } from '../../../contracts/api/connection.ts'
import type { DeviceDetails } from '../../../contracts/api/devices.ts'
import type { CentralState, ClockHealth, DeviceHealth } from '../../../contracts/api/diagnostics.ts'
import type { BackupCopies } from '../../../contracts/api/backups.ts'
import type { OfferLists } from '../../../contracts/api/offers-manager.ts'
import type { StopReason } from '../../../contracts/api/session.ts'
import type { Setting } from '../../../contracts/api/settings.ts'
import { isoOf } from '../../clock.ts'
import { harmlessValue, systemCode } from './lane-facts.ts'
import { boundedSeconds, MOST_ROUNDED } from './rounded.ts'

/** The parts of a running terminal that know its state. */
export interface RunningLane {
  readonly startedAt: number
  readonly timeZone: string
  readonly stopped: () => StopReason | null
  readonly clock: () => ClockHealth
  readonly health: () => readonly DeviceHealth[]
  readonly details: () => readonly DeviceDetails[]
  readonly central: () => CentralState
  readonly connection: () => Pick<ConnectionStatus, 'state' | 'since'>
  readonly copies: () => Pick<BackupCopies, 'state'>
  readonly offers: () => OfferLists
  readonly settings: () => readonly Setting[]
}

export type RunningFacts = ReturnType<typeof runningFacts>

/** What only a running terminal knows, of each thing its state and never what came through it. */
export function runningFacts(lane: RunningLane, now: number) {
  const details = lane.details()
  return {
    program: {
      timeZone: lane.timeZone,
      startedAt: isoOf(lane.startedAt),
      uptimeSeconds: boundedSeconds((now - lane.startedAt) / 1_000),
      stopped: lane.stopped(),
    },
    clock: lane.clock(),
    devices: lane.health().map((device) =>
      deviceFacts(
        device,
        details.find(({ role }) => role === device.role),
      ),
    ),
    central: lane.central(),
    connection: lane.connection(),
    copies: lane.copies().state,
    offersFailed: new Map<string, string | null>(
      lane.offers().lists.map(({ locale, failed }) => [locale, failed?.cause ?? null]),
    ),
    settings: lane
      .settings()
      .filter(({ differs }) => differs)
      .map(({ name, value }) => ({ name, value: harmlessValue(name, value) })),
  }
}

/** No path, no address, no serial number, and nothing of what was read. */
const deviceFacts = ({ role, state, position, trouble }: DeviceHealth, details: DeviceDetails | undefined) => ({
  role,
  state,
  position: position ?? null,
  trouble: trouble?.kind ?? null,
  code: systemCode(trouble?.code),
  connection: details?.connection.kind ?? null,
  statistics: Object.fromEntries(
    Object.entries(details?.statistics ?? {}).map(([name, count]) => [name, Math.min(count, MOST_ROUNDED)]),
  ),
  jobs: details?.jobs ?? null,
})
