import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runInWorker, workerFile } from '../../core/worker.ts'
import type { LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import { lastBackup } from '../backups/backup.ts'
import { listBackups } from '../../core/program/backup-list.ts'
import { finding, inEach, reasonOf, timeIn } from './finding.ts'
import type { ReadLane } from './lane.ts'

const MB = 1_000_000
const DAY_MS = 86_400_000
/**
 * Maximum size of a database that is read completely: a larger one would exceed the deadline of a check while the
 * terminal sells.
 */
const READ_WHOLE_BYTES = 256 * MB
/**
 * Age in days from which the newest backup is reported. Backups are made daily, but on Monday the newest may be
 * Saturday's.
 */
const OLD_DAYS = 3

const WORKER = workerFile(import.meta.filename, 'database-worker')

/**
 * Checks whether the database exists and is sound. Its hash chain and digests can be verified only with the sealing
 * key, which `refusedData` does if it has the key.
 */
export async function checkDatabase(lane: ReadLane, signal: AbortSignal): Promise<LaneFinding[]> {
  const file = join(lane.dataFolder, 'terminal.db')
  const bytes = existsSync(file) ? statSync(file).size : 0
  if (bytes === 0) return [finding(lane.sentinel === null ? 'database-new' : 'database-missing')]
  const closed = [file, `${file}-wal`, `${file}-shm`].find(isOfOther)
  if (closed !== undefined) return [finding('database-not-ours', { file: closed })]
  const size = Math.ceil(bytes / MB)
  const whole = bytes <= READ_WHOLE_BYTES
  const detail = await readInWorker({ file, isOpenElsewhere: existsSync(`${file}-wal`), whole }, signal)
  if (detail !== null) return [finding('database-damaged', { detail })]
  return [finding(whole ? 'database-sound' : 'database-large', { size })]
}

/** Whether this user may not use the file; for root, whether the file and its folder have different owners. */
function isOfOther(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined || process.platform === 'win32') return false
  if (process.getuid?.() === 0) return found.uid !== statSync(dirname(file)).uid
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return false
  } catch (error) {
    return reasonOf(error) !== 'EROFS'
  }
}

interface DatabaseToCheck {
  readonly file: string
  readonly isOpenElsewhere: boolean
  readonly whole: boolean
}

function readInWorker(database: DatabaseToCheck, signal: AbortSignal): Promise<string | null> {
  const job = runInWorker<string | null>(WORKER, database, {
    // Node's own SQLite reports on standard error that it is experimental.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  signal.addEventListener('abort', job.stop, { once: true })
  return job.result
}

export function checkBackup({ dataFolder, now, timeZone, terminalPid }: ReadLane): LaneFinding[] {
  const folder = join(dataFolder, 'backups')
  const none = finding(terminalPid === null ? 'backup-none' : 'backup-none-yet')
  if (!existsSync(folder)) return [none]
  const last = lastBackup(folder)
  const [newest] = listBackups(folder)
  const failed =
    last === null || last.outcome === 'kept'
      ? []
      : [
          finding('backup-failed', {
            outcome: inEach((t) => t(`screens.terminalPage.backupOutcome.${last.outcome}`)),
          }),
        ]
  if (newest === undefined) return failed.length > 0 ? failed : [none]
  const days = Math.floor((now().getTime() - Date.parse(newest.at)) / DAY_MS)
  const age =
    days >= OLD_DAYS
      ? finding('backup-old', { days })
      : finding('backup-kept', { time: timeIn(new Date(newest.at), timeZone) })
  return [age, ...failed]
}
