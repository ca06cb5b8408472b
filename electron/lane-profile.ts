import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { bundlesOf } from '../delivery/due.ts'
import { openShelf, type LaneIdentity, type Shelf } from '../delivery/shelf.ts'
import { ownTrust } from '../delivery/trust.ts'
import type { ProfileOutline } from './profile-outline.ts'
import { TerminalRefused } from './refused.ts'

/** The list of trusted keys that a lane without a package was given with its first bundle. */
export const trustFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'own.keys')

/** Null where the lane believes no keys, and takes no bundles. Throws TerminalRefused where the list is none. */
export function shelfOf(dataFolder: string, trustFile: string): Shelf | null {
  if (!existsSync(trustFile)) return null
  const trust = ownTrust(readFileSync(trustFile))
  if (trust === null)
    throw new TerminalRefused(`${trustFile} is no list of trusted keys. Take it from the installer again.`, 2)
  return openShelf(dataFolder, trust)
}

export interface LaneProfileOptions {
  readonly dataFolder: string
  readonly lane: string
  /** What the package or the command line gives; a bundle on the lane takes its place. */
  readonly outline: ProfileOutline
  /** Null in a package that brings its store as a bundle alone. */
  readonly profileFile: string | null
  /** Left out: the one that was put on the lane. */
  readonly trustFile?: string
  /** The bundle that the package brings along: it is put on the lane where it is newer than what was there. */
  readonly bundleFile?: string
  readonly now: () => Date
  readonly log: (line: string) => void
}

/**
 * The profile that the lane sells by from a start on, to be asked at each start of the backend with the data folder
 * locked. Throws TerminalRefused where the bundle on the disk is not what was signed.
 */
export function laneProfile(options: LaneProfileOptions): () => string {
  const { dataFolder, profileFile, now, log, bundleFile } = options
  const shelf = shelfOf(dataFolder, options.trustFile ?? trustFileOf(dataFolder))
  if (shelf === null) return () => profileFile ?? noProfile(dataFolder)
  if (bundleFile !== undefined && existsSync(bundleFile)) {
    const put = shelf.put(bundleFile, identityOf(options), now())
    if (put.kind === 'refused' && put.why !== 'older')
      throw new TerminalRefused(`The bundle of this package is not taken: ${put.why}. Install the package again.`, 2)
  }
  let last: string | null = null
  return () => {
    try {
      const at = profileOf(shelf, options)
      if (at !== last && at !== profileFile) log(`This lane sells by ${at}.`)
      last = at
    } catch (error) {
      // A backend that is started again goes on with what it sold by: a store stays open over a disk that fails.
      if (last === null) throw error
      log(error instanceof Error ? error.message : String(error))
    }
    return last ?? noProfile(dataFolder)
  }
}

function noProfile(dataFolder: string): never {
  throw new TerminalRefused(`No bundle is in force in ${bundlesOf(dataFolder)}. Install the package again.`, 2)
}

function profileOf(shelf: Shelf, options: LaneProfileOptions): string {
  const { dataFolder, profileFile, now, log } = options
  const sold = shelf.atStart(now(), (error) => {
    log(`A bundle could not be put in force or cleared away: ${error.message}`)
  })
  if (sold === 'none') return profileFile ?? noProfile(dataFolder)
  if (sold === 'damaged')
    throw new TerminalRefused(
      `The store’s bundle in ${bundlesOf(dataFolder)} was changed or is damaged. Put it on the lane again.`,
      2,
    )
  const { store, lane, mode } = identityOf(options)
  const { manifest } = sold
  if (manifest.store.id !== store || manifest.mode !== mode || !manifest.lanes.includes(lane))
    throw new TerminalRefused(
      `The bundle in ${bundlesOf(dataFolder)} is of store ${manifest.store.id}, lanes ${manifest.lanes.join(', ')} ` +
        `(${manifest.mode}); this is lane ${lane} of store ${store} (${mode}). Put the store’s own on the lane.`,
      2,
    )
  return sold.profileFile
}

export const identityOf = ({ outline, lane }: Pick<LaneProfileOptions, 'outline' | 'lane'>): LaneIdentity => ({
  store: outline.storeId,
  lane,
  mode: outline.mode,
})
