import type { ConnectionCheck } from '../../../contracts/operations/connection.ts'
import type { ZReportList } from '../../../contracts/day/day-end.ts'
import type { BackupResult, BundleNotice, Maintenance } from '../../../contracts/operations/diagnostics.ts'
import type { DeviceFacts, QueueFacts } from '../../core/state/events.ts'

/** State of a lane from which the manager's tasks follow; null: not known yet. */
export interface LaneFacts {
  readonly now: number
  readonly queue: QueueFacts | null
  readonly devices: readonly DeviceFacts[]
  readonly maintenance: Maintenance | null
  readonly notOnPaper: number
  /** Number of receipts that could not be sent by e-mail. */
  readonly emails: number
  readonly held: number
  readonly waiting: ZReportList['waiting'] | null
  readonly check: ConnectionCheck | null
}

/** One task of the manager. `urgent`: to do before the store opens. */
export type Todo = { readonly urgent: boolean } & (
  | { readonly kind: 'undecided' | 'unsent' | 'receipts' | 'emails' | 'held'; readonly count: number }
  | { readonly kind: 'drawers'; readonly count: number }
  | { readonly kind: 'central' }
  | { readonly kind: 'device'; readonly device: DeviceFacts }
  | { readonly kind: 'backup'; readonly backup: BackupResult | null }
  | { readonly kind: 'clock'; readonly clock: Maintenance['clock'] }
  | { readonly kind: 'room'; readonly room: Maintenance['room'] }
  | { readonly kind: 'bundle'; readonly bundle: BundleNotice }
  | { readonly kind: 'certificate'; readonly host: string; readonly validTo: string }
  | { readonly kind: 'unchecked' }
)

/** Maximum age of a backup, a day and a half: a lane that was closed overnight has yesterday's backup. */
const BACKUP_AGE_MS = 36 * 3_600_000
/** Time before a certificate expires at which the task appears. */
const CERTIFICATE_MS = 30 * 24 * 3_600_000

const PROBLEM_STATES = new Set<DeviceFacts['state']>(['unavailable', 'needs-attention'])

export function todosOf(facts: LaneFacts): Todo[] {
  const todos = [...milesOf(facts), ...laneOf(facts), ...tillOf(facts), ...connectionOf(facts)]
  return [...todos.filter(({ urgent }) => urgent), ...todos.filter(({ urgent }) => !urgent)]
}

function* milesOf({ queue }: LaneFacts): Generator<Todo> {
  if (!queue) return
  if (queue.attention > 0) yield { kind: 'undecided', count: queue.attention, urgent: true }
  if (queue.central !== 'online' && queue.central !== 'unknown') yield { kind: 'central', urgent: true }
  if (queue.waiting > 0) yield { kind: 'unsent', count: queue.waiting, urgent: false }
}

function* laneOf({ devices, maintenance, now }: LaneFacts): Generator<Todo> {
  for (const device of devices) if (PROBLEM_STATES.has(device.state)) yield { kind: 'device', device, urgent: true }
  if (!maintenance) return
  const { clock, backup, room, bundle } = maintenance
  if (bundle) yield { kind: 'bundle', bundle, urgent: true }
  if (clock.state !== 'right') yield { kind: 'clock', clock, urgent: true }
  if (room.state !== 'enough') yield { kind: 'room', room, urgent: room.state === 'short' }
  if (backup?.outcome !== 'kept' || now - Date.parse(backup.at) > BACKUP_AGE_MS)
    yield { kind: 'backup', backup, urgent: false }
}

function* tillOf({ notOnPaper, emails, held, waiting }: LaneFacts): Generator<Todo> {
  if (notOnPaper > 0) yield { kind: 'receipts', count: notOnPaper, urgent: false }
  if (emails > 0) yield { kind: 'emails', count: emails, urgent: false }
  if (held > 0) yield { kind: 'held', count: held, urgent: false }
  const drawers = waiting ? waiting.closed + waiting.counted : 0
  if (drawers > 0) yield { kind: 'drawers', count: drawers, urgent: false }
}

function* connectionOf({ check, now }: LaneFacts): Generator<Todo> {
  if (!check) {
    yield { kind: 'unchecked', urgent: false }
    return
  }
  for (const { host, validTo } of check.steps.flatMap(({ hosts }) => hosts))
    if (validTo !== null && Date.parse(validTo) - now < CERTIFICATE_MS)
      yield { kind: 'certificate', host, validTo, urgent: Date.parse(validTo) <= now }
}
