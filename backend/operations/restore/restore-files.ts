import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { RestoreResult } from '../../../contracts/operations/backups.ts'
import { systemClock } from '../../core/clock.ts'
import type { FolderToRestore } from '../../core/program/data-folder.ts'
import { syncPath } from '../../core/db/database.ts'
import { type Mark, openHighWaterMark, readHighWaterMark } from '../../core/outbox/high-water.ts'
import type { Seal } from '../../core/integrity/seal.ts'
import { z } from 'zod'
import { writeWhole } from '../../../packages/delivery/whole-file.ts'

export type OnStep = (step: string) => void
export const noStep: OnStep = () => undefined

/** State in which the new database and its mark are complete under other names, and only renames remain. */
export type Ready = Extract<RestoreInstruction, { phase: 'ready' }>

export const freshOf = ({ database }: FolderToRestore): string => `${database}.restoring`
export const freshMarkOf = ({ journalMark }: FolderToRestore): string => `${journalMark}.restoring`

export function removeFresh(folder: FolderToRestore): void {
  const fresh = freshOf(folder)
  for (const left of [fresh, `${fresh}-journal`, `${fresh}-wal`, `${fresh}-shm`, freshMarkOf(folder)])
    rmSync(left, { force: true })
}

export const nameOfBackup = (from: string): string =>
  basename(from) === 'terminal.db' && basename(dirname(from)).startsWith('replaced-')
    ? basename(dirname(from))
    : basename(from)

export function copyToFresh(folder: FolderToRestore, from: string): void {
  removeFresh(folder)
  const fresh = freshOf(folder)
  copyFileSync(from, fresh)
  // A backup that is a replaced database may still have its write-ahead log.
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${fresh}-wal`)
}

export function markFresh(folder: FolderToRestore, mark: Mark, seal: Seal): void {
  const file = openHighWaterMark(freshMarkOf(folder), systemClock, seal)
  file.note(mark)
  file.close()
}

export const replacedFolderName = (): string => `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`

/** Completes the renames that an earlier process prepared; returns null without any. */
export function finishReady(dataFolder: string, folder: FolderToRestore, onStep: OnStep): RestoreResult | null {
  const instruction = readRestoreInstruction(dataFolder)
  if (instruction?.phase !== 'ready') return null
  changeNames(dataFolder, folder, instruction, onStep)
  return instruction.result
}

/**
 * Moves the old files to their folder in `backups`, and the new files to their place. Each step is one rename whose
 * completion can be seen, so that the next process continues after a crash.
 */
export function changeNames(
  dataFolder: string,
  folder: FolderToRestore,
  { aside, result }: Ready,
  onStep: OnStep,
): void {
  const fresh = freshOf(folder)
  const freshMark = freshMarkOf(folder)
  const to = join(dataFolder, 'backups', aside)
  const moveToBackups = (file: string): void => {
    if (!existsSync(file)) return
    mkdirSync(to, { recursive: true, mode: 0o700 })
    renameSync(file, join(to, basename(file)))
    onStep(`aside ${basename(file)}`)
  }
  // While the new database has its temporary name, the file in its place is still the old one.
  if (existsSync(fresh)) {
    for (const file of [`${folder.database}-wal`, `${folder.database}-shm`, folder.database]) moveToBackups(file)
    renameSync(fresh, folder.database)
    onStep('database in place')
  }
  if (existsSync(freshMark)) {
    moveToBackups(folder.journalMark)
    renameSync(freshMark, folder.journalMark)
    onStep('mark in place')
  }
  if (existsSync(to)) syncPath(to)
  syncPath(dataFolder)
  if (result !== null) noteResult(dataFolder, result)
  onStep('result noted')
  removeRestoreInstruction(dataFolder)
}

/** Returns the change counter of the replaced database from its mark; 0 without a mark. */
export function counterOfMark(journalMark: string, seal: Seal): number {
  return readHighWaterMark(journalMark, seal)?.counter ?? 0
}

/**
 * Pending restore of the data folder's database, in a file next to it. `asked`: the next start restores this backup;
 * until everything is ready the old database stays, and a start after a crash begins again. `ready`: the new database
 * and its mark are complete under other names, and only renames remain. A restore by a program rollback (`rollback.ts`)
 * has no result.
 */
export const RestoreInstruction = z.discriminatedUnion('phase', [
  z.object({
    phase: z.literal('asked'),
    from: z.string(),
    askedBy: z.string(),
    approvedBy: z.string(),
    approverName: z.string(),
    attempts: z.int().min(0),
  }),
  z.object({ phase: z.literal('ready'), aside: z.string(), result: RestoreResult.nullable() }),
])
export type RestoreInstruction = z.infer<typeof RestoreInstruction>

const instructionFile = (folder: string): string => join(folder, 'terminal.restore')
const resultFile = (folder: string): string => join(folder, 'backups', 'last-restore.json')

export function readRestoreInstruction(folder: string): RestoreInstruction | null {
  return readAs(instructionFile(folder), RestoreInstruction)
}

export function writeRestoreInstruction(folder: string, instruction: RestoreInstruction): void {
  write(instructionFile(folder), instruction)
}

export function removeRestoreInstruction(folder: string): void {
  rmSync(instructionFile(folder), { force: true })
  syncPath(folder)
}

export const lastRestore = (folder: string): RestoreResult | null => readAs(resultFile(folder), RestoreResult)

export function noteResult(folder: string, result: RestoreResult): void {
  write(resultFile(folder), result)
}

/**
 * First numbers of the newest epoch, stored next to the database: even when the database is unreadable, a second
 * restore of the same backup must not use the same numbers again.
 */
const EpochNote = z.object({
  number: z.int(),
  firstSequence: z.int(),
  firstZ: z.int(),
  firstShift: z.int(),
  firstMovement: z.int(),
})
export type EpochNote = z.infer<typeof EpochNote>
const epochFile = (folder: string): string => join(folder, 'terminal.epoch')
export const readEpoch = (folder: string): EpochNote | null => readAs(epochFile(folder), EpochNote)
export function noteEpoch(folder: string, note: EpochNote): void {
  write(epochFile(folder), note)
}

const write = (file: string, value: object): void => {
  writeWhole(file, `${JSON.stringify(value)}\n`)
}

function readAs<Value>(file: string, schema: z.ZodType<Value>): Value | null {
  if (!existsSync(file)) return null
  try {
    return schema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data ?? null
  } catch {
    return null
  }
}
