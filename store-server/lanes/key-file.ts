import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Postgres } from '../db/postgres.ts'
import { refused, type RefusedKey } from '../words.ts'

const KEY_BYTES = 32

export interface KeyFile {
  readonly file: string
  /** The table with the fingerprint. */
  readonly table: 'seal_key' | 'proof_key'
  readonly purpose: string
  readonly missing: readonly RefusedKey[]
  readonly wrong: readonly RefusedKey[]
  readonly ofOther: readonly RefusedKey[]
}

/**
 * Reads a key of the servers of one database: a file of the server's machine that only its owner reads, made once. The
 * database holds its fingerprint, so that a server with another key does not start. Throws an Error in plain words.
 */
export async function readKeyFile(
  folder: string,
  postgres: Postgres | null,
  { file: name, table, purpose, ...words }: KeyFile,
): Promise<Buffer> {
  const file = join(folder, name)
  let isNew = false
  if (!existsSync(file)) {
    const known = postgres === null ? 0 : (await postgres.query(`SELECT 1 FROM ${table}`)).count
    if (known > 0 && !existsSync(file)) throw refused(words.missing, { file })
    isNew = known === 0 && make(file)
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw refused('keyOpen', { file, command: `chmod 600 '${file}'` })
  const key = bytesOf(file)
  if (key.byteLength !== KEY_BYTES) throw refused(words.wrong, { file, bytes: String(key.byteLength) })
  if (postgres === null) return key
  const fingerprint = createHmac('sha256', key).update(purpose).digest('hex')
  await postgres.query(`INSERT INTO ${table} (id, fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING`, [
    fingerprint,
  ])
  const { rows } = await postgres.query<{ fingerprint: string }>(`SELECT fingerprint FROM ${table}`)
  if (rows[0]?.fingerprint !== fingerprint) {
    // Another server began at the same moment, and its key is the one.
    if (isNew) rmSync(file)
    throw refused(words.ofOther, { file })
  }
  return key
}

/** Whole or not at all, and never in the place of one that another server of this folder has just made: then false. */
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
