import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { BundleManifest } from './manifest.ts'

/** Which lane this is; null where it has not been told yet: its first bundle says it. */
export const LaneIdentity = z.object({ mode: z.enum(['production', 'training']), store: z.string(), lane: z.string() })
export type LaneIdentity = Readonly<z.infer<typeof LaneIdentity>>

/** What is read of the mark that the backend puts into a data folder at its first start; it holds more. */
export const LaneMark = z.looseObject({ owner: LaneIdentity.optional() })
export const laneMarkOf = (dataFolder: string): string => path.join(dataFolder, 'terminal.json')

/** The mark as it lies there; null: it never was. Throws where it is no file of JSON: a pipe would be waited for. */
export function readLaneMark(dataFolder: string): unknown {
  const file = laneMarkOf(dataFolder)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return null
  if (!found.isFile()) throw new Error(`${file} is no file`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Whose data a folder holds; null: it has never been started. Throws where its mark is none. */
export function ownerOf(dataFolder: string): LaneIdentity | null {
  const mark = readLaneMark(dataFolder)
  return mark === null ? null : (LaneMark.parse(mark).owner ?? null)
}

/** Why a bundle is not one of this lane. */
export function strangeness(
  manifest: BundleManifest,
  identity: LaneIdentity | null,
): 'other-store' | 'other-lane' | 'other-mode' | null {
  if (identity === null) return null
  if (manifest.mode !== identity.mode) return 'other-mode'
  if (manifest.store.id !== identity.store) return 'other-store'
  return manifest.lanes.includes(identity.lane) ? null : 'other-lane'
}

export const isOfThisLane = (manifest: BundleManifest, identity: LaneIdentity | null): boolean =>
  strangeness(manifest, identity) === null
