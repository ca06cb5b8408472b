import { chmodSync, closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createHmac, randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { formatRefusal, type Refusal, type Sentence } from '../../../contracts/core/refusal.ts'
import { storageTrouble } from '../../../contracts/core/program.ts'
import { LaneIdentity } from '../../../packages/delivery/identity.ts'
import { makeFolder, writeWhole } from '../../../packages/delivery/whole-file.ts'
import { listBackups } from './backup-list.ts'

/**
 * Thrown when the program cannot start; the exit code decides whether a supervisor retries. See
 * docs/decisions/0004-sqlite-with-full-sync.md.
 */
export class StartRefusedError extends Error {
  override name = 'StartRefusedError'
  readonly exitCode: number
  /** Reason in a form that can be translated; null when there is only the message. */
  readonly refusal: Refusal | null
  constructor(why: string | Refusal, exitCode: number) {
    super(typeof why === 'string' ? why : formatRefusal(why))
    this.refusal = typeof why === 'string' ? null : why
    this.exitCode = exitCode
  }
}

/** Converts an error about files of the data folder to a refusal; returns any other error unchanged. */
export function folderRefusal(folder: string, error: unknown): unknown {
  const trouble = storageTrouble(folder, error)
  return trouble === null ? error : new StartRefusedError(trouble.refusal, trouble.exitCode)
}

/**
 * Exit codes. `restart`: a normal end after which the supervisor starts the program again at once. `update`: another
 * version starts.
 */
export const EXIT = { badArguments: 2, folderInUse: 3, dataMissing: 4, restart: 10, update: 11 } as const

/**
 * Lane that a data folder belongs to. Pending miles of one store must never be sent to another store's services, and
 * real ones never to those of training.
 */
export type FolderOwner = LaneIdentity

const Sentinel = z.object({
  createdAt: z.string(),
  owner: LaneIdentity.optional(),
  keyCheck: z.string(),
})
type Sentinel = z.infer<typeof Sentinel>

export interface DataFolder {
  readonly database: string
  readonly journalMark: string
  readonly paper: string
  readonly catalog: string
  readonly offerImages: string
  readonly backups: string
  backup(fromVersion: number): string
  /**
   * Writes the sentinel: from now on a start without a database is refused. Call it when the schema exists and the
   * database is adopted under the sealing key.
   */
  markDatabase(): void
  readonly hadDatabase: boolean
  readonly masterKey: Uint8Array
  release(): void
}

/**
 * Locks the folder with everything that a terminal must not lose. One terminal per folder: an exclusive lock of the
 * operating system on a file ends with the process. Throws StartRefusedError when another terminal holds it; when it
 * belongs to another lane; when a sentinel or a backup shows that a database is missing, because starting empty would
 * hide the loss; when the sealing key is missing or invalid; or when other users can access the folder and this program
 * may not change that. Errors of the file system and of SQLite are thrown unchanged: use `folderRefusal`.
 */
export function lockDataFolder(folder: string, providedKey: Uint8Array | null, owner: FolderOwner | null): DataFolder {
  closeFolder(folder)
  makeFolder(resolve(folder, 'backups'), 0o700)
  const lock = lockFolder(folder)
  try {
    const database = join(folder, 'terminal.db')
    const sentinel = join(folder, 'terminal.json')
    const databaseExists = (): boolean => hasDatabase(folder)
    const known = readOwned(folder, owner)
    const masterKey = providedKey
      ? checkedKey(providedKey, ['keyStoreWrong'])
      : (heldKey(join(folder, 'seal.key'), databaseExists()) ?? newKey(join(folder, 'seal.key')))
    const keyCheck = keyCheckOf(masterKey)
    refuseOtherKey(folder, known, keyCheck)
    // Provisioning locks a folder that has no database yet, and must then write no sentinel.
    const writeSentinel = (): void => {
      const marked: Sentinel = {
        createdAt: known?.createdAt ?? new Date().toISOString(),
        ...((known?.owner ?? owner) ? { owner: known?.owner ?? owner ?? undefined } : {}),
        keyCheck,
      }
      if (databaseExists() && JSON.stringify(known) !== JSON.stringify(marked))
        writeWhole(sentinel, JSON.stringify(marked) + '\n')
    }
    closeFiles(folder)
    // The lane and the key check are added to an existing sentinel now; a missing one is written after the database is
    // verified (`markDatabase`).
    if (known) writeSentinel()
    return {
      database,
      journalMark: join(folder, 'journal.mark'),
      paper: join(folder, 'paper'),
      catalog: join(folder, 'catalog'),
      offerImages: join(folder, 'cache', 'offer-images'),
      backups: join(folder, 'backups'),
      backup: (fromVersion) => join(folder, 'backups', `before-schema-${fromVersion + 1}-${Date.now()}.db`),
      masterKey,
      markDatabase: writeSentinel,
      hadDatabase: known !== null,
      release: () => {
        releaseLock(lock)
      },
    }
  } catch (error) {
    releaseLock(lock)
    throw error
  }
}

const NAMED_BACKUPS = 3

/**
 * Throws StartRefusedError when the sentinel or a backup shows that the folder had a database. For an intentional new
 * start an installer moves sentinel, backups and the mark of the journal.
 */
function refuseLoss(folder: string): void {
  const backups = listBackups(join(folder, 'backups')).slice(0, NAMED_BACKUPS)
  if (backups.length === 0 && !existsSync(join(folder, 'terminal.json'))) return
  const left = ['terminal.json', 'journal.mark', ...(backups.length > 0 ? ['backups'] : [])]
  const files = left.map((name) => join(folder, name)).filter((file) => existsSync(file))
  throw new StartRefusedError(
    [
      ['databaseGone', { folder }],
      ...(backups.length > 0
        ? [['backupsThere', { names: backups.map(({ name }) => name).join(', ') }] satisfies Sentence]
        : []),
      ['restoreSteps'],
      ['beginAnew', { file: files.join(', ') }],
    ],
    EXIT.dataMissing,
  )
}

const hasDatabase = (folder: string): boolean => {
  const file = join(folder, 'terminal.db')
  return existsSync(file) && statSync(file).size > 0
}

/**
 * Reads the sentinel; null when it is missing. Throws StartRefusedError when its database is missing or belongs to
 * another lane.
 */
function readOwned(folder: string, owner: FolderOwner | null): Sentinel | null {
  const sentinel = join(folder, 'terminal.json')
  if (!hasDatabase(folder)) refuseLoss(folder)
  const known = readSentinel(sentinel)
  if (owner && known?.owner && JSON.stringify(known.owner) !== JSON.stringify(owner)) {
    const named = ({ mode, ...lane }: FolderOwner) => ({ ...lane, mode: { textKey: mode } })
    const [whose, mine] = [{ folder, ...named(known.owner) }, named(owner)]
    throw new StartRefusedError(
      [['folderOfOther', whose], ['thisLane', mine], ['mustNotLeave'], ['otherFolder']],
      EXIT.badArguments,
    )
  }
  return known
}

function refuseOtherKey(folder: string, known: Sentinel | null, keyCheck: string): void {
  if (known && known.keyCheck !== keyCheck)
    throw new StartRefusedError([['keyOfOther', { folder }], ['waitingUnread'], ['keyFromBackup']], EXIT.dataMissing)
}

/**
 * Throws the same errors as `lockDataFolder`, without locking or changing anything; the folder must not be in use.
 * Returns the sealing key of its database; null when it does not exist yet.
 */
export function refuseDataFolder(
  folder: string,
  providedKey: Uint8Array | null,
  owner: FolderOwner | null,
): Uint8Array | null {
  if (!existsSync(folder)) return null
  isOpenToOthers(folder)
  refuseForeignLock(folder, lockFileOf(folder))
  const known = readOwned(folder, owner)
  const key = providedKey
    ? checkedKey(providedKey, ['keyStoreWrong'])
    : heldKey(join(folder, 'seal.key'), hasDatabase(folder))
  if (key !== null) refuseOtherKey(folder, known, keyCheckOf(key))
  return key
}

export interface FolderToRestore {
  readonly database: string
  readonly journalMark: string
  /** Returns the sealing key; null when it does not exist yet, as on a new computer. */
  readonly masterKey: Uint8Array | null
  release(): void
}

/**
 * Locks the folder as a terminal does, with or without a database, and creates neither key nor sentinel. Throws
 * StartRefusedError.
 */
export function lockForRestore(folder: string, providedKey: Uint8Array | null): FolderToRestore {
  closeFolder(folder)
  makeFolder(resolve(folder, 'backups'), 0o700)
  const lock = lockFolder(folder)
  try {
    const known = readSentinel(join(folder, 'terminal.json'))
    const file = join(folder, 'seal.key')
    const masterKey = providedKey ? checkedKey(providedKey, ['keyStoreWrong']) : heldKey(file, false)
    if (masterKey && known && known.keyCheck !== keyCheckOf(masterKey)) {
      throw new StartRefusedError(
        [['keyOfOtherTerminal', { folder }], ['keyFromBackup'], ['nothingChanged']],
        EXIT.dataMissing,
      )
    }
    return {
      database: join(folder, 'terminal.db'),
      journalMark: join(folder, 'journal.mark'),
      masterKey,
      release: () => {
        releaseLock(lock)
      },
    }
  } catch (error) {
    releaseLock(lock)
    throw error
  }
}

/** Value by which the sealing key of the database is recognised, and which does not reveal the key. */
export const keyCheckOf = (masterKey: Uint8Array): string =>
  createHmac('sha256', masterKey).update('milepost sealing key').digest('hex')

/** Names of the files that this program and its shell create in a data folder. */
const OURS_BEGIN = /^(terminal\.|journal\.|restored-|seal|client[.-]secret)/
const OURS = /^(electron-failed\.json|backups|bundles|cache|catalog|logs|paper|central|browser|shell)$/
const isOwnFile = (name: string): boolean => OURS.test(name) || OURS_BEGIN.test(name)
export const hasOnlyOwnFiles = (folder: string): boolean => readdirSync(folder).every(isOwnFile)
/** Secrets that others can read get an error message of their own, because they may have been copied. */
const SECRETS = /^(seal|client[.-]secret)/

/**
 * Restricts the folder to its owner. Throws StartRefusedError for a folder that this program may not change:
 * world-writable (sticky, as /tmp), another user's, or with other contents. Windows restricts user folders by default.
 */
function closeFolder(folder: string): void {
  if (isOpenToOthers(folder)) chmodSync(folder, 0o700)
}

function isOpenToOthers(folder: string): boolean {
  if (process.platform === 'win32' || !existsSync(folder)) return false
  const found = statSync(folder)
  if (!found.isDirectory() || (found.mode & 0o077) === 0) return false
  const own = found.uid === process.getuid?.() || process.getuid?.() === 0
  if ((found.mode & 0o1000) !== 0 || !own)
    throw new StartRefusedError([['folderShared', { folder }], ['couldRead']], EXIT.badArguments)
  if (!hasOnlyOwnFiles(folder))
    throw new StartRefusedError(
      [['folderMixed', { folder }], ['otherFolderOrRun'], `chmod 700 '${folder}'`],
      EXIT.badArguments,
    )
  return true
}

/**
 * The files are restricted as well as the folder, in case the folder is opened to others again. The database file is
 * created before SQLite opens it, because SQLite copies its permissions to the log.
 */
function closeFiles(folder: string): void {
  if (process.platform === 'win32') return
  closeSync(openSync(join(folder, 'terminal.db'), 'a', 0o600))
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const found = lstatSync(file)
    if (
      !isOwnFile(name) ||
      SECRETS.test(name) ||
      !(found.isFile() || found.isDirectory()) ||
      (found.mode & 0o077) === 0
    )
      continue
    chmodSync(file, found.isDirectory() ? 0o700 : 0o600)
  }
}

function readSentinel(file: string): Sentinel | null {
  if (!existsSync(file)) return null
  try {
    return Sentinel.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new StartRefusedError([['markUnread', { file }]], EXIT.dataMissing)
  }
}

/**
 * Locks in use. Without a reference, garbage collection would close them and unlock the folder of a running terminal.
 */
const held = new Set<Database.Database>()

export const lockFileOf = (folder: string): string => join(folder, 'terminal.lock')

/**
 * Whether the lock file is a link or another user's. Another user may have created it while the folder was open to
 * others; a lock behind a link would not exclude a second terminal.
 */
export function isForeignLock(folder: string, file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (process.platform === 'win32' || found === undefined) return false
  const owners = [process.getuid?.(), statSync(folder).uid]
  return !found.isFile() || !owners.includes(found.uid)
}

function refuseForeignLock(folder: string, file: string): void {
  if (!isForeignLock(folder, file)) return
  throw new StartRefusedError([['lockForeign', { file }], ['lockForeignDo']], EXIT.badArguments)
}

function lockFolder(folder: string): Database.Database {
  const file = lockFileOf(folder)
  refuseForeignLock(folder, file)
  const lock = new Database(file, { timeout: 0 })
  try {
    lock.pragma('locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE')
    held.add(lock)
    return lock
  } catch (error) {
    lock.close()
    if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw error
    throw new StartRefusedError([['inUse', { folder }], ['inUseDo']], EXIT.folderInUse)
  }
}

function releaseLock(lock: Database.Database): void {
  held.delete(lock)
  lock.close()
}

/**
 * Returns the sealing key of a lane without a key store of the system: it is in a file that only its owner can read.
 * Null if there is neither the file nor a database.
 */
function heldKey(file: string, databaseExists: boolean): Uint8Array | null {
  if (existsSync(file) && process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    throw new StartRefusedError([['keyOpen', { file }], ['run'], `chmod 600 '${file}'`], EXIT.badArguments)
  if (existsSync(file))
    return checkedKey(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64'), ['keyFileWrong', { file }])
  if (databaseExists)
    throw new StartRefusedError([['keyMissing', { file }], ['waitingUnread'], ['keyFromBackup']], EXIT.dataMissing)
  return null
}

function newKey(file: string): Uint8Array {
  const key = randomBytes(32)
  writeWhole(file, key.toString('base64') + '\n')
  return key
}

function checkedKey(key: Uint8Array, wrong: Sentence): Uint8Array {
  if (key.byteLength !== 32)
    throw new StartRefusedError([wrong, ['waitingUnread'], ['keyFromBackup']], EXIT.dataMissing)
  return key
}
