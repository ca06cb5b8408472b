import type { Database } from '../db/open.ts'
import type { Transact } from '../db/transact.ts'
import { placeOf, type Seal } from '../outbox/seal.ts'
import { createStoreSeal, type StoreSeal } from './store-seal.ts'

const PLACE = placeOf('store_key', 'key_sealed', 1)

export type StoreKey = ReturnType<typeof createStoreKey>

/** The key that the lanes of the store share, in this lane's care once the server has given it. */
export function createStoreKey({
  db,
  transact,
  seal,
}: {
  readonly db: Database
  readonly transact: Transact
  readonly seal: Pick<Seal, 'seal' | 'open'>
}) {
  const read = db.prepare<[], Buffer>('SELECT key_sealed FROM store_key').pluck()
  const write = db.prepare(
    `INSERT INTO store_key (id, key_sealed) VALUES (1, ?)
      ON CONFLICT (id) DO UPDATE SET key_sealed = excluded.key_sealed`,
  )
  const load = (): StoreSeal | null => {
    const sealed = read.get()
    return sealed === undefined ? null : createStoreSeal(seal.open(sealed, PLACE))
  }
  let current = load()
  return {
    /** Null until the lane has spoken with its store once. */
    current: (): StoreSeal | null => current,
    take(key: Uint8Array): StoreSeal {
      const taken = createStoreSeal(key)
      const before = read.get()
      if (before === undefined || !seal.open(before, PLACE).equals(key))
        transact((tx) => {
          tx.run(write, seal.seal(key, PLACE))
        })
      current = taken
      return taken
    },
  }
}
