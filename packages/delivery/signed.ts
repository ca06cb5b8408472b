import type { z } from 'zod'
import { isSignedBy, type PublicKey, type Purpose, type Signer } from './keys.ts'

/**
 * Marker at the end of a signed file. The file is the content and a trailer of fixed length: key id, signature, marker.
 * The signature covers the content and is verified before anything is parsed; every byte of the trailer is verified
 * too. See docs/decisions/0025-signed-bundles-slots-and-waves.md.
 */
const MAGIC = Buffer.from('MPSIGNED')
const KEY_ID_BYTES = 32
const SIGNATURE_BYTES = 64
export const TRAILER_BYTES = KEY_ID_BYTES + SIGNATURE_BYTES + MAGIC.byteLength

/**
 * Why a signed file is rejected. `unsigned`: it has no trailer; `changed`: the key in the trailer did not sign the
 * content.
 */
export type SignatureProblem = 'unsigned' | 'key-unknown' | 'key-revoked' | 'changed'

export const seal = (purpose: Purpose, bytes: Uint8Array, signer: Signer): Buffer =>
  Buffer.concat([bytes, Buffer.from(signer.publicKey.id, 'hex'), signer.sign(purpose, bytes), MAGIC])

export interface Trusted {
  readonly keys: readonly PublicKey[]
  readonly revoked: readonly string[]
}

export function open(
  purpose: Purpose,
  file: Uint8Array,
  { keys, revoked }: Trusted,
): { readonly bytes: Buffer; readonly keyId: string } | { readonly distrust: SignatureProblem } {
  const whole = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const end = whole.byteLength - TRAILER_BYTES
  if (end < 0 || !whole.subarray(-MAGIC.byteLength).equals(MAGIC)) return { distrust: 'unsigned' }
  const bytes = whole.subarray(0, end)
  const keyId = whole.subarray(end, end + KEY_ID_BYTES).toString('hex')
  const signature = whole.subarray(end + KEY_ID_BYTES, end + KEY_ID_BYTES + SIGNATURE_BYTES)
  if (revoked.includes(keyId)) return { distrust: 'key-revoked' }
  const key = keys.find(({ id }) => id === keyId)
  if (!key) return { distrust: 'key-unknown' }
  return isSignedBy(key, purpose, bytes, signature) ? { bytes, keyId } : { distrust: 'changed' }
}

/** Why a signed JSON file is rejected. `damaged`: the signature is valid, but the content does not fit the schema. */
export type JsonDistrust = SignatureProblem | 'damaged'

export const sealJson = <T>(purpose: Purpose, schema: z.ZodType<T>, value: T, signer: Signer): Buffer =>
  seal(purpose, Buffer.from(JSON.stringify(schema.parse(value))), signer)

export function openJson<T>(
  purpose: Purpose,
  schema: z.ZodType<T>,
  file: Uint8Array,
  trusted: Trusted,
): { readonly value: T; readonly keyId: string } | { readonly distrust: JsonDistrust } {
  const opened = open(purpose, file, trusted)
  if ('distrust' in opened) return opened
  try {
    return { value: schema.parse(JSON.parse(opened.bytes.toString('utf8'))), keyId: opened.keyId }
  } catch {
    return { distrust: 'damaged' }
  }
}
