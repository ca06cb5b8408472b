/**
 * What the operating system or SQLite means when it refuses a file or folder: the reason, what to do, and the exit code
 * of a start that ends with it.
 */
interface Trouble {
  readonly reason: string
  readonly remedy: string
  readonly exitCode: 1 | 2 | 4
}

const ELSEWHERE = 'start with another --data folder'
// Another start on the same folder cannot succeed (2) …
const FORBIDDEN: Trouble = {
  reason: 'this user may not write there',
  remedy: `Give this user the right to write there, or ${ELSEWHERE}.`,
  exitCode: 2,
}
const IN_THE_WAY: Trouble = {
  reason: 'a file is in the way of the folder',
  remedy: `Move the file away, or ${ELSEWHERE}.`,
  exitCode: 2,
}
// … a disk may have room again at the next …
const FULL: Trouble = { reason: 'the disk is full', remedy: `Make room on it, or ${ELSEWHERE}.`, exitCode: 1 }
const BROKEN_DISK: Trouble = {
  reason: 'the disk reports an error',
  remedy: 'Have the disk looked at, and keep your backups safe.',
  exitCode: 1,
}
// … and what is damaged stays so.
const RESTORE =
  'Restore it from your backup; a terminal keeps copies from before each change of its schema in the folder ' +
  'backups. To begin anew on purpose, move the data folder away.'

const TROUBLES: Readonly<Record<string, Trouble>> = {
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: {
    reason: 'it is on a disk that can only be read',
    remedy: `Make the disk writable, or ${ELSEWHERE}.`,
    exitCode: 2,
  },
  EEXIST: IN_THE_WAY,
  ENOTDIR: IN_THE_WAY,
  ENOENT: {
    reason: 'the system lets no folder be made there',
    remedy: 'Start with another --data folder.',
    exitCode: 2,
  },
  ENOSPC: FULL,
  EDQUOT: FULL,
  EIO: BROKEN_DISK,
  SQLITE_FULL: FULL,
  SQLITE_READONLY: FORBIDDEN,
  SQLITE_CANTOPEN: FORBIDDEN,
  SQLITE_IOERR: BROKEN_DISK,
  SQLITE_NOTADB: { reason: 'its database file holds something else', remedy: RESTORE, exitCode: 4 },
  SQLITE_CORRUPT: { reason: 'its database is damaged', remedy: RESTORE, exitCode: 4 },
}

/** Words for whoever started a program whose data folder cannot be used; null when the error is not about storage. */
export function storageTrouble(
  folder: string,
  error: unknown,
): { readonly message: string; readonly exitCode: number } | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  // SQLite adds detail to its main code: SQLITE_IOERR_WRITE, SQLITE_CORRUPT_INDEX.
  const trouble = TROUBLES[error.code] ?? TROUBLES[error.code.split('_', 2).join('_')]
  return trouble === undefined
    ? null
    : {
        message: `The data folder ${folder} cannot be used: ${trouble.reason}. ${trouble.remedy}`,
        exitCode: trouble.exitCode,
      }
}
