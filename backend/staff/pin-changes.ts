import { randomBytes, randomInt } from 'node:crypto'
import { isCommonPin } from '../../contracts/staff/common-pin.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import { PinSecret } from '../../contracts/store/changes.ts'
import type { Tx } from '../core/db/transact.ts'
import { placeOf } from '../core/integrity/seal.ts'
import { ProblemError } from '../core/problem.ts'
import type { TakenChange } from '../store/changes.ts'
import { type Pins, createPins } from './pins.ts'
import type { StaffParts } from './staff-parts.ts'
import type { StorePin } from './staff.sql.ts'

const KEY_BYTES = 32
/** Digits of a one-time PIN: it is read from a screen once, and waits for its owner for hours. */
const ONE_TIME_DIGITS = 6

const place = (staffId: string): string => placeOf('staff_store_pin', 'key_sealed', staffId)

/**
 * What the other lanes are given of a PIN; made before the transaction that sets it, for it is slow. A lane's own
 * verifiers are keyed with the lane's key and say nothing elsewhere; what travels is a verifier as slow as these, under
 * a key that was drawn for it alone. Decision 30.
 */
async function secretOf({ store, cost }: StaffParts, pin: string): Promise<PinSecret | undefined> {
  if (!store) return undefined
  const key = randomBytes(KEY_BYTES)
  return { verifier: await createPins({ key, cost }).hash(pin), key: key.toString('base64') }
}

/** What checks a PIN that was set at another lane; null: no other lane is followed. */
export const storePinsOf = ({ store, cost }: StaffParts, staffId: string, { keySealed }: StorePin): Pins | null =>
  store ? createPins({ key: store.seal.open(keySealed, place(staffId)), cost }) : null

/** Makes it known to the other lanes, where they follow. */
function tell(
  { store }: StaffParts,
  tx: Tx,
  staffId: string,
  secret: PinSecret | undefined,
  actorId: string | null,
  temporary: boolean,
): void {
  if (secret)
    store?.changes.tell(tx, { kind: 'person-pin', subject: staffId, value: { temporary }, byId: actorId, secret })
}

/** A PIN that another than its owner sets lifts every lock of theirs. Throws ProblemError `not-found`. */
async function put(
  staff: StaffParts,
  staffId: string,
  pin: string,
  actorId: string | null,
  temporary: boolean,
): Promise<void> {
  if (!staff.rows.find(staffId)) throw new ProblemError('not-found')
  // What the machine itself is given at its enrolment, every lane is: that is no change of a PIN.
  const told = actorId === null ? undefined : secretOf(staff, pin)
  const [hash, secret] = await Promise.all([staff.pins.hash(pin), told])
  staff.atOnce((tx) => {
    staff.rows.setPinHash(tx, staffId, hash, { temporary })
    tell(staff, tx, staffId, secret, actorId, temporary)
    staff.doors.openAll(tx, staffId)
    staff.audit.record(tx, { kind: 'pin-set', actorId, subject: staffId })
  })
}

/** The PIN of one person of a training profile, unless it is already theirs. */
export async function putTrainingPin(
  { rows, pins, atOnce }: StaffParts,
  { id, trainingPin }: Profile['staff'][number],
): Promise<void> {
  if (trainingPin === undefined) return
  const { pinHash: stored = null, temporary = false } = rows.credentials(id) ?? {}
  if (stored !== null && !temporary && !pins.isOutdated(stored) && (await pins.verify(trainingPin, stored))) return
  const hash = await pins.hash(trainingPin)
  atOnce((tx) => {
    rows.setPinHash(tx, id, hash, { temporary: false })
  })
}

/** A PIN of one's own. Throws ProblemError `pin-not-new`, `pin-too-short`, `pin-common`. */
export async function changePin(staff: StaffParts, staffId: string, pin: string, newPin: string): Promise<void> {
  if (newPin === pin) throw new ProblemError('pin-not-new')
  if (newPin.length < staff.pinDigits()) throw new ProblemError('pin-too-short')
  if (!staff.training && isCommonPin(newPin)) throw new ProblemError('pin-common')
  const [hash, secret] = await Promise.all([staff.pins.hash(newPin), secretOf(staff, newPin)])
  staff.atOnce((tx) => {
    staff.rows.setPinHash(tx, staffId, hash, { temporary: false })
    tell(staff, tx, staffId, secret, staffId, false)
    staff.audit.record(tx, { kind: 'pin-changed', actorId: staffId, subject: staffId })
  })
}

export async function setPin(staff: StaffParts, staffId: string, pin: string, actorId: string | null): Promise<void> {
  const { training } = staff
  if (!/^\d{4,8}$/.test(pin)) throw new RangeError('a PIN has four to eight digits')
  if (!training && pin.length < staff.pinDigits()) throw new ProblemError('pin-too-short')
  if (!training && isCommonPin(pin)) throw new ProblemError('pin-common')
  await put(staff, staffId, pin, actorId, !training)
}

export async function resetPin(staff: StaffParts, staffId: string, actorId: string): Promise<string> {
  const pin = oneTimePin(Math.max(staff.pinDigits(), ONE_TIME_DIGITS))
  await put(staff, staffId, pin, actorId, true)
  return pin
}

/** As it was set at another lane. Throws for one that came without its verifier. */
export function takePin(
  { store, rows, doors, audit }: StaffParts,
  tx: Tx,
  { subject, value: { temporary }, byId, secret, detail }: TakenChange<{ readonly temporary: boolean }>,
): void {
  if (!store) throw new Error('nobody follows the PINs of the store here')
  const { verifier, key } = PinSecret.parse(secret)
  const keySealed = store.seal.seal(Buffer.from(key, 'base64'), place(subject))
  rows.setStorePin(tx, subject, { verifier, keySealed, temporary })
  if (byId !== subject) doors.openAll(tx, subject)
  audit.record(tx, { kind: byId === subject ? 'pin-changed' : 'pin-set', actorId: byId, subject, detail })
}

/** Chance, and none of those that a thief would try first. */
function oneTimePin(digits: number): string {
  for (;;) {
    const pin = String(randomInt(10 ** digits)).padStart(digits, '0')
    if (!isCommonPin(pin)) return pin
  }
}
