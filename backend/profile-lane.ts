import type { Locale } from '../contracts/locales.ts'
import { FIRST_LOCALE } from '../contracts/i18n/languages.ts'
import type { Lane, Profile } from '../contracts/profile.ts'
import { EXIT, StartRefusedError } from './data-folder.ts'
import { formatProfileErrors, loadProfile } from './profile.ts'

/**
 * The profile and the lane of it that this computer is; the first where none is named. Throws a StartRefusedError in
 * words.
 */
export function readProfileLane(
  file: string,
  laneId: string | null,
  locale: Locale = FIRST_LOCALE,
): { profile: Profile; lane: Lane } {
  const loaded = loadProfile(file)
  if ('errors' in loaded) throw new StartRefusedError(formatProfileErrors(loaded.errors, locale), EXIT.badArguments)
  const { profile } = loaded
  const lane = laneId === null ? profile.lanes[0] : profile.lanes.find(({ id }) => id === laneId)
  if (!lane)
    throw new StartRefusedError(
      `The profile has no lane ${laneId}; it has ${profile.lanes.map(({ id }) => id).join(', ')}.`,
      EXIT.badArguments,
    )
  return { profile, lane }
}
