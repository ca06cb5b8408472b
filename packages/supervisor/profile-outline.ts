import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Locale } from '../../contracts/core/locales.ts'
import { readBundle } from '../delivery/bundle.ts'
import { PROFILE_FILE } from '../delivery/manifest.ts'
import { firstTrust, trustedIn } from '../delivery/trust.ts'
import { TerminalRefused } from './terminal-refused.ts'
import { parse } from 'yaml'
import { z } from 'zod'
import { Profile } from '../../contracts/core/profile.ts'
import { localeIn } from '../../contracts/core/profile-schema.ts'
import type { ProxySetting } from '../delivery/outgoing.ts'

/** The signed store of a package, next to its program: `store/store.bundle` and `store/trust.keys`. */
export interface PackagedStore {
  readonly outline: ProfileOutline
  readonly locale: Locale | null
  readonly profile: string
  readonly bundleFile: string
  readonly trustFile: string
}

/**
 * Returns the folder of an installed package, from any path in one of its programs, which are in `slots/a` and
 * `slots/b`. Null outside of a slot, as in a source tree.
 */
export function packageFolderOf(place: string): string | null {
  for (let at = path.resolve(place); ; at = path.dirname(at)) {
    if (path.basename(path.dirname(at)) === 'slots') return path.dirname(path.dirname(at))
    if (path.dirname(at) === at) return null
  }
}

export const storeFolderOf = (packageFolder: string): string => path.join(packageFolder, 'store')

/** Reads the package’s store from its signed bundle. Throws TerminalRefused. */
export function readPackagedStore(storeFolder: string): PackagedStore {
  const bundleFile = path.join(storeFolder, 'store.bundle')
  const trustFile = path.join(storeFolder, 'trust.keys')
  if (!existsSync(bundleFile) || !existsSync(trustFile))
    throw new TerminalRefused([['noStore', { folder: storeFolder }], ['packageAgain']], 2)
  const trust = firstTrust(readFileSync(trustFile))
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

/**
 * The fields of a profile that are needed before the backend starts. The backend validates the whole file and reports
 * mistakes by line.
 */
const Outline = z.object({
  mode: Profile.shape.mode,
  store: z.object({ id: z.string() }),
  lanes: z.array(z.object({ id: z.string() })).min(1),
})
export interface ProfileOutline {
  readonly mode: Profile['mode']
  readonly storeId: string
  readonly lanes: readonly [string, ...string[]]
}

export function localeOfProfile(profile: string): Locale | null {
  try {
    return localeIn(parse(profile))
  } catch {
    return null
  }
}

const Proxied = z.object({
  endpoints: z.object({ proxy: z.string().optional(), noProxy: z.array(z.string()).optional() }).optional(),
})

/** Returns the proxy for calls before the backend runs; no proxy if the profile cannot be parsed. */
export function proxyOfProfile(profile: string): ProxySetting {
  try {
    return Proxied.parse(parse(profile)).endpoints ?? {}
  } catch {
    return {}
  }
}

export function readProfileOutline(file: string): ProfileOutline | null {
  let document: unknown
  try {
    document = parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
  const outline = Outline.safeParse(document)
  if (!outline.success) return null
  const [first, ...others] = outline.data.lanes.map((lane) => lane.id)
  return first === undefined
    ? null
    : { mode: outline.data.mode, storeId: outline.data.store.id, lanes: [first, ...others] }
}
