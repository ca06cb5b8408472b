import { sayRefusal, type Refusal, type Sentence, type StartingKey } from './refusal.ts'

/**
 * What the operating system or SQLite means when it refuses a file or folder: the reason, what to do, and the exit code
 * of a start that ends with it.
 */
interface Trouble {
  readonly reason: StartingKey
  readonly remedy: readonly Sentence[]
  readonly exitCode: 1 | 2 | 4
}

// Another start on the same folder cannot succeed (2) …
const FORBIDDEN: Trouble = { reason: 'mayNotWrite', remedy: [['mayNotWriteDo']], exitCode: 2 }
const IN_THE_WAY: Trouble = { reason: 'fileInTheWay', remedy: [['fileInTheWayDo']], exitCode: 2 }
// … a disk may have room again at the next …
const FULL: Trouble = { reason: 'diskFull', remedy: [['diskFullDo']], exitCode: 1 }
const BROKEN_DISK: Trouble = { reason: 'diskBroken', remedy: [['diskBrokenDo']], exitCode: 1 }
// … and what is damaged stays so.
const RESTORE: readonly Sentence[] = [['restoreYours'], ['schemaCopies'], ['folderAnew']]

const TROUBLES: Readonly<Record<string, Trouble>> = {
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: { reason: 'diskReadOnly', remedy: [['diskReadOnlyDo']], exitCode: 2 },
  EEXIST: IN_THE_WAY,
  ENOTDIR: IN_THE_WAY,
  ENOENT: { reason: 'noFolderThere', remedy: [['noFolderThereDo']], exitCode: 2 },
  ENOSPC: FULL,
  EDQUOT: FULL,
  EIO: BROKEN_DISK,
  SQLITE_FULL: FULL,
  SQLITE_READONLY: FORBIDDEN,
  SQLITE_CANTOPEN: FORBIDDEN,
  SQLITE_IOERR: BROKEN_DISK,
  SQLITE_NOTADB: { reason: 'notADatabase', remedy: RESTORE, exitCode: 4 },
  SQLITE_CORRUPT: { reason: 'databaseDamaged', remedy: RESTORE, exitCode: 4 },
}

interface StorageTrouble {
  readonly refusal: Refusal
  /** The same in English. */
  readonly message: string
  readonly exitCode: Trouble['exitCode']
}

/** Words for whoever started a program whose data folder cannot be used; null when the error is not about storage. */
export function storageTrouble(folder: string, error: unknown): StorageTrouble | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  // SQLite adds detail to its main code: SQLITE_IOERR_WRITE, SQLITE_CORRUPT_INDEX.
  const trouble = TROUBLES[error.code] ?? TROUBLES[error.code.split('_', 2).join('_')]
  if (trouble === undefined) return null
  const { reason, remedy, exitCode } = trouble
  const refusal: Refusal = [['folderUnusable', { folder, reason: { say: reason } }], ...remedy]
  return { refusal, message: sayRefusal(refusal), exitCode }
}
