import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'

/**
 * Encrypts values of rows, such as collector numbers. AES-256-GCM with a fresh nonce per value; look-ups use a keyed
 * hash, because an unkeyed hash of eleven digits can be brute-forced.
 */
export interface Seal {
  /**
   * Seals a value. `place`: where the value is stored (`placeOf`). The place is authenticated, so that the sealed value
   * cannot be moved to another row.
   */
  seal(plain: Uint8Array, place: string): Buffer
  /**
   * Opens a sealed value. Throws when the bytes were changed, moved to another place, or sealed with another terminal's
   * key.
   */
  open(sealed: Uint8Array, place: string): Buffer<ArrayBuffer>
  keyedHash(text: string): Buffer
  authenticator(purpose: AuthenticatedPurpose): Authenticate
}

export type AuthenticatedPurpose =
  | 'chain of the journal'
  | 'chain of the audit trail'
  | 'mark of the journal'
  | 'digest of rows'
  | 'digest of operations'
  | 'fingerprint of commands'
  | 'keys of windows'
export type Authenticate = (...parts: (string | Uint8Array)[]) => Buffer

const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Number of nonces generated at once: a call to the random generator takes as long as sealing a value. */
const NONCES_A_DRAW = 128

/** Place of a sealed value: table, column and key of its row. */
export const placeOf = (table: string, column: string, ...key: readonly (string | number | null)[]): string =>
  JSON.stringify([table, column, ...key])

/**
 * Creates the sealing functions of a lane. `master`: 32 random bytes from the operating system's key store or from a
 * file that only its owner can read.
 */
export function createSeal(master: Uint8Array): Seal {
  if (master.byteLength !== 32) throw new RangeError('the sealing key must have 32 bytes')
  // Importing the key for every value would be slow, so it is imported once.
  const derive = (purpose: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', master, 'milepost', purpose, 32)))
  const cipherKey = derive('seal values of rows')
  const hashKey = derive('hash collector numbers')
  let drawn = Buffer.alloc(0)
  function nextNonce(): Buffer {
    if (drawn.length === 0) drawn = randomBytes(NONCES_A_DRAW * NONCE_BYTES)
    const nonce = drawn.subarray(0, NONCE_BYTES)
    drawn = drawn.subarray(NONCE_BYTES)
    return nonce
  }
  return {
    seal(plain, place) {
      const nonce = nextNonce()
      const cipher = createCipheriv('aes-256-gcm', cipherKey, nonce).setAAD(Buffer.from(place))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed)
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', cipherKey, nonce, { authTagLength: TAG_BYTES })
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES)).setAAD(Buffer.from(place))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    },
    keyedHash: (text) => createHmac('sha256', hashKey).update(text).digest(),
    authenticator(purpose) {
      const key = derive(purpose)
      return (...pieces) => {
        const hmac = createHmac('sha256', key)
        for (const piece of pieces) hmac.update(piece)
        return hmac.digest()
      }
    },
  }
}

/**
 * Reads the sealing key that the shell passes from the operating system's key store: base64 in MILEPOST_SEAL_KEY.
 * Returns null when it is unset; the data folder then has its own key. The length is checked when the folder is locked.
 */
export function readSealKey(environment: NodeJS.ProcessEnv): Uint8Array | null {
  const given = environment['MILEPOST_SEAL_KEY']
  return given ? Buffer.from(given, 'base64') : null
}
