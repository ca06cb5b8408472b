import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { bundlesOf } from './due.ts'
import { writeWhole } from './whole-file.ts'

const BundleId = z.string().regex(/^[0-9a-f]{64}$/)

/**
 * Why the lane sells by another bundle than it was last given. `refused`: no terminal starts by it; `damaged`: it is no
 * longer as it was signed; `recovered`: which one was in force was not known any more.
 */
export const Notice = z.object({
  kind: z.enum(['refused', 'damaged', 'recovered']),
  /** The bundle that is not sold by. */
  id: BundleId.nullable(),
  /** Its sequence; of a recovery, of the one that is sold by. */
  number: z.int().nullable(),
  at: z.iso.datetime(),
  /** What the terminal said of it, a line each. */
  words: z.array(z.string()),
})
export type Notice = z.infer<typeof Notice>

/** Written by the start of the terminal alone, of which there is one at a time. */
const State = z.object({
  format: z.literal(1),
  current: BundleId.nullable(),
  previous: BundleId.nullable(),
  /** Sequence of the newest that the lane ever sold by: an older one that comes again is refused. */
  newest: z.int().min(0),
  /** A terminal has come up by the current one. */
  proven: z.boolean().default(false),
  /** Of the newest list of trusted keys that was known then: without it, nothing new is put in force. */
  trustVersion: z.int().min(0).default(0),
  /** Stands until another bundle is in force. */
  notice: Notice.nullable().default(null),
})
export type State = z.infer<typeof State>
export const EMPTY: State = {
  format: 1,
  current: null,
  previous: null,
  newest: 0,
  proven: false,
  trustVersion: 0,
  notice: null,
}

const stateFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'state.json')

/** What is known of a lane's bundles. Null: there is no such file, or it is none. */
export function readState(dataFolder: string): State | null {
  try {
    return State.parse(JSON.parse(readFileSync(stateFileOf(dataFolder), 'utf8')))
  } catch {
    return null
  }
}

export const writeState = (dataFolder: string, state: State): void => {
  writeWhole(stateFileOf(dataFolder), `${JSON.stringify(state)}\n`)
}

/** Whether the file is there, whatever it says. */
export const hasState = (dataFolder: string): boolean => existsSync(stateFileOf(dataFolder))
