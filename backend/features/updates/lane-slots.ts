import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { openShelf } from '../../../delivery/shelf.ts'
import { ownTrust } from '../../../delivery/trust.ts'
import { lanesBeside } from '../../../delivery/updates/beside.ts'
import { placeOf, platformIn } from '../../../delivery/updates/place.ts'
import { openSlots, type Slots } from '../../../delivery/updates/slots.ts'
import type { SlotName } from '../../../delivery/updates/slots-state.ts'

export interface LaneSlots {
  readonly slots: Slots
  /** Of this program. */
  readonly own: SlotName
  /** Data folders of other lanes that run from the same slots: meanwhile nothing is fetched, and none is tried. */
  readonly beside?: () => readonly string[]
}

/**
 * The slots of the installed program that this backend is a part of, and whom it believes. Null in a checkout, and
 * where an installer has left no keys: nothing is updated there.
 */
export function findLaneSlots(programFolder: string, dataFolder: string, now: () => Date): LaneSlots | null {
  const place = placeOf(programFolder)
  const platform = place && platformIn(path.join(place.root, 'slots', place.slot))
  if (place === null || platform === null) return null
  const first = [path.join(place.root, 'store'), path.join(programFolder, 'store')]
    .map((folder) => path.join(folder, 'trust.keys'))
    .find((file) => existsSync(file))
  const list = first === undefined ? null : ownTrust(readFileSync(first))
  if (list === null) return null
  const { trust } = openShelf(dataFolder, list)
  const slots = openSlots({ root: place.root, platform, trust, now })
  return { slots, own: place.slot, beside: () => lanesBeside(slots.folder, dataFolder) }
}
