import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto'

/**
 * Keeps collector numbers unreadable at rest. AES-256-GCM with a fresh nonce per value; look-ups go by a keyed hash,
 * because eleven digits are too few to hide behind an ordinary one.
 */
export interface Seal {
  seal(plain: Uint8Array): Buffer
  /** Throws when the bytes were changed or belong to another terminal's key. */
  open(sealed: Uint8Array): Buffer<ArrayBuffer>
  keyedHash(text: string): Buffer
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `master` is 32 random bytes that live in the operating system's key store or in a file only its owner can read. */
export function createSeal(master: Uint8Array): Seal {
  if (master.byteLength !== 32) throw new RangeError('the sealing key has 32 bytes')
  // Made once: bytes would be made into a key again for every value.
  const derive = (purpose: string): KeyObject => createSecretKey(Buffer.from(hkdfSync('sha256', master, 'milepost', purpose, 32)))
  const cipherKey = derive('seal collector data')
  const hashKey = derive('hash collector numbers')
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce)
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed) {
      const bytes = Buffer.from(sealed)
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    },
    keyedHash: (text) => createHmac('sha256', hashKey).update(text).digest(),
  }
}
