import { randomInt } from 'node:crypto'
import { isCommonPin } from '../../../contracts/common-pin.ts'
import type { Profile } from '../../../contracts/profile.ts'
import type { Tx } from '../../db/transact.ts'
import { ProblemError } from '../../http/problem.ts'
import type { TakenChange } from '../../store/changes/changes.ts'
import type { AuditTrail } from './audit.ts'
import type { PinDoors } from './pin-doors.ts'
import type { Pins } from './pins.ts'
import type { StaffRepository } from './repository.ts'
import type { StorePins } from './store-pins.ts'

/** Digits of a one-time PIN: it is read from a screen once, and waits for its owner for hours. */
const ONE_TIME_DIGITS = 6

export interface PinChangesOptions {
  readonly people: StaffRepository
  readonly audit: Pick<AuditTrail, 'record'>
  readonly pins: Pins
  readonly storePins?: StorePins | undefined
  readonly doors: Pick<PinDoors, 'openAll'>
  /** Training: the PINs of the profile are public, so they may be common ones, and are nobody's secret to change. */
  readonly training: boolean
  readonly pinDigits: () => number
  readonly atOnce: <Result>(work: (tx: Tx) => Result) => Result
}

/** How a PIN becomes another: by its owner, by somebody else, by the profile of training, or at another lane. */
export function createPinChanges(options: PinChangesOptions) {
  const { people, audit, pins, storePins, doors, training, pinDigits, atOnce } = options

  /** A PIN that another than its owner sets lifts every lock of theirs. Throws ProblemError `not-found`. */
  async function put(staffId: string, pin: string, actorId: string | null, temporary: boolean): Promise<void> {
    if (!people.find(staffId)) throw new ProblemError('not-found')
    // What the machine itself is given at its enrolment, every lane is: that is no change of a PIN.
    const told = actorId === null ? undefined : storePins?.secretOf(pin)
    const [hash, secret] = await Promise.all([pins.hash(pin), told])
    atOnce((tx) => {
      people.setPinHash(tx, staffId, hash, { temporary })
      if (secret) storePins?.tell(tx, staffId, secret, actorId, temporary)
      doors.openAll(tx, staffId)
      audit.record(tx, { kind: 'pin-set', actorId, subject: staffId })
    })
  }

  /** The PIN of one person of a training profile, unless it is already theirs. */
  async function putTrainingPin({ id, trainingPin }: Profile['staff'][number]): Promise<void> {
    if (trainingPin === undefined) return
    const { pinHash: stored = null, temporary = false } = people.credentials(id) ?? {}
    if (stored !== null && !temporary && !pins.isOutdated(stored) && (await pins.verify(trainingPin, stored))) return
    const hash = await pins.hash(trainingPin)
    atOnce((tx) => {
      people.setPinHash(tx, id, hash, { temporary: false })
    })
  }

  return {
    putTrainingPin,

    /** A PIN of one's own. Throws ProblemError `pin-not-new`, `pin-too-short`, `pin-common`. */
    async change(staffId: string, pin: string, newPin: string): Promise<void> {
      if (newPin === pin) throw new ProblemError('pin-not-new')
      if (newPin.length < pinDigits()) throw new ProblemError('pin-too-short')
      if (!training && isCommonPin(newPin)) throw new ProblemError('pin-common')
      const [hash, secret] = await Promise.all([pins.hash(newPin), storePins?.secretOf(newPin)])
      atOnce((tx) => {
        people.setPinHash(tx, staffId, hash, { temporary: false })
        if (secret) storePins?.tell(tx, staffId, secret, staffId, false)
        audit.record(tx, { kind: 'pin-changed', actorId: staffId, subject: staffId })
      })
    },

    async set(staffId: string, pin: string, actorId: string | null): Promise<void> {
      if (!/^\d{4,8}$/.test(pin)) throw new RangeError('a PIN has four to eight digits')
      if (!training && pin.length < pinDigits()) throw new ProblemError('pin-too-short')
      if (!training && isCommonPin(pin)) throw new ProblemError('pin-common')
      await put(staffId, pin, actorId, !training)
    },

    async reset(staffId: string, actorId: string): Promise<string> {
      const pin = oneTimePin(Math.max(pinDigits(), ONE_TIME_DIGITS))
      await put(staffId, pin, actorId, true)
      return pin
    },

    /** As it was set at another lane. */
    take(
      tx: Tx,
      { subject, value: { temporary }, byId, secret, detail }: TakenChange<{ readonly temporary: boolean }>,
    ): void {
      if (!storePins) throw new Error('nobody follows the PINs of the store here')
      storePins.keep(tx, subject, secret, temporary)
      if (byId !== subject) doors.openAll(tx, subject)
      audit.record(tx, { kind: byId === subject ? 'pin-changed' : 'pin-set', actorId: byId, subject, detail })
    },
  }
}

/** Chance, and none of those that a thief would try first. */
function oneTimePin(digits: number): string {
  for (;;) {
    const pin = String(randomInt(10 ** digits)).padStart(digits, '0')
    if (!isCommonPin(pin)) return pin
  }
}
