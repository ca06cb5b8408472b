import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Locale } from '../contracts/locales.ts'
import { Profile } from '../contracts/profile.ts'
import { localeIn } from '../contracts/profile-locale.ts'
import type { ProxySetting } from '../delivery/outgoing.ts'

/**
 * The three things of a profile that must be known before the backend starts. Everything else is the backend's
 * business: it validates the whole file and says what is wrong with it, line by line.
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

/** Null when the profile cannot be read that far. */
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

/** What calls go through before the backend runs. None where the profile cannot be read that far. */
export function proxyOfProfile(profile: string): ProxySetting {
  try {
    return Proxied.parse(parse(profile)).endpoints ?? {}
  } catch {
    return {}
  }
}

/** Null when the file cannot be read that far. */
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
