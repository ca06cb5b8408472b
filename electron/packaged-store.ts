import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { readBundle } from '../delivery/bundle.ts'
import { ownTrust, trustedIn } from '../delivery/trust.ts'
import type { ProfileOutline } from './profile-outline.ts'
import { TerminalRefused } from './refused.ts'

/** The store that a package was made for, beside its program: `store/store.bundle` and `store/trust.keys`. */
export interface PackagedStore {
  readonly outline: ProfileOutline
  readonly bundleFile: string
  readonly trustFile: string
}

/**
 * The folder of an installed package, from anywhere in one of its programs: `slots/a` and `slots/b` lie in it. Null
 * where the program is in no slot, as in a checkout.
 */
export function packageFolderOf(place: string): string | null {
  for (let at = path.resolve(place); ; at = path.dirname(at)) {
    if (path.basename(path.dirname(at)) === 'slots') return path.dirname(path.dirname(at))
    if (path.dirname(at) === at) return null
  }
}

export const storeFolderOf = (packageFolder: string): string => path.join(packageFolder, 'store')

/** Whose lane it is, by what the installer has signed. Throws TerminalRefused in words. */
export function readPackagedStore(storeFolder: string): PackagedStore {
  const bundleFile = path.join(storeFolder, 'store.bundle')
  const trustFile = path.join(storeFolder, 'trust.keys')
  if (!existsSync(bundleFile) || !existsSync(trustFile))
    throw new TerminalRefused(`There is no store in ${storeFolder}. Install the package again.`, 2)
  const trust = ownTrust(readFileSync(trustFile))
  const read = trust && readBundle(readFileSync(bundleFile), trustedIn(trust))
  if (read === null || 'refusal' in read)
    throw new TerminalRefused(
      `The store in ${storeFolder} is not as it was signed (${read?.refusal ?? 'trust.keys'}). ` +
        'Install the package again.',
      2,
    )
  const { store, mode, lanes } = read.bundle.manifest
  const [first = '', ...others] = lanes
  return { outline: { mode, storeId: store.id, lanes: [first, ...others] }, bundleFile, trustFile }
}
