import { existsSync, statfsSync, statSync } from 'node:fs'
import type { DiskSpace } from '../../../contracts/api/diagnostics.ts'

const MB = 1_000_000
/** The log, the logs in text, and the sales of some weeks. */
const WORKING_MB = 64
/** Below this the next days' sales may not fit. */
const SHORT_MB = 32

/**
 * What is free where the database lies, and what the lane needs there: its working room, and a backup with as much
 * again.
 */
export function diskSpace(folder: string, database: string): DiskSpace {
  const { bavail, bsize } = statfsSync(folder)
  const freeMb = Math.floor((bavail * bsize) / MB)
  const neededMb = WORKING_MB + Math.ceil((2 * (existsSync(database) ? statSync(database).size : 0)) / MB)
  return { freeMb, neededMb, state: freeMb < SHORT_MB ? 'short' : freeMb < neededMb ? 'low' : 'enough' }
}
