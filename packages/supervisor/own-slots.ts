import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { noteRunning, runningBeside } from '../delivery/updates/beside.ts'
import { placeOf, platformIn } from '../delivery/updates/program-files.ts'
import { openSlots, type Slots, type StartDecision } from '../delivery/updates/slots.ts'
import type { SlotName, WhyRefused } from '../delivery/updates/slots-state.ts'
import { isStillTaken } from '../delivery/updates/send-reports.ts'
import { lockFolder } from './folder-lock.ts'
import { shelfOf } from './lane-profile.ts'
import { runTrial, type TrialOptions } from './run-trial.ts'

/** The slots of an installed program, and which of them this one stands in. */
export interface OwnSlots {
  readonly slots: Slots
  readonly own: SlotName
}

interface OfLane {
  readonly dataFolder: string
  readonly trustFile: string
  readonly now: () => Date
}

/** `folder`: anywhere in the program. Null where it stands in no slot, or the lane believes no keys. */
export function ownSlots(folder: string, { dataFolder, trustFile, now }: OfLane): OwnSlots | null {
  const place = placeOf(folder)
  const platform = place && platformIn(path.join(place.root, 'slots', place.slot))
  const shelf = shelfOf(dataFolder, trustFile)
  if (place === null || platform === null || shelf === null) return null
  return { slots: openSlots({ root: place.root, platform, trust: shelf.trust, now }), own: place.slot }
}

/** What is told to whoever started the terminal. */
export interface TrialNews {
  readonly tries: (version: string) => void
  readonly failed: (version: string, why: WhyRefused) => void
  readonly wentBack: (version: string) => void
  /** The disk refuses what is to be noted: this program goes on, and what waits is tried another time. */
  readonly notNoted: (why: string) => void
}

export interface TurnOptions extends OwnSlots, Omit<TrialOptions, 'slots' | 'slot'> {
  readonly dataFolder: string
  readonly news: TrialNews
}

/**
 * The first lines of a start: gives another version its tries, where one is due. Null when this program goes on itself;
 * else the exit code of the other, which has served or was closed in order.
 */
export async function untilOwnTurn(options: TurnOptions): Promise<number | null> {
  const { slots, own, dataFolder, news, askedToEnd } = options
  let isAsked = false
  void askedToEnd.then(() => (isAsked = true))
  noteRunning(slots.folder, dataFolder)
  for (;;) {
    const decision = await decideStart({ slots, own }, dataFolder, news)
    if (decision.kind === 'self') {
      if (decision.wentBack !== null) news.wentBack(decision.wentBack.version)
      return null
    }
    const { version, slot } = decision
    news.tries(version)
    const end = await runTrial({ ...options, slot })
    if (end.kind === 'ended') return end.exit.code ?? 1
    if (isAsked) return 1
    news.failed(version, end.why)
  }
}

/**
 * Whether this program goes on. Where a terminal runs on the lane nothing is decided: this start is told so, and is no
 * try of a new version. Nor where another lane runs from these slots: its program would be changed under it. Nor where
 * the program's disk is full or may not be written to: the lane sells without it.
 */
async function decideStart({ slots, own }: OwnSlots, dataFolder: string, news: TrialNews): Promise<StartDecision> {
  const lock = await lockFolder(dataFolder)
  if ('heldBy' in lock) return SELF
  try {
    // Also by another start of this lane: each would count as a try of the same program.
    if (runningBeside(slots.folder).length > 0) return SELF
    if (own === slots.state().good && !(await isStillTaken(slots, () => new Date()))) return SELF
    return await slots.decideStart(own, schemaOf(dataFolder))
  } catch (error) {
    news.notNoted(wordsOf(error))
    return SELF
  } finally {
    await lock.release()
  }
}

const SELF: StartDecision = { kind: 'self', wentBack: null }

const DATABASE = 'terminal.db'
/** SQLite keeps `user_version` here, in the head of each database (file format §1.3.15). */
const VERSION_AT = 60
const VERSION_BYTES = 4

/** Of the lane's database, which is not opened for it: its log may have a newer one. Null: there is none yet. */
function schemaOf(dataFolder: string): number | null {
  const file = path.join(dataFolder, DATABASE)
  if (!existsSync(file)) return null
  const handle = openSync(file, 'r')
  try {
    const version = Buffer.alloc(VERSION_BYTES)
    readSync(handle, version, 0, VERSION_BYTES, VERSION_AT)
    // One that was never closed may stand in its log alone.
    return version.readUInt32BE() || null
  } finally {
    closeSync(handle)
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
