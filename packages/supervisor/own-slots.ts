import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { noteRunning, otherRunning } from '../delivery/updates/running.ts'
import { placeOf, platformIn } from '../delivery/updates/program-files.ts'
import { openSlots, type Slots, type StartDecision } from '../delivery/updates/slots.ts'
import type { SlotName, WhyRefused } from '../delivery/updates/slots-state.ts'
import { isStillAvailable } from '../delivery/updates/send-reports.ts'
import { lockFolder } from './folder-lock.ts'
import { bundleStoreOf } from './lane-profile.ts'
import { runTrial, type TrialOptions } from './run-trial.ts'

export interface OwnSlots {
  readonly slots: Slots
  readonly own: SlotName
}

interface OfLane {
  readonly dataFolder: string
  readonly trustFile: string
  readonly now: () => Date
}

/**
 * Finds the program slots. `folder`: any folder in the program. Null outside of a slot, or if the lane has no trusted
 * keys.
 */
export function ownSlots(folder: string, { dataFolder, trustFile, now }: OfLane): OwnSlots | null {
  const place = placeOf(folder)
  const platform = place && platformIn(path.join(place.root, 'slots', place.slot))
  const bundleStore = bundleStoreOf(dataFolder, trustFile)
  if (place === null || platform === null || bundleStore === null) return null
  return { slots: openSlots({ root: place.root, platform, trust: bundleStore.trust, now }), own: place.slot }
}

export interface TrialListener {
  readonly tries: (version: string) => void
  readonly failed: (version: string, why: WhyRefused) => void
  readonly rolledBack: (version: string) => void
  readonly notRecorded: (why: string) => void
}

export interface OwnStartOptions extends OwnSlots, Omit<TrialOptions, 'slots' | 'slot'> {
  readonly dataFolder: string
  readonly listener: TrialListener
}

/**
 * Tries another version that is due; called first in a start. Resolves with null if this program should continue, or
 * with the exit code of the other version, which was confirmed or was closed normally.
 */
export async function runTrials(options: OwnStartOptions): Promise<number | null> {
  const { slots, own, dataFolder, listener: news, stopRequested } = options
  let isStopping = false
  void stopRequested.then(() => (isStopping = true))
  noteRunning(slots.folder, dataFolder)
  for (;;) {
    const decision = await decideStart({ slots, own }, dataFolder, news)
    if (decision.kind === 'self') {
      if (decision.rolledBack !== null) news.rolledBack(decision.rolledBack.version)
      return null
    }
    const { version, slot } = decision
    news.tries(version)
    const end = await runTrial({ ...options, slot })
    if (end.kind === 'ended') return end.exit.code ?? 1
    if (isStopping) return 1
    news.failed(version, end.why)
  }
}

/**
 * Decides which version runs. This program continues without a decision if a terminal runs on the lane, if another lane
 * runs from these slots (its program would change), if the waiting version may not be tried, or if the slots’ state
 * cannot be written.
 */
async function decideStart(
  { slots, own }: OwnSlots,
  dataFolder: string,
  listener: TrialListener,
): Promise<StartDecision> {
  const lock = await lockFolder(dataFolder)
  if ('heldBy' in lock) return SELF
  try {
    // Another start of this lane also counts as running: both starts would count as a try of the same version.
    if (otherRunning(slots.folder).length > 0) return SELF
    if (own === slots.state().good && !(await isStillAvailable(slots, () => new Date()))) return SELF
    return await slots.decideStart(own, schemaOf(dataFolder))
  } catch (error) {
    listener.notRecorded(messageOf(error))
    return SELF
  } finally {
    await lock.release()
  }
}

const SELF: StartDecision = { kind: 'self', rolledBack: null }

const DATABASE = 'terminal.db'
/** Position of `user_version` in the header of an SQLite database (file format §1.3.15). */
const VERSION_AT = 60
const VERSION_BYTES = 4

/**
 * Reads the schema number of the lane’s database without opening it, so its write-ahead log may have a newer one. Null
 * if there is no database.
 */
function schemaOf(dataFolder: string): number | null {
  const file = path.join(dataFolder, DATABASE)
  if (!existsSync(file)) return null
  const handle = openSync(file, 'r')
  try {
    const version = Buffer.alloc(VERSION_BYTES)
    readSync(handle, version, 0, VERSION_BYTES, VERSION_AT)
    // The value 0 means that the schema may still be only in the write-ahead log.
    return version.readUInt32BE() || null
  } finally {
    closeSync(handle)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
