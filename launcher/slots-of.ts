import path from 'node:path'
import { lockFolder } from '../electron/folder-lock.ts'
import { shelfOf } from '../electron/lane-profile.ts'
import { placeOf, platformIn } from '../delivery/updates/place.ts'
import { openSlots, type Slots, type StartDecision } from '../delivery/updates/slots.ts'
import type { SlotName } from '../delivery/updates/slots-state.ts'
import type { Lane, Program } from './program.ts'

/** The slots of an installed program, and which of them this one stands in. */
export interface OwnSlots {
  readonly slots: Slots
  readonly own: SlotName
}

/** Null where the program stands in no slot, or the lane believes no keys. */
export function slotsOf({ folder }: Program, lane: Pick<Lane, 'dataFolder' | 'trustFile' | 'now'>): OwnSlots | null {
  const place = placeOf(folder)
  const platform = place && platformIn(path.join(place.root, 'slots', place.slot))
  const shelf = shelfOf(lane.dataFolder, lane.trustFile)
  if (place === null || platform === null || shelf === null) return null
  return { slots: openSlots({ root: place.root, platform, trust: shelf.trust, now: lane.now }), own: place.slot }
}

/**
 * The first lines of a start: whether this program goes on. Where a terminal runs on the lane nothing is decided: this
 * start is told so, and is no try of a new version.
 */
export async function decideStart({ slots, own }: OwnSlots, dataFolder: string): Promise<StartDecision> {
  const lock = await lockFolder(dataFolder)
  if ('heldBy' in lock) return { kind: 'self', wentBack: null }
  try {
    return await slots.decideStart(own, slots.standing(slots.folderOf(own))?.manifest.schema ?? null)
  } finally {
    await lock.release()
  }
}
