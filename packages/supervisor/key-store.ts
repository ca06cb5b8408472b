import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { forgetSealed, openSealed as openSealedByLane } from '../delivery/enrolment/proof.ts'
import { makeFolder, writeWhole } from '../delivery/whole-file.ts'
import type { Refusal } from '../../contracts/core/refusal.ts'
import { TerminalRefused } from './terminal-refused.ts'

/**
 * The methods of Electron’s safeStorage that are used here. Only the asynchronous ones, because the others are
 * deprecated.
 */
export interface OsKeyStore {
  isAsyncEncryptionAvailable(): Promise<boolean>
  getSelectedStorageBackend?(): string
  encryptStringAsync(text: string): Promise<Buffer>
  decryptStringAsync(sealed: Buffer): Promise<{ readonly result: string; readonly shouldReEncrypt: boolean }>
}

/** Returns why this machine’s key store cannot be trusted with a secret; null if it can. */
export async function keyStoreProblem(store: OsKeyStore, platform: NodeJS.Platform): Promise<Refusal | null> {
  if (!(await store.isAsyncEncryptionAvailable())) return [['noKeyStore'], ['noKeyStoreDo']]
  // Chromium's fallback on Linux "encrypts" with a password that is the same on every machine.
  if (platform === 'linux' && ['basic_text', 'unknown'].includes(store.getSelectedStorageBackend?.() ?? 'unknown'))
    return [['plainKeyStore'], ['plainKeyStoreDo']]
  return null
}

const CLIENT_SECRET = 'client-secret.sealed'
const CLEAR_SECRET = 'client.secret'
const SEAL_KEY = 'seal-key.sealed'
const KEY_FILE = 'seal.key'

/**
 * Whether only the key store can open the sealed data of this data folder, so that no window other than Electron’s may
 * start on it.
 */
export const keyIsInKeyStore = (dataFolder: string): boolean =>
  existsSync(path.join(dataFolder, SEAL_KEY)) && !existsSync(path.join(dataFolder, KEY_FILE))

/**
 * Seals the client secret into the data folder, as an installer’s CLI command does. Deletes the secret of an earlier
 * enrolment, and a different secret that a lane in a browser stored in clear text. Never writes the given secret to
 * disk unsealed.
 */
export async function storeClientSecret(store: OsKeyStore, dataFolder: string, secret: string): Promise<void> {
  await writeSealed(store, path.join(dataFolder, CLIENT_SECRET), secret.trim())
  forgetSealed(dataFolder, 'client-secret.enrolled')
  const clear = path.join(dataFolder, CLEAR_SECRET)
  if (existsSync(clear) && readFileSync(clear, 'utf8').trim() !== secret.trim()) rmSync(clear)
}

/**
 * Whether the lane’s seal key is in a file of the data folder, as on a lane in a browser, so that the lane starts
 * without a key store.
 */
export const keyIsInFile = (dataFolder: string): boolean => existsSync(path.join(dataFolder, KEY_FILE))

/**
 * Returns the backend’s environment on a real lane: MILEPOST_CLIENT_SECRET as provisioned (absent if it is not), and
 * MILEPOST_SEAL_KEY, 32 bytes in base64: the key in the data folder of a lane without Electron, else one created at the
 * first start. Without a key store (null) only the key in the data folder can be read, and the backend reads its secret
 * from a file. Throws TerminalRefused if the existing seal key cannot be opened: a new one would make the waiting miles
 * unreadable.
 */
export async function readSecrets(store: OsKeyStore | null, dataFolder: string): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {}
  const clientSecretFile = path.join(dataFolder, CLIENT_SECRET)
  if (store !== null && existsSync(clientSecretFile))
    secrets['MILEPOST_CLIENT_SECRET'] = await openSealed(store, clientSecretFile)
  secrets['MILEPOST_SEAL_KEY'] = await readSealKey(store, dataFolder)
  const enrolled = store && (await adoptEnrolled(store, dataFolder, secrets['MILEPOST_SEAL_KEY']))
  if (enrolled !== null) secrets['MILEPOST_CLIENT_SECRET'] = enrolled
  return secrets
}

async function adoptEnrolled(store: OsKeyStore, dataFolder: string, laneKey: string): Promise<string | null> {
  const secret = openSealedByLane(dataFolder, Buffer.from(laneKey, 'base64'), 'client-secret.enrolled')
  if (secret === null) return null
  await storeClientSecret(store, dataFolder, secret)
  return secret
}

/**
 * Decrypts the sealed client secret and seal key for the environment of a read-only program. Unlike `readSecrets`,
 * creates no key, seals nothing and reads no secret of an enrolment or plain `seal.key`. Omits a missing secret.
 * Rejects with TerminalRefused if this user’s key store cannot decrypt an existing one.
 */
export async function peekSecrets(store: OsKeyStore, dataFolder: string): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {}
  for (const [name, file] of [
    ['MILEPOST_CLIENT_SECRET', path.join(dataFolder, CLIENT_SECRET)],
    ['MILEPOST_SEAL_KEY', path.join(dataFolder, SEAL_KEY)],
  ] as const)
    if (existsSync(file)) secrets[name] = (await decrypt(store, file)).result
  return secrets
}

async function readSealKey(store: OsKeyStore | null, dataFolder: string): Promise<string> {
  const sealedFile = path.join(dataFolder, SEAL_KEY)
  const keyFile = path.join(dataFolder, KEY_FILE)
  // An existing key file wins: the lane has sold with its key, and uses it if it goes back to a browser (decision 1).
  if (existsSync(keyFile)) {
    const key = readFileSync(keyFile, 'utf8').trim()
    if (Buffer.from(key, 'base64').byteLength !== 32) {
      throw new TerminalRefused([['keyFileWrong', { file: keyFile }], ['keyFromBackup']], 4)
    }
    // The key store must have a copy of this key: an older key there would be used after the file is removed, and could
    // open nothing.
    if (store !== null && !(await isSealed(store, sealedFile, key))) await writeSealed(store, sealedFile, key)
    return key
  }
  if (store === null) throw new TerminalRefused([['noKeyAnywhere']], 2)
  if (!existsSync(sealedFile)) await writeSealed(store, sealedFile, randomBytes(32).toString('base64'))
  return openSealed(store, sealedFile)
}

const isSealed = async (store: OsKeyStore, file: string, text: string): Promise<boolean> =>
  existsSync(file) &&
  (await openSealed(store, file).then(
    (found) => found === text,
    () => false,
  ))

async function writeSealed(store: OsKeyStore, file: string, text: string): Promise<void> {
  makeFolder(path.dirname(file), 0o700)
  writeWhole(file, await store.encryptStringAsync(text))
}

async function openSealed(store: OsKeyStore, file: string): Promise<string> {
  const { result, shouldReEncrypt } = await decrypt(store, file)
  if (shouldReEncrypt) await writeSealed(store, file, result)
  return result
}

async function decrypt(store: OsKeyStore, file: string): ReturnType<OsKeyStore['decryptStringAsync']> {
  try {
    return await store.decryptStringAsync(readFileSync(file))
  } catch (error) {
    const refusal: Refusal = [['sealedByOther', { file }], ['sealedByOtherWhy'], ['sealedByOtherDo']]
    throw new TerminalRefused(refusal, 2, { cause: error })
  }
}
