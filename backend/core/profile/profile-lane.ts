import type { Locale } from '../../../contracts/core/locales.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { Lane, Profile } from '../../../contracts/core/profile.ts'
import { EXIT, StartRefusedError } from '../program/data-folder.ts'
import { formatProfileErrors, loadProfile } from './profile.ts'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { localeIn } from '../../../contracts/core/profile-schema.ts'
import { perLane } from '../context.ts'

/**
 * The profile and the lane of it that this computer is; the first where none is named. Throws a StartRefusedError in
 * words: in the language that is given, or the profile’s own.
 */
export function readProfileLane(
  file: string,
  laneId: string | null,
  locale: Locale | null = null,
): { profile: Profile; lane: Lane } {
  const loaded = loadProfile(file)
  if ('errors' in loaded) {
    const spoken = locale ?? profileLocale(file) ?? FIRST_LOCALE
    throw new StartRefusedError(formatProfileErrors(loaded.errors, spoken), EXIT.badArguments)
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

/** The language of a store whose profile may be broken; null where the file does not say it, or is none. */
export function profileLocale(file: string): Locale | null {
  try {
    return localeIn(parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/**
 * The language of what is printed. The store's own choice counts first; in Québec it is French, whatever language the
 * cashier works in (Charter of the French Language, s. 57); else the language that the customer is served in.
 */
export const receiptLocaleOf = perLane(({ profile, signedIn }) => {
  const storeLocale = profile.locales.receipt ?? (profile.region === 'QC' ? 'fr-CA' : null)
  return (): Locale => storeLocale ?? signedIn()?.locale ?? profile.locales.default
})
