import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { uptime } from 'node:os'
import path from 'node:path'
import { writeWhole } from '../whole-file.ts'

const NAME = /^running\.(\d{1,10})$/

export interface RunningTerminal {
  readonly pid: number
  readonly dataFolder: string
}

const recorded = new Set<string>()

/** Records that this process runs a lane from these program slots. Ignores disk errors. */
export function noteRunning(slotsFolder: string, dataFolder: string): void {
  const file = path.join(slotsFolder, `running.${process.pid}`)
  try {
    for (const stale of namesIn(slotsFolder).filter((name) => !isLive(path.join(slotsFolder, name), pidOf(name))))
      rmSync(path.join(slotsFolder, stale), { force: true })
    writeWhole(file, path.resolve(dataFolder), 0o644)
    if (recorded.has(file)) return
    recorded.add(file)
    process.once('exit', () => rmSync(file, { force: true }))
  } catch {
    // Without write access nothing is recorded; the program cannot be updated then either.
  }
}

/** Returns other processes that run from the same slots, without this process and its parent, which supervises it. */
export function otherRunning(slotsFolder: string): RunningTerminal[] {
  return namesIn(slotsFolder)
    .map((name) => ({ pid: pidOf(name), file: path.join(slotsFolder, name) }))
    .filter(({ pid, file }) => pid !== process.pid && pid !== process.ppid && isLive(file, pid))
    .map(({ pid, file }) => ({ pid, dataFolder: textOf(file) }))
}

/**
 * Returns the other lanes that run from the same program slots as the lane of this data folder: a trial would affect
 * them too.
 */
export const otherLanes = (slotsFolder: string, dataFolder: string): string[] =>
  otherRunning(slotsFolder)
    .map((each) => each.dataFolder)
    .filter((each) => each !== '' && each !== path.resolve(dataFolder))

const pidOf = (name: string): number => Number(NAME.exec(name)?.[1] ?? 0)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name))
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Returns whether a recorded process still runs. Ignores files from before the last boot: after a power cut, another
 * process may have the same id.
 */
function isLive(file: string, pid: number): boolean {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  if (made === undefined || made < Date.now() - uptime() * 1_000) return false
  try {
    process.kill(pid, 0)
    return !hasEnded(pid)
  } catch (error) {
    // Error EPERM means that the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Returns whether a process has ended but is not removed (a zombie): it keeps its id and has no command line. */
const hasEnded = (pid: number): boolean => process.platform === 'linux' && textOf(`/proc/${pid}/cmdline`) === ''
