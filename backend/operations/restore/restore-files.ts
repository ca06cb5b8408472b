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

/** Told of each step by its name, after it; tests end the process there. */
export type OnStep = (step: string) => void
export const noStep: OnStep = () => undefined

/** The new database and its mark lie complete under other names. */
export type Ready = Extract<RestoreOrder, { phase: 'ready' }>

/** Where the new database and its mark are made, beside those that they replace. */
export const freshOf = ({ database }: FolderToRestore): string => `${database}.restoring`
export const freshMarkOf = ({ journalMark }: FolderToRestore): string => `${journalMark}.restoring`

export function removeFresh(folder: FolderToRestore): void {
  const fresh = freshOf(folder)
  for (const left of [fresh, `${fresh}-journal`, `${fresh}-wal`, `${fresh}-shm`, freshMarkOf(folder)])
    rmSync(left, { force: true })
}

/** What a restore replaced lies in a folder of its own, and its name is the folder's. */
export const nameOfBackup = (from: string): string =>
  basename(from) === 'terminal.db' && basename(dirname(from)).startsWith('replaced-')
    ? basename(dirname(from))
    : basename(from)

/** Copies a backup to where the new database is made. */
export function copyToFresh(folder: FolderToRestore, from: string): void {
  removeFresh(folder)
  const fresh = freshOf(folder)
  copyFileSync(from, fresh)
  // Of what a restore had replaced the log may still lie beside it.
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${fresh}-wal`)
}

/** The mark of the new database, under its other name. */
export function markFresh(folder: FolderToRestore, mark: Mark, seal: Seal): void {
  const file = openHighWaterMark(freshMarkOf(folder), systemClock, seal)
  file.note(mark)
  file.close()
}

/** Where what is replaced now is kept, in `backups`. */
export const nameAside = (): string => `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`

/** Changes the names of what an earlier process has made ready; null where it is nothing. */
export function finishReady(dataFolder: string, folder: FolderToRestore, onStep: OnStep): RestoreResult | null {
  const order = readOrder(dataFolder)
  if (order?.phase !== 'ready') return null
  changeNames(dataFolder, folder, order, onStep)
  return order.result
}

/**
 * The old files aside, the new ones in their place. Each step is one change of a name and can be found done: a process
 * that ended between any two goes on where the names stand.
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
  const moveAside = (file: string): void => {
    if (!existsSync(file)) return
    mkdirSync(to, { recursive: true, mode: 0o700 })
    renameSync(file, join(to, basename(file)))
    onStep(`aside ${basename(file)}`)
  }
  // While the new database waits under its own name, what lies in its place is the old one.
  if (existsSync(fresh)) {
    for (const file of [`${folder.database}-wal`, `${folder.database}-shm`, folder.database]) moveAside(file)
    renameSync(fresh, folder.database)
    onStep('database in place')
  }
  if (existsSync(freshMark)) {
    moveAside(folder.journalMark)
    renameSync(freshMark, folder.journalMark)
    onStep('mark in place')
  }
  if (existsSync(to)) syncPath(to)
  syncPath(dataFolder)
  if (result !== null) noteResult(dataFolder, result)
  onStep('told')
  removeOrder(dataFolder)
}

/** How far the database that is replaced had come, as its mark says; 0 where there is none. */
export function markedSoFar(journalMark: string, seal: Seal): number {
  return readHighWaterMark(journalMark, seal)?.counter ?? 0
}

/**
 * What is to become of the data folder's database, in a file beside it. `asked`: the next start restores this backup;
 * until it has made everything ready the old database stands, and any end of the process begins it again. `ready`: the
 * new database and its mark lie complete under other names, and only names are changed from here on; without a result
 * where a program went back by itself (`going-back.ts`).
 */
export const RestoreOrder = z.discriminatedUnion('phase', [
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
export type RestoreOrder = z.infer<typeof RestoreOrder>

const orderFile = (folder: string): string => join(folder, 'terminal.restore')
const resultFile = (folder: string): string => join(folder, 'backups', 'last-restore.json')

/** Null when none was asked for, or the file is none that this program wrote whole. */
export function readOrder(folder: string): RestoreOrder | null {
  return readAs(orderFile(folder), RestoreOrder)
}

export function writeOrder(folder: string, order: RestoreOrder): void {
  write(orderFile(folder), order)
}

export function removeOrder(folder: string): void {
  rmSync(orderFile(folder), { force: true })
  syncPath(folder)
}

/** What became of the last restore that somebody asked for; null when nobody has. */
export const lastRestore = (folder: string): RestoreResult | null => readAs(resultFile(folder), RestoreResult)

export function noteResult(folder: string, result: RestoreResult): void {
  write(resultFile(folder), result)
}

/**
 * With which numbers the newest epoch began, beside the database too: a second restore of the same backup, in the place
 * of a database that cannot be read, must not begin where the first did.
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
