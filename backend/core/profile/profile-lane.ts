import type { Locale } from '../../../contracts/core/locales.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { LaneSettings, Profile } from '../../../contracts/core/profile.ts'
import { EXIT, StartRefusedError } from '../program/data-folder.ts'
import { formatProfileErrors, loadProfile } from './profile.ts'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { localeIn } from '../../../contracts/core/profile-schema.ts'
import { perLane } from '../context.ts'

/**
 * Reads the profile and finds the lane with this id, by default the first lane. Throws a StartRefusedError in the given
 * language, or in that of the profile.
 */
export function readProfileLane(
  file: string,
  laneId: string | null,
  locale: Locale | null = null,
): { profile: Profile; lane: LaneSettings } {
  const loaded = loadProfile(file)
  if ('errors' in loaded) {
    const language = locale ?? profileLocale(file) ?? FIRST_LOCALE
    throw new StartRefusedError(formatProfileErrors(loaded.errors, language), EXIT.badArguments)
  }
  const { profile } = loaded
  const lane = laneId === null ? profile.lanes[0] : profile.lanes.find(({ id }) => id === laneId)
  if (!lane)
    throw new StartRefusedError(
      [['noLane', { lane: laneId ?? '', lanes: profile.lanes.map(({ id }) => id).join(', ') }]],
      EXIT.badArguments,
    )
  return { profile, lane }
}

export function profileLocale(file: string): Locale | null {
  try {
    return localeIn(parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/**
 * Language of printed documents: the one that the profile sets; else French in Québec, also for a cashier who uses
 * English (Charter of the French Language, s. 57); else the language of the signed-in person, or the profile's default.
 */
export const receiptLocaleOf = perLane(({ profile, signedIn }) => {
  const storeLocale = profile.locales.receipt ?? (profile.region === 'QC' ? 'fr-CA' : null)
  return (): Locale => storeLocale ?? signedIn()?.locale ?? profile.locales.default
})
