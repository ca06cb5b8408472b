import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * What the lanes of a store show one another by way of a server whose database cannot read it: AES-256-GCM and
 * HMAC-SHA-256 under keys of the one key that the lanes share.
 */
export interface StoreSeal {
  /** `about` is authenticated: sealed for one thing it opens for no other. Base64. */
  seal(plain: string, about: string): string
  /** Throws when the bytes were changed or are about something else. */
  open(sealed: string, about: string): string
  /** The same at every lane of the store. Hex. */
  hash(purpose: string, text: string): string
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `key` has 32 bytes. */
export function createStoreSeal(key: Uint8Array): StoreSeal {
  if (key.byteLength !== 32) throw new RangeError('the key of a store has 32 bytes')
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
