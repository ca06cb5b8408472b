import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Postgres } from '../db/postgres.ts'
import { type RefusedKey, refused } from '../log.ts'

const KEY_BYTES = 32

export interface KeyFile {
  readonly file: string
  readonly table: 'seal_key' | 'proof_key'
  readonly purpose: string
  readonly missing: readonly RefusedKey[]
  readonly wrong: readonly RefusedKey[]
  readonly ofOther: readonly RefusedKey[]
}

/**
 * Reads a key shared by the servers of one database from a file; creates the file on first use. The database stores the
 * key's fingerprint, so that a server with another key does not start. Throws a readable Error.
 */
export async function readKeyFile(
  folder: string,
  postgres: Postgres,
  { file: name, table, purpose, ...words }: KeyFile,
): Promise<Buffer> {
  const file = join(folder, name)
  let isNew = false
  if (!existsSync(file)) {
    const known = (await postgres.query(`SELECT 1 FROM ${table}`)).count
    if (known > 0 && !existsSync(file)) throw refused(words.missing, { file })
    isNew = known === 0 && make(file)
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw refused('keyOpen', { file, command: `chmod 600 '${file}'` })
  const key = bytesOf(file)
  if (key.byteLength !== KEY_BYTES) throw refused(words.wrong, { file, bytes: String(key.byteLength) })
  const fingerprint = createHmac('sha256', key).update(purpose).digest('hex')
  await postgres.query(`INSERT INTO ${table} (id, fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`, [
    fingerprint,
  ])
  const { rows } = await postgres.query<{ fingerprint: string }>(`SELECT fingerprint FROM ${table}`)
  if (rows[0]?.fingerprint !== fingerprint) {
    // Another server started at the same time and stored its key first: remove the file with this server's key.
    if (isNew) rmSync(file)
    throw refused(words.ofOther, { file })
  }
  return key
}

/**
 * Writes a new key file completely or not at all. Returns false when another server of this folder created it first.
 */
function make(file: string): boolean {
  const written = `${file}.${randomUUID()}`
  try {
    writeFileSync(written, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx', flush: true })
    linkSync(written, file)
    return true
  } catch (error) {
    if (existsSync(file)) return false
    throw error
  } finally {
    rmSync(written, { force: true })
  }
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EACCES') throw error
    throw refused(['mayNotRead', 'mayNotReadDo'], { file }, { cause: error })
  }
}

const FILE = 'proof.key'
const NONCE_MS = 60_000
/** Length of a MAC in bytes; 128 bits suffice, because each guess needs a call to the server. */
const MAC_BYTES = 16

/**
 * Reads the servers' own key for nonces and stream proofs, which lanes never receive. The servers of one database share
 * it. Throws a readable Error.
 */
export const readProofKey = (folder: string, postgres: Postgres): Promise<Buffer> =>
  readKeyFile(folder, postgres, {
    file: FILE,
    table: 'proof_key',
    purpose: 'milepost proof key',
    missing: ['proofKeyMissing', 'proofKeyMissingDo'],
    wrong: ['proofKeyWrong', 'storeKeyDo'],
    ofOther: ['proofKeyOfOther', 'storeKeyDo'],
  })

const macOf = (key: Uint8Array, parts: readonly (string | number)[]): string =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest().subarray(0, MAC_BYTES).toString('base64url')

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.byteLength === right.byteLength && timingSafeEqual(left, right)
}

/** Creates nonces without storing them: a MAC over the minute and the lane's token. */
export function createNonces(key: Uint8Array) {
  const minuteOf = (now: number): number => Math.floor(now / NONCE_MS)
  const of = (minute: number, token: string): string => macOf(key, ['nonce', minute, token])
  return {
    next: (token: string, now: number): string => of(minuteOf(now), token),
    /** Returns the minute of a valid nonce; null otherwise. Clocks of servers may differ by a minute. */
    minuteOf(nonce: string, token: string, now: number): number | null {
      const minute = minuteOf(now)
      return [minute, minute - 1, minute + 1].find((one) => isSame(of(one, token), nonce)) ?? null
    },
    isOver: (minute: number, now: number): boolean => minute < minuteOf(now) - 1,
  }
}
export type Nonces = ReturnType<typeof createNonces>

/** Creates proofs that this database had a stream up to a number; they are valid in a database restored since, too. */
export function createStreamProofs(key: Uint8Array) {
  const of = (store: string, stream: string, seq: number): string => macOf(key, ['stream', store, stream, seq])
  return {
    of,
    isProof: (proof: string, store: string, stream: string, seq: number): boolean =>
      isSame(of(store, stream, seq), proof),
  }
}
export type StreamProofs = ReturnType<typeof createStreamProofs>

/** Reads the seal key shared by the store's lanes. Throws a readable Error. */
export const readSealKey = (folder: string, postgres: Postgres): Promise<Buffer> =>
  readKeyFile(folder, postgres, {
    file: 'store.key',
    table: 'seal_key',
    purpose: 'milepost store key',
    missing: ['storeKeyMissing', 'storeKeyMissingDo'],
    wrong: ['storeKeyWrong', 'storeKeyDo'],
    ofOther: ['storeKeyOfOther', 'storeKeyDo'],
  })
