import { randomBytes } from 'node:crypto'
import { PinSecret } from '../../../contracts/store/changes.ts'
import type { Tx } from '../../db/transact.ts'
import { placeOf, type Seal } from '../../outbox/seal.ts'
import type { Changes } from '../../store/changes/changes.ts'
import { createPins, type PinCost, type Pins } from './pins.ts'
import type { StaffRepository, StorePin } from './repository.ts'

export interface StorePinsOptions {
  readonly rows: StaffRepository
  readonly seal: Pick<Seal, 'seal' | 'open'>
  readonly changes: Changes
  readonly cost: PinCost
}

export type StorePins = ReturnType<typeof createStorePins>

const KEY_BYTES = 32
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
