import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The part of Electron's safeStorage that is used here. */
export interface OsKeyStore {
  isEncryptionAvailable(): boolean
  /** Linux only: which of its key stores answers. */
  getSelectedStorageBackend?(): string
  encryptString(text: string): Buffer
  decryptString(sealed: Buffer): string
}

/** Why this machine's key store cannot be trusted with a secret, in plain words; null when it can. */
export function keyStoreProblem(store: OsKeyStore, platform: NodeJS.Platform): string | null {
  if (!store.isEncryptionAvailable()) return 'The key store of this operating system is not available. Unlock or install it (on Linux: gnome-keyring or KWallet), then start the terminal again.'
  // Chromium's last resort on Linux "encrypts" with a password that is the same on every machine.
  if (platform === 'linux' && ['basic_text', 'unknown'].includes(store.getSelectedStorageBackend?.() ?? 'unknown')) {
    return 'This machine has no key store that keeps a secret (it would be stored as plain text). Install and unlock gnome-keyring or KWallet, then start the terminal again.'
  }
  return null
}

const CLIENT_SECRET = 'client-secret.sealed'
const SEAL_KEY = 'seal-key.sealed'

/** Provisioning: seals the client secret into the data folder. The text never touches the disk unsealed. */
export function storeClientSecret(store: OsKeyStore, dataFolder: string, secret: string): void {
  writeSealed(store, path.join(dataFolder, CLIENT_SECRET), secret.trim())
}

/**
 * The backend's environment on a real lane: MILEPOST_CLIENT_SECRET as provisioned (absent when it is not), and
 * MILEPOST_SEAL_KEY, 32 bytes in base64, made at the first start. Throws an Error in plain words when the seal key was
 * there and cannot be opened: a new one would make the waiting miles unreadable.
 */
export function readSecrets(store: OsKeyStore, dataFolder: string): Record<string, string> {
  const secrets: Record<string, string> = {}
  const clientSecretFile = path.join(dataFolder, CLIENT_SECRET)
  if (existsSync(clientSecretFile)) secrets['MILEPOST_CLIENT_SECRET'] = openSealed(store, clientSecretFile)
  const sealKeyFile = path.join(dataFolder, SEAL_KEY)
  if (!existsSync(sealKeyFile)) writeSealed(store, sealKeyFile, randomBytes(32).toString('base64'))
  secrets['MILEPOST_SEAL_KEY'] = openSealed(store, sealKeyFile)
  return secrets
}

function writeSealed(store: OsKeyStore, file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  // Whole or not at all: a power cut must not leave half a key under the name of a whole one.
  writeFileSync(`${file}.new`, store.encryptString(text), { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

function openSealed(store: OsKeyStore, file: string): string {
  try {
    return store.decryptString(readFileSync(file))
  } catch (error) {
    throw new Error(`The key store of this user cannot open ${file}. It was sealed by another user or on another machine; sign in as that user, or restore the key store from its backup.`, { cause: error })
  }
}
