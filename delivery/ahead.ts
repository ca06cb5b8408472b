import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { bundlesOf } from './due.ts'
import { writeWhole } from './whole-file.ts'

/*
 * How far the lane's clock was ahead when it was last compared with the program's services. A terminal compares, and
 * the start of the next one looks at the time of bundles before anybody can compare again.
 */
const Ahead = z.strictObject({ aheadMs: z.int().min(0) })
const fileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'clock.json')

/** In ms; 0: it was right, behind (then a bundle comes late, and no price early), or was never compared. */
export function readAhead(dataFolder: string): number {
  try {
    return Ahead.parse(JSON.parse(readFileSync(fileOf(dataFolder), 'utf8'))).aheadMs
  } catch {
    return 0
  }
}

/** For a lane that has bundles: the folder is there. */
export function noteAhead(dataFolder: string, aheadMs: number): void {
  if (aheadMs > 0) writeWhole(fileOf(dataFolder), `${JSON.stringify({ aheadMs: Math.round(aheadMs) })}\n`)
  else rmSync(fileOf(dataFolder), { force: true })
}
