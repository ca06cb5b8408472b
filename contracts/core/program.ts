import { type Refusal, type Sentence, type StartingKey, sayRefusal } from './refusal.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a person's programs keep their data on this system, as the parts of a path. */
export function dataHomeParts(platform: string, env: Environment, home: string): readonly string[] {
  if (platform === 'win32')
    return env['LOCALAPPDATA'] === undefined ? [home, 'AppData', 'Local'] : [env['LOCALAPPDATA']]
  if (platform === 'darwin') return [home, 'Library', 'Application Support']
  // The XDG specification: a relative path there is invalid and ignored.
  const xdg = env['XDG_DATA_HOME']
  return xdg?.startsWith('/') ? [xdg] : [home, '.local', 'share']
}

/** The data folder of one lane below that, as the parts of a path: `milepost/<store id>-<lane>`. */
export const laneFolderParts = (storeId: string, lane: string): readonly string[] => [
  'milepost',
  `${storeId}-${lane}`.replace(/[^A-Za-z0-9._-]/g, '_'),
]

/**
 * The last line that a supervised program writes on standard output: the exit code with which it is about to end. Node
 * can wait for ever at its exit (docs/decisions/0012-memory-of-the-backend.md); whoever reads this line ends it then.
 */
export const endingLine = (code: number): string => `${JSON.stringify({ ending: code })}\n`

/** For the exit of a supervised program: writes that line, where somebody still reads it. */
export const sayEnding =
  (write: (line: string) => void) =>
  (code: number): void => {
    try {
      write(endingLine(code))
    } catch {
      // Whoever supervised this program is gone.
    }
  }

/** The exit code of such a line; null for every other. */
export function readEnding(line: string): number | null {
  const [, code] = /^\{"ending":(\d+)\}$/.exec(line) ?? []
  return code === undefined ? null : Number(code)
}

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
