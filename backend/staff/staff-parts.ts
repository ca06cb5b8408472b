import { uptime } from 'node:os'
import type { AuditTrail } from '../core/audit.ts'
import type { Clock } from '../core/clock.ts'
import type { Database } from '../core/db/database.ts'
import { createPlainTransact } from '../core/db/transact.ts'
import type { Seal } from '../core/integrity/seal.ts'
import type { Changes } from '../store/changes.ts'
import { createPinDoors } from './pin-doors.ts'
import { PRODUCTION_COST, type PinCost, TRAINING_COST, createPins } from './pins.ts'
import { createBadgeRows, createPinDoorRepository, createStaffRepository } from './staff.sql.ts'

const LEAST_PIN_DIGITS = 4

export interface StaffOptions {
  readonly db: Database
  readonly clock: Clock
  readonly audit: AuditTrail
  /** Called after each commit of the staff service. */
  readonly committed?: () => void
  /** Of the PIN verifiers; never in the database. */
  readonly pinKey: Uint8Array
  /**
   * Training: the PINs of the profile are public, so they may be common ones, cost little, and are nobody's secret to
   * change.
   */
  readonly training: boolean
  /** Whether a staff badge signs in here; left out: none does. */
  readonly badges?: () => boolean
  /** How long a PIN must be at least; four digits where it is left out. */
  readonly pinDigits?: () => number
  readonly cost?: PinCost
  readonly uptimeMs?: () => number
  /** Publishes changes to the other lanes of the store; left out: no other lane follows. */
  readonly store?: { readonly changes: Changes; readonly seal: Pick<Seal, 'seal' | 'open'> }
}

export type StaffParts = ReturnType<typeof staffPartsOf>

/** The first argument of the functions of this folder: installer's commands use them without a lane's context. */
export function staffPartsOf(options: StaffOptions) {
  const { db, clock, audit, pinKey, training, store } = options
  const cost = options.cost ?? (training ? TRAINING_COST : PRODUCTION_COST)
  return {
    clock,
    audit,
    pinKey,
    training,
    store,
    cost,
    badgesAllowed: options.badges ?? (() => false),
    pinDigits: options.pinDigits ?? (() => LEAST_PIN_DIGITS),
    rows: createStaffRepository(db),
    badgeRows: createBadgeRows(db),
    doors: createPinDoors({
      rows: createPinDoorRepository(db),
      clock,
      uptimeMs: options.uptimeMs ?? (() => Math.round(uptime() * 1000)),
      lockedUntil: new Map(),
    }),
    pins: createPins({ key: pinKey, cost }),
    atOnce: createPlainTransact(db, options.committed),
  }
}
