import { createHmac, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { isCommonPin } from '../../contracts/staff/common-pin.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import type { Tx } from '../core/db/transact.ts'
import { ProblemError } from '../core/problem.ts'
import type { Changes, TakenChange } from '../store/changes.ts'
import type { AuditTrail } from '../core/audit.ts'
import type { PinDoors } from './pin-doors.ts'
import type { StaffRepository, StorePin } from './staff.sql.ts'
import { PinSecret } from '../../contracts/store/changes.ts'
import { type Seal, placeOf } from '../core/integrity/seal.ts'

/**
 * What a guess costs: scrypt's parameters, which every verifier carries, so that they can be raised later without
 * breaking old ones.
 */
export interface PinCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/**
 * 64 MB and about 170 ms a guess on two cores of a small machine. A four-digit PIN cannot be made strong by that: what
 * keeps it is the key, which is not in the database. At the terminal it is the count of wrong ones.
 */
export const PRODUCTION_COST: PinCost = { N: 2 ** 16, r: 8, p: 1 }
/** The PINs of training stand in its profile for everybody to read: nothing is kept by making them slow. */
export const TRAINING_COST: PinCost = { N: 2 ** 10, r: 8, p: 1 }
const KEY_BYTES = 32

/**
 * The key of the PIN verifiers, from the key that seals collector numbers: in the key store or a file of its owner's,
 * never in the database.
 */
export const pinKeyOf = (masterKey: Uint8Array): Buffer =>
  createHmac('sha256', masterKey).update('milepost pin verifiers').digest()

export type Pins = ReturnType<typeof createPins>

export function createPins({ key, cost = PRODUCTION_COST }: { readonly key: Uint8Array; readonly cost?: PinCost }) {
  const keyed = (pin: string): Buffer => createHmac('sha256', key).update(pin).digest()
  const current = ['keyed', cost.N, cost.r, cost.p].join('$') + '$'
  return {
    /** `keyed$N$r$p$salt$hash`, salt and hash in base64url. Without the key it says nothing of the PIN. */
    async hash(pin: string): Promise<string> {
      const salt = randomBytes(16)
      const hash = await derive(keyed(pin), salt, cost)
      return current + [salt, hash].map((bytes) => bytes.toString('base64url')).join('$')
    },
    /** False also for a verifier that is missing or damaged, after the same work, so that the time tells nothing. */
    async verify(pin: string, stored: string | null): Promise<boolean> {
      const match = /^keyed\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(stored ?? '')
      if (!match) {
        await derive(keyed(pin), Buffer.alloc(16), cost)
        return false
      }
      const [, N, r, p, salt, hash] = match
      const expected = Buffer.from(hash ?? '', 'base64url')
      const actual = await derive(keyed(pin), Buffer.from(salt ?? '', 'base64url'), {
        N: Number(N),
        r: Number(r),
        p: Number(p),
      })
      return expected.length === actual.length && timingSafeEqual(expected, actual)
    },
    /** True for a verifier that costs another guess than they do now: it is made anew when the PIN is at hand. */
    isOutdated: (stored: string): boolean => !stored.startsWith(current),
  }
}

const derive = (secret: Buffer, salt: Buffer, cost: PinCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(secret, salt, KEY_BYTES, { ...cost, maxmem: 256 * cost.N * cost.r }, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })

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

export interface StorePinsOptions {
  readonly rows: StaffRepository
  readonly seal: Pick<Seal, 'seal' | 'open'>
  readonly changes: Changes
  readonly cost: PinCost
}

export type StorePins = ReturnType<typeof createStorePins>

const place = (staffId: string): string => placeOf('staff_store_pin', 'key_sealed', staffId)

/**
 * PINs that every lane of the store takes. A lane's own verifiers are keyed with the lane's key and say nothing
 * elsewhere; what travels is a verifier as slow as these, under a key that was drawn for it alone. Decision 0094.
 */
export function createStorePins({ rows, seal, changes, cost }: StorePinsOptions) {
  return {
    /** What the other lanes are given of a PIN; made before the transaction that sets it, for it is slow. */
    async secretOf(pin: string): Promise<PinSecret> {
      const key = randomBytes(KEY_BYTES)
      return { verifier: await createPins({ key, cost }).hash(pin), key: key.toString('base64') }
    },
    tell(tx: Tx, staffId: string, secret: PinSecret, actorId: string | null, temporary: boolean): void {
      changes.tell(tx, { kind: 'person-pin', subject: staffId, value: { temporary }, byId: actorId, secret })
    },
    /** Keeps a PIN that was set at another lane. Throws for one that came without its verifier. */
    keep(tx: Tx, staffId: string, secret: unknown, temporary: boolean): void {
      const { verifier, key } = PinSecret.parse(secret)
      const keySealed = seal.seal(Buffer.from(key, 'base64'), place(staffId))
      rows.setStorePin(tx, staffId, { verifier, keySealed, temporary })
    },
    /** What checks a PIN that was set at another lane. */
    pinsOf: (staffId: string, { keySealed }: StorePin): Pins =>
      createPins({ key: seal.open(keySealed, place(staffId)), cost }),
  }
}
