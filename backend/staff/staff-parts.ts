import { uptime } from 'node:os'
import { createPlainTransact } from '../core/db/transact.ts'
import type { Seal } from '../core/integrity/seal.ts'
import { type Changes, changesOf } from '../store/changes.ts'
import { createPinDoors } from './pin-doors.ts'
import { PRODUCTION_COST, type PinCost, TRAINING_COST, createPins, pinKeyOf } from './pins.ts'
import { createBadgeRows, createPinDoorRepository, createStaffRepository } from './staff.sql.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { programOf } from '../core/program/lane-program.ts'
import { plainlyOf } from '../core/record.ts'

/** An installer's commands set PINs without a whole lane. */
type StaffContext = Pick<Ctx, 'db' | 'clock' | 'audit' | 'profile'>

export type StaffParts = ReturnType<typeof staffPartsOf>

/**
 * The first argument of the functions of this folder. `pinKey` keys the PIN verifiers and is never in the database.
 * Without `store` no other lane follows.
 */
export function staffPartsOf(
  { db, clock, audit, profile }: StaffContext,
  pinKey: Uint8Array,
  /** Public PINs of a training profile may be common ones, cost little, and are no secret that a person changes. */
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
    doors: createPinDoors({
      rows: createPinDoorRepository(db),
      clock,
      uptimeMs,
      lockedUntil: new Map(),
    }),
    pins: createPins({ key: pinKey, cost }),
    atOnce: createPlainTransact(db),
  }
}

/** Those of the lane: its changes of people, PINs and badges reach the other lanes of its store. */
export const laneStaffOf = perLane((ctx): StaffParts => ({
  ...staffPartsOf(ctx, pinKeyOf(programOf(ctx).folder.masterKey)),
  atOnce: plainlyOf(ctx),
  store: { changes: changesOf(ctx), seal: ctx.seal },
}))
