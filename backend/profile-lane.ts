import type { Locale } from '../contracts/locales.ts'
import { FIRST_LOCALE } from '../contracts/i18n/languages.ts'
import type { Lane, Profile } from '../contracts/profile.ts'
import { EXIT, StartRefusedError } from './data-folder.ts'
import { profileLocale } from './profile-locale.ts'
import { formatProfileErrors, loadProfile } from './profile.ts'

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
