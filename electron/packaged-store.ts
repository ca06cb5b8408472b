import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Locale } from '../contracts/locales.ts'
import { readBundle } from '../delivery/bundle.ts'
import { PROFILE_FILE } from '../delivery/manifest.ts'
import { ownTrust, trustedIn } from '../delivery/trust.ts'
import { localeOfProfile, type ProfileOutline } from './profile-outline.ts'
import { TerminalRefused } from './refused.ts'

/** The store that a package was made for, beside its program: `store/store.bundle` and `store/trust.keys`. */
export interface PackagedStore {
  readonly outline: ProfileOutline
  /** Null where its profile does not say it. */
  readonly locale: Locale | null
  /** The text of its profile. */
  readonly profile: string
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
    throw new TerminalRefused([['noStore', { folder: storeFolder }], ['packageAgain']], 2)
  const trust = ownTrust(readFileSync(trustFile))
  const read = trust && readBundle(readFileSync(bundleFile), trustedIn(trust))
  if (read === null || 'refusal' in read)
    throw new TerminalRefused(
      [['storeNotSigned', { folder: storeFolder, why: read?.refusal ?? 'trust.keys' }], ['packageAgain']],
      2,
    )
  const { files, manifest } = read.bundle
  const { store, mode, lanes } = manifest
  const profile = Buffer.from(files.get(PROFILE_FILE) ?? []).toString('utf8')
  const locale = localeOfProfile(profile)
  const [first = '', ...others] = lanes
  return { outline: { mode, storeId: store.id, lanes: [first, ...others] }, locale, profile, bundleFile, trustFile }
}
