import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { RestoreResult } from '../contracts/api/backups.ts'
import { writeWhole } from '../delivery/whole-file.ts'
import { syncPath } from './db/sync-path.ts'

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
