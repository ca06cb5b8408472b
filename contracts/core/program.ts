import { type Refusal, type Sentence, type StartingKey, formatRefusal } from './refusal.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the folder for application data on this system, as path segments. */
export function dataHomeSegments(platform: string, env: Environment, home: string): readonly string[] {
  if (platform === 'win32')
    return env['LOCALAPPDATA'] === undefined ? [home, 'AppData', 'Local'] : [env['LOCALAPPDATA']]
  if (platform === 'darwin') return [home, 'Library', 'Application Support']
  // The XDG specification requires an absolute path, and programs must ignore a relative one.
  const xdg = env['XDG_DATA_HOME']
  return xdg?.startsWith('/') ? [xdg] : [home, '.local', 'share']
}

/**
 * Returns the data folder of one lane below the folder for application data, as path segments: `milepost/<store
 * id>-<lane>`.
 */
export const laneFolderSegments = (storeId: string, lane: string): readonly string[] => [
  'milepost',
  `${storeId}-${lane}`.replace(/[^A-Za-z0-9._-]/g, '_'),
]

/**
 * Last line that a supervised program writes to standard output, with its exit code. Node can hang at exit
 * (docs/decisions/0012-memory-of-the-backend.md): the supervisor ends the program when it reads this line.
 */
export const endingLine = (code: number): string => `${JSON.stringify({ ending: code })}\n`

/** Writes the last line of a supervised program with its exit code, if its output is still read. */
export const writeEnding =
  (write: (line: string) => void) =>
  (code: number): void => {
    try {
      write(endingLine(code))
    } catch {
      // A write error means that the supervisor, which reads the output, has ended.
    }
  }

/** Parses the exit code from the last line of a supervised program; null for every other line. */
export function readEnding(line: string): number | null {
  const [, code] = /^\{"ending":(\d+)\}$/.exec(line) ?? []
  return code === undefined ? null : Number(code)
}

interface Trouble {
  readonly reason: StartingKey
  readonly remedy: readonly Sentence[]
  readonly exitCode: 1 | 2 | 4
}

// Exit code 2: another start on the same folder cannot succeed.
const FORBIDDEN: Trouble = { reason: 'mayNotWrite', remedy: [['mayNotWriteDo']], exitCode: 2 }
const IN_THE_WAY: Trouble = { reason: 'fileInTheWay', remedy: [['fileInTheWayDo']], exitCode: 2 }
// Exit code 1: the disk may have space again at the next start.
const FULL: Trouble = { reason: 'diskFull', remedy: [['diskFullDo']], exitCode: 1 }
const BROKEN_DISK: Trouble = { reason: 'diskBroken', remedy: [['diskBrokenDo']], exitCode: 1 }
// Damaged data stays damaged at the next start: a restore is needed.
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
  readonly message: string
  readonly exitCode: Trouble['exitCode']
}

export function storageTrouble(folder: string, error: unknown): StorageTrouble | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  // SQLite appends detail to its main code: SQLITE_IOERR_WRITE, SQLITE_CORRUPT_INDEX.
  const trouble = TROUBLES[error.code] ?? TROUBLES[error.code.split('_', 2).join('_')]
  if (trouble === undefined) return null
  const { reason, remedy, exitCode } = trouble
  const refusal: Refusal = [['folderUnusable', { folder, reason: { textKey: reason } }], ...remedy]
  return { refusal, message: formatRefusal(refusal), exitCode }
}
