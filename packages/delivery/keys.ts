import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'

/** A public key of an installer in a list of trusted keys: Ed25519 (RFC 8032), SPKI in base64. */
export interface PublicKey {
  /** SHA-256 of the SPKI in hex, so that ids of keys are unique and cannot be chosen. */
  readonly id: string
  readonly spki: string
}

/**
 * Kind of file that a signature is for. The signed bytes include it, so that a signature cannot be reused for another
 * kind of file.
 */
export type Purpose = 'store bundle' | 'trusted keys' | 'update' | 'update channel' | 'package'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

function publicOf(key: KeyObject): PublicKey {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return { id: sha256(spki), spki: spki.toString('base64') }
}

/**
 * Creates a signing key of the installer. `pem` is the private key (PKCS #8), encrypted if there is a passphrase; it
 * must not be stored in a source tree, package or bundle.
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

export interface Signer {
  readonly publicKey: PublicKey
  sign(purpose: Purpose, bytes: Uint8Array): Buffer
}

/** Opens a private key. Throws if the text is not an Ed25519 key, or the passphrase does not decrypt it. */
export function signerOf(pem: string, passphrase: string | null): Signer {
  const key = createPrivateKey({ key: pem, format: 'pem', ...(passphrase === null ? {} : { passphrase }) })
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key')
  return {
    publicKey: publicOf(key),
    sign: (purpose, bytes) => sign(null, labelled(purpose, bytes), key),
  }
}

export function isSignedBy(key: PublicKey, purpose: Purpose, bytes: Uint8Array, signature: Uint8Array): boolean {
  const spki = Buffer.from(key.spki, 'base64')
  // Reject a key whose id is not its own hash, because a list may give a key the id of another key.
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
