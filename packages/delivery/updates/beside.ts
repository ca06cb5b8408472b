import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { uptime } from 'node:os'
import path from 'node:path'
import { writeWhole } from '../whole-file.ts'

const NAME = /^running\.(\d{1,10})$/

/** A terminal that runs by these slots, or is about to. */
export interface RunningHere {
  readonly pid: number
  readonly dataFolder: string
}

/** What this process takes away with it. */
const noted = new Set<string>()

/** Says that this process runs a lane by these slots. A disk that refuses it is in nobody's way. */
export function noteRunning(slotsFolder: string, dataFolder: string): void {
  const file = path.join(slotsFolder, `running.${process.pid}`)
  try {
    for (const left of namesIn(slotsFolder).filter((name) => !isLive(path.join(slotsFolder, name), pidOf(name))))
      rmSync(path.join(slotsFolder, left), { force: true })
    writeWhole(file, path.resolve(dataFolder), 0o644)
    if (noted.has(file)) return
    noted.add(file)
    process.once('exit', () => rmSync(file, { force: true }))
  } catch {
    // As where the program may not be written to: it is not updated there either.
  }
}

/** Others that run, or are started, by the same slots; neither this process nor the one that watches it. */
export function runningBeside(slotsFolder: string): RunningHere[] {
  return namesIn(slotsFolder)
    .map((name) => ({ pid: pidOf(name), file: path.join(slotsFolder, name) }))
    .filter(({ pid, file }) => pid !== process.pid && pid !== process.ppid && isLive(file, pid))
    .map(({ pid, file }) => ({ pid, dataFolder: textOf(file) }))
}

/** Lanes that share these slots with the lane of this data folder: what one tries would change the others. */
export const lanesBeside = (slotsFolder: string, dataFolder: string): string[] =>
  runningBeside(slotsFolder)
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

/** A power cut leaves the file, and its number goes to another process after the next start of the machine. */
function isLive(file: string, pid: number): boolean {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  if (made === undefined || made < Date.now() - uptime() * 1_000) return false
  try {
    process.kill(pid, 0)
    return !hasEnded(pid)
  } catch (error) {
    // Another user's process may not be asked, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** One that was killed and that nobody has asked about keeps its number, and has no words any more. */
const hasEnded = (pid: number): boolean => process.platform === 'linux' && textOf(`/proc/${pid}/cmdline`) === ''
