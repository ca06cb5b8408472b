import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Database } from '../core/db/database.ts'
import type { Transact } from '../core/db/transact.ts'
import { type Seal, placeOf } from '../core/integrity/seal.ts'
import { z } from 'zod'
import { CollectorNumber } from '../../contracts/core/ids.ts'

/**
 * Encrypts what lanes share through a server that cannot read it: AES-256-GCM and HMAC-SHA-256, with keys derived from
 * the store key.
 */
export interface StoreSeal {
  /** Seals a value, as base64. `about` is authenticated: the value can be opened only with the same `about`. */
  seal(plain: string, about: string): string
  /** Opens a sealed value. Throws when the bytes were changed or `about` differs. */
  open(sealed: string, about: string): string
  /** Hash of a value in hex, equal at every lane of the store. */
  hash(purpose: string, text: string): string
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createStoreSeal(key: Uint8Array): StoreSeal {
  if (key.byteLength !== 32) throw new RangeError('the store key must have 32 bytes')
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, 'milepost store', purpose, 32))
  const cipherKey = derive('seal')
  const hashKey = derive('hash')
  return {
    seal(plain, about) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(Buffer.from(about))
      return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
        'base64',
      )
    },
    open(sealed, about) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES)).setAAD(Buffer.from(about))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString()
    },
    hash: (purpose, text) => createHmac('sha256', hashKey).update(`${purpose} ${text}`).digest('hex'),
  }
}

const PLACE = placeOf('store_key', 'key_sealed', 1)

export type StoreKey = ReturnType<typeof createStoreKey>

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

export const SaleSecret = z.object({
  collector: CollectorNumber.optional(),
  redeem: z.json().optional(),
  earner: CollectorNumber.optional(),
})

export type SaleSecret = z.infer<typeof SaleSecret>
