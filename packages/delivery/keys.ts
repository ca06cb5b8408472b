import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

/** A public key of an installer, as it stands in a list of trusted keys: Ed25519 (RFC 8032), its SPKI in base64. */
export interface PublicKey {
  /** SHA-256 of the SPKI, in hex: no two keys share it, and nobody chooses it. */
  readonly id: string
  readonly spki: string
}

/** What was signed stands before the bytes: a signature of one kind of file is worth nothing under another. */
export type Purpose = 'store bundle' | 'trusted keys' | 'update' | 'update channel' | 'package'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

function publicOf(key: KeyObject): PublicKey {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return { id: sha256(spki), spki: spki.toString('base64') }
}

/**
 * A new key of the installer. `pem` is the private one (PKCS #8), encrypted with the passphrase where there is one:
 * it goes into a file of its owner's, and into no checkout, package or bundle.
 */
export function makeKey(passphrase: string | null): { readonly pem: string; readonly publicKey: PublicKey } {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey
    .export({
      type: 'pkcs8',
      format: 'pem',
      ...(passphrase === null ? {} : { cipher: 'aes-256-cbc', passphrase }),
    })
    .toString()
  return { pem, publicKey: publicOf(privateKey) }
}

/** Signs with one private key. */
export interface Signer {
  readonly publicKey: PublicKey
  sign(purpose: Purpose, bytes: Uint8Array): Buffer
}

/** Throws where the text is no Ed25519 key, or the passphrase does not open it. */
export function signerOf(pem: string, passphrase: string | null): Signer {
  const key = createPrivateKey({ key: pem, format: 'pem', ...(passphrase === null ? {} : { passphrase }) })
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key')
  return {
    publicKey: publicOf(key),
    sign: (purpose, bytes) => sign(null, labelled(purpose, bytes), key),
  }
}

/** Whether the key has signed exactly these bytes for this purpose. */
export function isSignedBy(key: PublicKey, purpose: Purpose, bytes: Uint8Array, signature: Uint8Array): boolean {
  const spki = Buffer.from(key.spki, 'base64')
  // Who names another key's id as their own is believed by nobody.
  if (sha256(spki) !== key.id) return false
  try {
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    return publicKey.asymmetricKeyType === 'ed25519' && verify(null, labelled(purpose, bytes), publicKey, signature)
  } catch {
    return false
  }
}

const labelled = (purpose: Purpose, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`milepost ${purpose} 1\n`), bytes])
