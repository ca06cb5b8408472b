import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { BundleManifest } from './manifest.ts'

/** Identity of a lane: its mode, store and number. A data folder has no identity before its first start. */
export const LaneIdentity = z.object({ mode: z.enum(['production', 'training']), store: z.string(), lane: z.string() })
export type LaneIdentity = Readonly<z.infer<typeof LaneIdentity>>

export const LaneMark = z.looseObject({ owner: LaneIdentity.optional() })
export const laneMarkOf = (dataFolder: string): string => path.join(dataFolder, 'terminal.json')

/**
 * Reads the identity file; null if it does not exist. Throws if it is not a regular JSON file, because reading a pipe
 * would block.
 */
export function readLaneMark(dataFolder: string): unknown {
  const file = laneMarkOf(dataFolder)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return null
  if (!found.isFile()) throw new Error(`${file} is not a regular file`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Returns the lane that owns a data folder; null before its first start. Throws if the identity file is invalid. */
export function ownerOf(dataFolder: string): LaneIdentity | null {
  const mark = readLaneMark(dataFolder)
  return mark === null ? null : (LaneMark.parse(mark).owner ?? null)
}

export function mismatchOf(
  manifest: BundleManifest,
  identity: LaneIdentity | null,
): 'other-store' | 'other-lane' | 'other-mode' | null {
  if (identity === null) return null
  if (manifest.mode !== identity.mode) return 'other-mode'
  if (manifest.store.id !== identity.store) return 'other-store'
  return manifest.lanes.includes(identity.lane) ? null : 'other-lane'
}

export const isOfThisLane = (manifest: BundleManifest, identity: LaneIdentity | null): boolean =>
  mismatchOf(manifest, identity) === null
