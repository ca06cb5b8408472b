import { z } from 'zod'
import type { Locale } from './locales.ts'
import { Profile } from './profile.ts'

/**
 * Version of the profile format that this program reads. Increase it when the previous program would refuse or misread
 * a profile of the new format.
 */
export const PROFILE_SCHEMA = 1

const WithLocales = z.object({ locales: Profile.shape.locales })

/** Reads the default language from a profile that may be invalid otherwise; null when the profile names none. */
export function localeIn(profile: unknown): Locale | null {
  const read = WithLocales.safeParse(profile)
  return read.success ? read.data.locales.default : null
}
