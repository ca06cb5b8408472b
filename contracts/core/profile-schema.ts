import { z } from 'zod'
import type { Locale } from './locales.ts'
import { Profile } from './profile.ts'

/**
 * Which form of the store's profile this program reads. One more whenever a profile of the new form would be read
 * wrongly, or refused, by the program before.
 */
export const PROFILE_SCHEMA = 1

const Speaks = z.object({ locales: Profile.shape.locales })

/**
 * The language in which a store is spoken to that has chosen none, of a profile in which anything else may be wrong;
 * null when it does not say.
 */
export function localeIn(profile: unknown): Locale | null {
  const read = Speaks.safeParse(profile)
  return read.success ? read.data.locales.default : null
}
