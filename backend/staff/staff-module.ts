import { uptime } from 'node:os'
import { createPlainTransact } from '../core/db/transact.ts'
import type { Seal } from '../core/integrity/seal.ts'
import { type Changes, changesOf } from '../store/changes.ts'
import { createPinLimits } from './pin-limits.ts'
import { PRODUCTION_COST, type PinCost, TRAINING_COST, createPins, pinKeyOf } from './pins.ts'
import { createBadgeRows, createPinLimitRepository, createStaffRepository } from './staff.sql.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { programOf } from '../core/program/lane-program.ts'
import { plainTransactOf } from '../core/record.ts'

/** Not a lane's context, because an installer's CLI commands set PINs without one. */
type StaffContext = Pick<Ctx, 'db' | 'clock' | 'audit' | 'profile'>

export type StaffModule = ReturnType<typeof staffModuleOf>

/**
 * First argument of the functions in this folder. `pinKey`: key of the PIN verifiers, which is never in the database.
 * Without `store`, changes are not sent to other lanes.
 */
export function staffModuleOf(
  { db, clock, audit, profile }: StaffContext,
  pinKey: Uint8Array,
  /**
   * The PINs of a training profile are public: they may be common, have a low cost, and need no change by their owner.
   */
  cost: PinCost = profile.mode === 'training' ? TRAINING_COST : PRODUCTION_COST,
  uptimeMs = (): number => Math.round(uptime() * 1000),
) {
  return {
    clock,
    audit,
    pinKey,
    training: profile.mode === 'training',
    store: undefined as { readonly changes: Changes; readonly seal: Pick<Seal, 'seal' | 'open'> } | undefined,
    cost,
    badgesAllowed: () => profile.signIn.badges,
    pinDigits: () => profile.limits.pinDigits,
    rows: createStaffRepository(db),
    badgeRows: createBadgeRows(db),
    pinLimits: createPinLimits({
      rows: createPinLimitRepository(db),
      clock,
      uptimeMs,
      lockedUntil: new Map(),
    }),
    pins: createPins({ key: pinKey, cost }),
    atOnce: createPlainTransact(db),
  }
}

/** Staff of a lane. Changes of people, PINs and badges are sent to the other lanes of the store. */
export const laneStaffOf = perLane((ctx): StaffModule => ({
  ...staffModuleOf(ctx, pinKeyOf(programOf(ctx).folder.masterKey)),
  atOnce: plainTransactOf(ctx),
  store: { changes: changesOf(ctx), seal: ctx.seal },
}))
