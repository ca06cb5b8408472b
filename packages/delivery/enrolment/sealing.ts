import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  scrypt,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import type { EnrolmentCode } from '../../../contracts/operations/enrolment-code.ts'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const CURVE = 'P-256'
/**
 * Cost of scrypt (RFC 7914): 8 MiB and about 20 ms per guess. The code's secret alone has 70 bits; scrypt protects
 * codes of which some characters were seen.
 */
const SCRYPT = { N: 2 ** 13, r: 8, p: 1, maxmem: 32 * 2 ** 20 }

/** Keys derived from an enrolment code; neither reveals the other. */
export interface CodeKeys {
  /** Key that decrypts the payload stored at the server; only a holder of the code can derive it. */
  readonly opens: Buffer
  /** Proof that the lane has the code: the lane sends it to the server, which stores only its hash. */
  readonly proof: Buffer
}

export async function keysOf({ id, secret }: EnrolmentCode): Promise<CodeKeys> {
  const derived = await new Promise<Buffer>((resolve, reject) => {
    scrypt(secret, `milepost enrolment 1\n${id}`, 2 * KEY_BYTES, SCRYPT, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
  return { opens: derived.subarray(0, KEY_BYTES), proof: derived.subarray(KEY_BYTES) }
}

/**
 * Encrypts with AES-256-GCM: IV, ciphertext, tag. `about` is authenticated but is not part of the result: decryption
 * needs the same text.
 */
export function sealWith(key: Uint8Array, about: string, bytes: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(about))
  return Buffer.concat([iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

/** Returns the decrypted bytes; null if the key is another one or the bytes were changed. */
export function openWith(key: Uint8Array, about: string, sealed: Uint8Array): Buffer | null {
  if (sealed.byteLength < IV_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}

/** The key pair of a lane, created before the exchange: PKCS #8 and SPKI, both DER in base64. */
export interface LaneKey {
  readonly privateKey: string
  readonly publicKey: string
}

export function makeLaneKey(): LaneKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: CURVE })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  }
}

const privateOf = ({ privateKey }: Pick<LaneKey, 'privateKey'>): KeyObject =>
  createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })

/** Parses a public key in base64 SPKI; null if it is not on the curve of lane keys. */
export function publicKeyOf(spki: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null
  } catch {
    return null
  }
}

/** Derives a shared key. It depends on both public keys, so that a sealed answer is bound to one lane's key. */
const sharedKey = (secret: Buffer, sender: Buffer, receiver: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, Buffer.concat([sender, receiver]), 'milepost sealed to a lane 1', KEY_BYTES))

const derOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })

/** Encrypts bytes for the holder of the private key: ECDH with an ephemeral key, HKDF, AES-256-GCM. */
export function sealTo(receiver: KeyObject, about: string, bytes: Uint8Array): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: CURVE })
  const sender = derOf(publicKey)
  const key = sharedKey(diffieHellman({ privateKey, publicKey: receiver }), sender, derOf(receiver))
  return Buffer.concat([Buffer.from([sender.byteLength]), sender, sealWith(key, about, bytes)])
}

export function openAs(own: LaneKey, about: string, sealed: Uint8Array): Buffer | null {
  const length = sealed[0] ?? 0
  const sender = Buffer.from(sealed.subarray(1, 1 + length))
  const [publicKey, receiver] = [publicKeyOf(sender.toString('base64')), publicKeyOf(own.publicKey)]
  if (publicKey === null || receiver === null) return null
  const key = sharedKey(diffieHellman({ privateKey: privateOf(own), publicKey }), sender, derOf(receiver))
  return openWith(key, about, sealed.subarray(1 + length))
}

export const signAs = (own: LaneKey, text: string): string =>
  sign('sha256', Buffer.from(text), privateOf(own)).toString('base64')

export function isSignedByLane(spki: string, text: string, signature: string): boolean {
  const key = publicKeyOf(spki)
  return key !== null && verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64'))
}
