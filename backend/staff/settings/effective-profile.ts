import type { Localized } from '../../../contracts/core/locales.ts'
import { Profile } from '../../../contracts/core/profile.ts'
import { SETTING_NAMES, type SettingName } from '../../../contracts/staff/setting-names.ts'
import { checkProfile } from '../../core/profile/profile.ts'
import { type SettingRow, createSettingsRepository, isPlanned } from './settings.sql.ts'
import { type Ctx, provided } from '../../core/context.ts'

export type SettingValue = unknown

export const placeOf = (name: SettingName): readonly string[] => name.split('.')

export const valueIn = (profile: Profile, name: SettingName): SettingValue =>
  placeOf(name).reduce<unknown>((here, key) => (here as Record<string, unknown> | undefined)?.[key], profile)

export function withValue(profile: Profile, name: SettingName, value: SettingValue): Profile {
  const put = (here: unknown, [key, ...rest]: readonly string[]): unknown => {
    if (key === undefined) return value
    const { [key]: was, ...others } = here as Record<string, unknown>
    const next = put(was, rest)
    return next === undefined ? others : { ...others, [key]: next }
  }
  return put(profile, placeOf(name)) as Profile
}

export function issuesAt(profile: Profile, name: SettingName): { path: string; messages: Localized }[] {
  const place = placeOf(name)
  const found = checkProfile(profile)
  if ('profile' in found) return []
  return found.issues
    .filter(({ at }) => place.every((key, index) => at[index] === key))
    .map(({ at, messages }) => ({ path: `/${at.slice(place.length).join('/')}`, messages }))
}
const fits = (profile: Profile, name: SettingName): boolean => issuesAt(profile, name).length === 0

/**
 * Finds the change of one setting that is in effect at an instant. Of the immediate changes it is the newest, even if
 * the clock was set. A planned change replaces it from its planned time on, if it was entered after the immediate
 * change, or if its planned time is later than that change.
 */
export function latestInEffect(own: readonly SettingRow[], instant: number): SettingRow | undefined {
  const atOnce = own.filter((row) => !isPlanned(row)).reduce<SettingRow | undefined>(newer, undefined)
  return own
    .filter(
      (row) => isPlanned(row) && row.fromAt <= instant && (!atOnce || row.id > atOnce.id || row.fromAt > atOnce.at),
    )
    .reduce((last, row) => (last === undefined || !isPlanned(last) || row.fromAt >= last.fromAt ? row : last), atOnce)
}

const newer = (one: SettingRow | undefined, other: SettingRow): SettingRow =>
  one === undefined || other.id > one.id ? other : one

/** Returns the change of each setting that counts at an instant. `rows` must be in the repository's order. */
export function inForceAt(rows: readonly SettingRow[], instant: number): ReadonlyMap<SettingName, SettingRow> {
  const known = new Map<SettingName, SettingRow>()
  for (const [written, own] of Map.groupBy(rows, (row) => row.name)) {
    // A newer program may have written settings that this program does not know; they are ignored.
    const name = SETTING_NAMES.find((one) => one === written)
    const row = latestInEffect(own, instant)
    if (name !== undefined && row !== undefined) known.set(name, row)
  }
  return known
}

/** Value of a row; undefined if the row restores the profile's value, or the setting is then absent. */
export const parsedValue = ({ value }: Pick<SettingRow, 'value'>): SettingValue =>
  value === null ? undefined : ((JSON.parse(value) as unknown) ?? undefined)

export function profileAt(base: Profile, rows: readonly SettingRow[], instant: number): Profile {
  const set = [...inForceAt(rows, instant)].filter(([, { value }]) => value !== null)
  const apply = (to: Profile, [name, row]: (typeof set)[number]): Profile => withValue(to, name, parsedValue(row))
  const whole = set.reduce(apply, base)
  if (set.every(([name]) => fits(whole, name))) return whole
  // A value that this profile or program no longer accepts is ignored, and the profile's own value counts.
  return set.reduce((to, one) => {
    const next = apply(to, one)
    return fits(next, one[0]) ? next : to
  }, base)
}

/**
 * Reads within this time in ms in one transaction use the same moment, so that the settings do not change in between.
 */
const SAME_MOMENT_MS = 50

export type EffectiveProfile = ReturnType<typeof createEffectiveProfile>

/**
 * The profile with the current settings: each read of a section returns the values of that moment. A planned change
 * therefore takes effect at its time without a timer, also on a lane that was off then. Do not keep a section, because
 * it becomes outdated. `base`: the profile of the installer.
 */
export function createEffectiveProfile({ db, clock }: Pick<Ctx, 'db' | 'clock'>, base: Profile) {
  const rows = createSettingsRepository(db)
  let known: { readonly profile: Profile; readonly from: number; readonly until: number } | null = null
  let askedAt = Number.NaN

  function current(): Profile {
    const now = clock.now()
    const holds = known !== null && now >= known.from && now < known.until
    const oneMoment = known !== null && db.inTransaction && now >= askedAt && now - askedAt < SAME_MOMENT_MS
    if (known === null || (!holds && !oneMoment)) {
      const all = rows.uncancelled()
      const planned = all.filter(isPlanned)
      const coming = planned.flatMap(({ fromAt }) => (fromAt > now ? [fromAt] : []))
      // The clock may be set back: a profile that was computed for a later time must not be used before that time.
      const begun = planned.flatMap(({ fromAt }) => (fromAt <= now ? [fromAt] : []))
      known = {
        profile: profileAt(base, all, now),
        from: Math.max(Number.NEGATIVE_INFINITY, ...begun),
        until: Math.min(Number.POSITIVE_INFINITY, ...coming),
      }
    }
    askedAt = now
    return known.profile
  }

  const live = {}
  for (const section of Object.keys(Profile.shape) as (keyof Profile)[])
    Object.defineProperty(live, section, { enumerable: true, get: () => current()[section] })

  return {
    base,
    /** The profile with the current settings; each read of a section returns the values of that moment. */
    profile: live as Profile,
    at: (instant: number): Profile => profileAt(base, rows.uncancelled(), instant),
    /** Call it after a change of a setting, so that the next read computes the profile again. */
    forget(): void {
      known = null
    },
    /** When the next planned change takes effect (epoch ms); null if none is planned. */
    nextAt(): number | null {
      current()
      return known === null || known.until === Number.POSITIVE_INFINITY ? null : known.until
    },
  }
}

export const effectiveProfileOf = provided<EffectiveProfile>('the profile')
