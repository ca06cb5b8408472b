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
 * Keeps collector numbers unreadable at rest. AES-256-GCM with a fresh nonce per value; look-ups go by a keyed hash,
 * because eleven digits are too few to hide behind an ordinary one.
 */
export interface Seal {
  /** `place` is where the value is kept (`placeOf`): it is authenticated, so that the value opens nowhere else. */
  seal(plain: Uint8Array, place: string): Buffer
  /** Throws when the bytes were changed, stand in another place, or belong to another terminal's key. */
  open(sealed: Uint8Array, place: string): Buffer<ArrayBuffer>
  keyedHash(text: string): Buffer
  /** HMAC-SHA-256 under a key of this purpose alone. */
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
/** Nonces that are drawn at once: one draw takes as long as the sealing itself. */
const NONCES_A_DRAW = 128

/** The one place of a value: its table, its column, and the key of its row. */
export const placeOf = (table: string, column: string, ...key: readonly (string | number | null)[]): string =>
  JSON.stringify([table, column, ...key])

/** `master` is 32 random bytes that live in the operating system's key store or in a file only its owner can read. */
export function createSeal(master: Uint8Array): Seal {
  if (master.byteLength !== 32) throw new RangeError('the sealing key has 32 bytes')
  // Made once: bytes would be made into a key again for every value.
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
      return (...parts) => {
        const hmac = createHmac('sha256', key)
        for (const part of parts) hmac.update(part)
        return hmac.digest()
      }
    },
  }
}

/**
 * The key that seals collector numbers, when the shell hands it over from the operating system's key store: base64 in
 * MILEPOST_SEAL_KEY. Null when there is none; the data folder then keeps its own. Its length is checked where the
 * folder is claimed.
 */
export function readSealKey(environment: NodeJS.ProcessEnv): Uint8Array | null {
  const given = environment['MILEPOST_SEAL_KEY']
  return given ? Buffer.from(given, 'base64') : null
}
