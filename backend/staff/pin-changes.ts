import { randomBytes, randomInt } from 'node:crypto'
import { isCommonPin } from '../../contracts/staff/common-pin.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import { PinSecret } from '../../contracts/store/changes.ts'
import type { Tx } from '../core/db/transact.ts'
import { placeOf } from '../core/integrity/seal.ts'
import { ProblemError } from '../core/problem.ts'
import type { TakenChange } from '../store/changes.ts'
import { type Pins, createPins } from './pins.ts'
import type { StaffModule } from './staff-module.ts'
import type { StorePin } from './staff.sql.ts'

const KEY_BYTES = 32
/** Minimum number of digits of a one-time PIN, which is read from a screen and may be valid for hours. */
const ONE_TIME_DIGITS = 6

const place = (staffId: string): string => placeOf('staff_store_pin', 'key_sealed', staffId)

/**
 * Secret of a PIN for the other lanes, computed before the transaction because that is slow. This lane's own verifier
 * uses its own key and would be useless there; the other lanes get an equally slow verifier with a key that is
 * generated for it (decision 30).
 */
async function secretOf({ store, cost }: StaffModule, pin: string): Promise<PinSecret | undefined> {
  if (!store) return undefined
  const key = randomBytes(KEY_BYTES)
  return { verifier: await createPins({ key, cost }).hash(pin), key: key.toString('base64') }
}

/** Returns the functions that verify a PIN that another lane set; null on a lane without a store server. */
export const storePinsOf = ({ store, cost }: StaffModule, staffId: string, { keySealed }: StorePin): Pins | null =>
  store ? createPins({ key: store.seal.open(keySealed, place(staffId)), cost }) : null

function sendPin(
  { store }: StaffModule,
  tx: Tx,
  staffId: string,
  secret: PinSecret | undefined,
  actorId: string | null,
  temporary: boolean,
): void {
  if (secret)
    store?.changes.recordLocal(tx, {
      kind: 'person-pin',
      subject: staffId,
      value: { temporary },
      byId: actorId,
      secret,
    })
}

/** Sets a PIN for its owner, and lifts all their locks. Throws ProblemError `not-found`. */
async function savePin(
  staff: StaffModule,
  staffId: string,
  pin: string,
  actorId: string | null,
  temporary: boolean,
): Promise<void> {
  if (!staff.rows.find(staffId)) throw new ProblemError('not-found')
  // An enrolment gives its PINs to every lane, so they are not sent.
  const pendingSecret = actorId === null ? undefined : secretOf(staff, pin)
  const [hash, secret] = await Promise.all([staff.pins.hash(pin), pendingSecret])
  staff.atOnce((tx) => {
    staff.rows.setPinHash(tx, staffId, hash, { temporary })
    sendPin(staff, tx, staffId, secret, actorId, temporary)
    staff.pinLimits.resetAll(tx, staffId)
    staff.audit.record(tx, { kind: 'pin-set', actorId, subject: staffId })
  })
}

/** Sets the PIN of a person in a training profile, unless the person has it already. */
export async function saveTrainingPin(
  { rows, pins, atOnce }: StaffModule,
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

/** Changes one's own PIN. Throws ProblemError `pin-not-new`, `pin-too-short`, `pin-common`. */
export async function changePin(staff: StaffModule, staffId: string, pin: string, newPin: string): Promise<void> {
  if (newPin === pin) throw new ProblemError('pin-not-new')
  if (newPin.length < staff.pinDigits()) throw new ProblemError('pin-too-short')
  if (!staff.training && isCommonPin(newPin)) throw new ProblemError('pin-common')
  const [hash, secret] = await Promise.all([staff.pins.hash(newPin), secretOf(staff, newPin)])
  staff.atOnce((tx) => {
    staff.rows.setPinHash(tx, staffId, hash, { temporary: false })
    sendPin(staff, tx, staffId, secret, staffId, false)
    staff.audit.record(tx, { kind: 'pin-changed', actorId: staffId, subject: staffId })
  })
}

export async function setPin(staff: StaffModule, staffId: string, pin: string, actorId: string | null): Promise<void> {
  const { training } = staff
  if (!/^\d{4,8}$/.test(pin)) throw new RangeError('a PIN has four to eight digits')
  if (!training && pin.length < staff.pinDigits()) throw new ProblemError('pin-too-short')
  if (!training && isCommonPin(pin)) throw new ProblemError('pin-common')
  await savePin(staff, staffId, pin, actorId, !training)
}

export async function resetPin(staff: StaffModule, staffId: string, actorId: string): Promise<string> {
  const pin = oneTimePin(Math.max(staff.pinDigits(), ONE_TIME_DIGITS))
  await savePin(staff, staffId, pin, actorId, true)
  return pin
}

/** Applies a PIN that another lane set. Throws if the change has no verifier. */
export function takePin(
  { store, rows, pinLimits, audit }: StaffModule,
  tx: Tx,
  { subject, value: { temporary }, byId, secret, detail }: TakenChange<{ readonly temporary: boolean }>,
): void {
  if (!store) throw new Error('a lane without a store received a PIN of a store')
  const { verifier, key } = PinSecret.parse(secret)
  const keySealed = store.seal.seal(Buffer.from(key, 'base64'), place(subject))
  rows.setStorePin(tx, subject, { verifier, keySealed, temporary })
  if (byId !== subject) pinLimits.resetAll(tx, subject)
  audit.record(tx, { kind: byId === subject ? 'pin-changed' : 'pin-set', actorId: byId, subject, detail })
}

function oneTimePin(digits: number): string {
  for (;;) {
    const pin = String(randomInt(10 ** digits)).padStart(digits, '0')
    if (!isCommonPin(pin)) return pin
  }
}
