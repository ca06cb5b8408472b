import { createCipheriv, createDecipheriv, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

export interface SharedKey {
  readonly identifier: string
  readonly version: number
  readonly passphrase: string
}

export interface MessageKey {
  readonly identifier: string
  readonly version: number
  readonly hmacKey: Buffer
  readonly cipherKey: Buffer
  readonly iv: Buffer
}

/** Constants of crypto version 1 in Adyen's public documentation of local communications. */
const SALT = 'AdyenNexoV1Salt'
const ROUNDS = 4_000
const CRYPTO_VERSION = 1
const IV_BYTES = 16

const base64 = z.base64()

/** An encrypted message. Its header is in clear text and not authenticated, so it is never trusted. */
export const SealedMessage = z.object({
  NexoBlob: base64,
  SecurityTrailer: z.object({
    AdyenCryptoVersion: z.literal(CRYPTO_VERSION),
    KeyIdentifier: z.string(),
    KeyVersion: z.int(),
    Nonce: base64,
    Hmac: base64,
  }),
})
export type SealedMessage = z.infer<typeof SealedMessage>

/**
 * Derives the keys, which takes several milliseconds: call it once for each opened card terminal. Throws a RangeError
 * for a passphrase with characters outside printable ASCII: the provider's library encodes others as latin1, terminals
 * as UTF-8, and the keys would differ.
 */
export function deriveKey({ identifier, version, passphrase }: SharedKey): MessageKey {
  if (!/^[ -~]*$/.test(passphrase))
    throw new RangeError('the passphrase of a card terminal must contain only ASCII characters')
  const bytes = pbkdf2Sync(passphrase, SALT, ROUNDS, 80, 'sha1')
  return {
    identifier,
    version,
    hmacKey: bytes.subarray(0, 32),
    cipherKey: bytes.subarray(32, 64),
    iv: bytes.subarray(64, 80),
  }
}

const startOf = (key: MessageKey, nonce: Buffer): Buffer =>
  Buffer.from(key.iv.map((byte, at) => byte ^ (nonce[at] ?? 0)))

const hmacOf = (key: MessageKey, plain: Buffer): Buffer => createHmac('sha256', key.hmacKey).update(plain).digest()

export function sealMessage(key: MessageKey, text: string, nonce = randomBytes(IV_BYTES)): SealedMessage {
  const plain = Buffer.from(text, 'utf8')
  const cipher = createCipheriv('aes-256-cbc', key.cipherKey, startOf(key, nonce))
  return {
    NexoBlob: Buffer.concat([cipher.update(plain), cipher.final()]).toString('base64'),
    SecurityTrailer: {
      AdyenCryptoVersion: CRYPTO_VERSION,
      KeyIdentifier: key.identifier,
      KeyVersion: key.version,
      Nonce: nonce.toString('base64'),
      Hmac: hmacOf(key, plain).toString('base64'),
    },
  }
}

/**
 * Opens a sealed message. Returns null for one that was not sealed with this key or was changed since, without a
 * reason, because a reason would help an attacker.
 */
export function openMessage(key: MessageKey, sealed: SealedMessage): string | null {
  const { KeyIdentifier, KeyVersion, Nonce, Hmac } = sealed.SecurityTrailer
  const nonce = Buffer.from(Nonce, 'base64')
  const receivedHmac = Buffer.from(Hmac, 'base64')
  if (KeyIdentifier !== key.identifier || KeyVersion !== key.version || nonce.length !== IV_BYTES) return null
  try {
    const decipher = createDecipheriv('aes-256-cbc', key.cipherKey, startOf(key, nonce))
    const plain = Buffer.concat([decipher.update(sealed.NexoBlob, 'base64'), decipher.final()])
    const actual = hmacOf(key, plain)
    return receivedHmac.length === actual.length && timingSafeEqual(receivedHmac, actual)
      ? plain.toString('utf8')
      : null
  } catch {
    return null
  }
}
