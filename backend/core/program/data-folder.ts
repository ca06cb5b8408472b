import { chmodSync, closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createHmac, randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { sayRefusal, type Refusal, type Sentence } from '../../../contracts/core/refusal.ts'
import { storageTrouble } from '../../../contracts/core/program.ts'
import { LaneIdentity } from '../../../packages/delivery/identity.ts'
import { makeFolder, writeWhole } from '../../../packages/delivery/whole-file.ts'
import { listBackups } from './backup-list.ts'

/** A reason not to start, with the exit code that tells a supervisor whether to try again. */
export class StartRefusedError extends Error {
  override name = 'StartRefusedError'
  readonly exitCode: number
  /** Null where there are no words of it but those of its message. */
  readonly refusal: Refusal | null
  constructor(why: string | Refusal, exitCode: number) {
    super(typeof why === 'string' ? why : sayRefusal(why))
    this.refusal = typeof why === 'string' ? null : why
    this.exitCode = exitCode
  }
}

/** An error about the files of the data folder as a refusal in words; any other is what it was. */
export function folderRefusal(folder: string, error: unknown): unknown {
  const trouble = storageTrouble(folder, error)
  return trouble === null ? error : new StartRefusedError(trouble.refusal, trouble.exitCode)
}

/** `restart`: it ended in order and is to be started again at once. */
export const EXIT = { badArguments: 2, folderInUse: 3, dataMissing: 4, restart: 10, update: 11 } as const

/**
 * Whose data a folder holds. A store's waiting miles must never leave by another store's services, least of all
 * training's.
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
  /** Where the journal notes how far it came, outside the database. */
  readonly journalMark: string
  readonly paper: string
  /** The files of the catalog, which are made from the database. */
  readonly catalog: string
  /** Pictures of offers, which are fetched again where they are missing: in no backup. */
  readonly offerImages: string
  readonly backups: string
  backup(fromVersion: number): string
  /**
   * Leaves the sentinel: from now on this folder has a database, and starting without one is refused. Call when its
   * schema stands and it is in the care of the key.
   */
  markDatabase(): void
  /** Whether the sentinel says that there was a database. */
  readonly hadDatabase: boolean
  /** 32 bytes: sealing and hashing of collector numbers. */
  readonly masterKey: Uint8Array
  release(): void
}

/**
 * Claims the folder that holds everything a terminal must not lose. One terminal per folder: the claim is an
 * exclusive lock of the operating system on a file, so that it ends with the process, however the process ends.
 * Throws StartRefusedError when another terminal holds it, or when a sentinel or a backup says that there was a
 * database and there is none now: starting empty would hide the loss. Also when the key is missing or is none, or
 * when others of this machine could look into the folder and it is not this program's to close.
 * Errors of the file system and of SQLite are thrown as they are: `folderRefusal` has the words.
 */
export function claimDataFolder(folder: string, providedKey: Uint8Array | null, owner: FolderOwner | null): DataFolder {
  closeFolder(folder)
  makeFolder(resolve(folder, 'backups'), 0o700)
  const lock = lockFolder(folder)
  try {
    const database = join(folder, 'terminal.db')
    const sentinel = join(folder, 'terminal.json')
    const databaseStands = (): boolean => hasDatabase(folder)
    const known = readOwned(folder, owner)
    const masterKey = providedKey
      ? checkedKey(providedKey, ['keyStoreWrong'])
      : (heldKey(join(folder, 'seal.key'), databaseStands()) ?? newKey(join(folder, 'seal.key')))
    const keyCheck = keyCheckOf(masterKey)
    refuseOtherKey(folder, known, keyCheck)
    // Provisioning claims a folder before there is a database: only a database that stands is something to lose.
    const writeSentinel = (): void => {
      const marked: Sentinel = {
        createdAt: known?.createdAt ?? new Date().toISOString(),
        ...((known?.owner ?? owner) ? { owner: known?.owner ?? owner ?? undefined } : {}),
        keyCheck,
      }
      if (databaseStands() && JSON.stringify(known) !== JSON.stringify(marked))
        writeWhole(sentinel, JSON.stringify(marked) + '\n')
    }
    closeFiles(folder)
    // Whose it is, is noted at once; a sentinel that is missing is written when the database has been looked at.
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
        letGo(lock)
      },
    }
  } catch (error) {
    letGo(lock)
    throw error
  }
}

/** Backups that a refusal names. */
const NAMED_BACKUPS = 3

/**
 * Throws StartRefusedError when the sentinel or a backup says that the folder had a database. To begin anew on purpose
 * an installer moves both away, and the mark of the journal.
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

/** The mark of the folder, null without one. Throws StartRefusedError where its database is gone or it is another's. */
function readOwned(folder: string, owner: FolderOwner | null): Sentinel | null {
  const sentinel = join(folder, 'terminal.json')
  if (!hasDatabase(folder)) refuseLoss(folder)
  const known = readSentinel(sentinel)
  if (owner && known?.owner && JSON.stringify(known.owner) !== JSON.stringify(owner)) {
    const named = ({ mode, ...lane }: FolderOwner) => ({ ...lane, mode: { say: mode } })
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
 * Refuses what `claimDataFolder` would refuse of a folder that no terminal uses, and changes nothing.
 * Answers the key of its database; null where it has none yet.
 */
export function refuseDataFolder(
  folder: string,
  providedKey: Uint8Array | null,
  owner: FolderOwner | null,
): Uint8Array | null {
  if (!existsSync(folder)) return null
  standsOpen(folder)
  refuseForeignLock(folder, lockFileOf(folder))
  const known = readOwned(folder, owner)
  const key = providedKey
    ? checkedKey(providedKey, ['keyStoreWrong'])
    : heldKey(join(folder, 'seal.key'), hasDatabase(folder))
  if (key !== null) refuseOtherKey(folder, known, keyCheckOf(key))
  return key
}

/** What putting a backup in the database's place needs of a data folder, whose database may be missing or broken. */
export interface FolderToRestore {
  readonly database: string
  readonly journalMark: string
  /** The sealing key that is at hand; null when there is none yet, as on a new computer. */
  readonly masterKey: Uint8Array | null
  release(): void
}

/**
 * Claims the folder as a terminal does, but with whatever database is in it. Makes no key and no sentinel. Throws
 * StartRefusedError.
 */
export function claimToRestore(folder: string, providedKey: Uint8Array | null): FolderToRestore {
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
        letGo(lock)
      },
    }
  } catch (error) {
    letGo(lock)
    throw error
  }
}

/** Tells the key of the database from another, and nothing else of it. */
export const keyCheckOf = (masterKey: Uint8Array): string =>
  createHmac('sha256', masterKey).update('milepost sealing key').digest('hex')

/** What this program and its shell put into a data folder. */
const OURS_BEGIN = /^(terminal\.|journal\.|restored-|seal|client[.-]secret)/
const OURS = /^(electron-failed\.json|backups|bundles|cache|catalog|logs|paper|central|browser|shell)$/
const isOurs = (name: string): boolean => OURS.test(name) || OURS_BEGIN.test(name)
/** Whether nothing else is in the folder, so that a start may close it. */
export const isOursAlone = (folder: string): boolean => readdirSync(folder).every(isOurs)
/** Refused with words of their own where others could read them: what was open may have been copied. */
const SECRETS = /^(seal|client[.-]secret)/

/**
 * What is in the folder is its owner's alone: one that stands open is closed. Throws StartRefusedError for a folder
 * that is not this program's to close: where everybody writes (sticky, as /tmp), another user's, or one with other
 * things in it. Windows keeps a person's folders closed by itself.
 */
function closeFolder(folder: string): void {
  if (standsOpen(folder)) chmodSync(folder, 0o700)
}

function standsOpen(folder: string): boolean {
  if (process.platform === 'win32' || !existsSync(folder)) return false
  const found = statSync(folder)
  if (!found.isDirectory() || (found.mode & 0o077) === 0) return false
  const own = found.uid === process.getuid?.() || process.getuid?.() === 0
  if ((found.mode & 0o1000) !== 0 || !own)
    throw new StartRefusedError([['folderShared', { folder }], ['couldRead']], EXIT.badArguments)
  if (!isOursAlone(folder))
    throw new StartRefusedError(
      [['folderMixed', { folder }], ['otherFolderOrRun'], `chmod 700 '${folder}'`],
      EXIT.badArguments,
    )
  return true
}

/**
 * The files too, for whoever opens the folder again. SQLite gives its log the rights of the database: that one is made
 * closed before it is opened.
 */
function closeFiles(folder: string): void {
  if (process.platform === 'win32') return
  closeSync(openSync(join(folder, 'terminal.db'), 'a', 0o600))
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const found = lstatSync(file)
    if (!isOurs(name) || SECRETS.test(name) || !(found.isFile() || found.isDirectory()) || (found.mode & 0o077) === 0)
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
 * A lock that nobody refers to would be closed by the garbage collector, and the folder would be free under a running
 * terminal.
 */
const held = new Set<Database.Database>()

export const lockFileOf = (folder: string): string => join(folder, 'terminal.lock')

/** Somebody could have put it there while the folder stood open: a lock that leads elsewhere keeps nobody out. */
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

function letGo(lock: Database.Database): void {
  held.delete(lock)
  lock.close()
}

/** Without an operating system key store the key lives in a file that only the owner can read. */
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
