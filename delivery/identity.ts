import type { BundleManifest } from './manifest.ts'

/** Which lane this is; null where it has not been told yet: its first bundle says it. */
export interface LaneIdentity {
  readonly store: string
  readonly lane: string
  readonly mode: BundleManifest['mode']
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
