import type { Localized } from '../../../contracts/core/locales.ts'
import { Profile } from '../../../contracts/core/profile.ts'
import { SETTING_NAMES, type SettingName } from '../../../contracts/staff/setting-names.ts'
import { checkProfile } from '../../core/profile/profile.ts'
import { type SettingRow, createSettingsRepository, isPlanned } from './settings.sql.ts'
import { type Ctx, provided } from '../../core/context.ts'

/** A value as a profile writes it; undefined: left out. */
export type SettingValue = unknown

/** The names of the sections and settings on the way to one. */
export const placeOf = (name: SettingName): readonly string[] => name.split('.')

export const valueIn = (profile: Profile, name: SettingName): SettingValue =>
  placeOf(name).reduce<unknown>((here, key) => (here as Record<string, unknown> | undefined)?.[key], profile)

/** The profile with another value at one place; nothing of the profile that was given is touched. */
export function withValue(profile: Profile, name: SettingName, value: SettingValue): Profile {
  const put = (here: unknown, [key, ...rest]: readonly string[]): unknown => {
    if (key === undefined) return value
    const { [key]: was, ...others } = here as Record<string, unknown>
    const next = put(was, rest)
    return next === undefined ? others : { ...others, [key]: next }
  }
  return put(profile, placeOf(name)) as Profile
}

/** What the profile's rules say against the value at one place; the rest of the profile is not its business. */
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
 * Of the changes of one setting the one in force at an instant. What was set at once holds from then on, whatever the
 * clock said and says: the newest does. A planned change takes its place at its time, if it was planned after it or
 * still to come when it was made.
 */
export function lastBegun(own: readonly SettingRow[], instant: number): SettingRow | undefined {
  const atOnce = own.filter((row) => !isPlanned(row)).reduce<SettingRow | undefined>(newer, undefined)
  return own
    .filter(
      (row) => isPlanned(row) && row.fromAt <= instant && (!atOnce || row.id > atOnce.id || row.fromAt > atOnce.at),
    )
    .reduce((last, row) => (last === undefined || !isPlanned(last) || row.fromAt >= last.fromAt ? row : last), atOnce)
}

const newer = (one: SettingRow | undefined, other: SettingRow): SettingRow =>
  one === undefined || other.id > one.id ? other : one

/** The change of each setting that is in force at an instant. `rows` in the repository's order. */
export function inForceAt(rows: readonly SettingRow[], instant: number): ReadonlyMap<SettingName, SettingRow> {
  const known = new Map<SettingName, SettingRow>()
  for (const [written, own] of Map.groupBy(rows, (row) => row.name)) {
    // A name that a newer program wrote is not this one's to apply.
    const name = SETTING_NAMES.find((one) => one === written)
    const row = lastBegun(own, instant)
    if (name !== undefined && row !== undefined) known.set(name, row)
  }
  return known
}

/** What a row says; undefined of the profile's own value and of one that is left out. */
export const parsedValue = ({ value }: Pick<SettingRow, 'value'>): SettingValue =>
  value === null ? undefined : ((JSON.parse(value) as unknown) ?? undefined)

/** The store's profile with what was set at the lane, at an instant. */
export function profileAt(base: Profile, rows: readonly SettingRow[], instant: number): Profile {
  const set = [...inForceAt(rows, instant)].filter(([, { value }]) => value !== null)
  const apply = (to: Profile, [name, row]: (typeof set)[number]): Profile => withValue(to, name, parsedValue(row))
  const whole = set.reduce(apply, base)
  if (set.every(([name]) => fits(whole, name))) return whole
  // A value that another profile, or another program, does not take any more falls back to the profile's own.
  return set.reduce((to, one) => {
    const next = apply(to, one)
    return fits(next, one[0]) ? next : to
  }, base)
}

/** Readings so close together within one transaction are one moment: its sums must agree with each other. */
const SAME_MOMENT_MS = 50

export type EffectiveProfile = ReturnType<typeof createEffectiveProfile>

/**
 * The profile as it is in force: each reading of a section answers what holds at that moment, so that a planned change
 * comes into force at its instant without anybody doing anything, also on a lane that was off then. Whoever keeps a
 * section for longer keeps the past. `base` is the profile as the installer wrote it.
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
      const all = rows.standing()
      const planned = all.filter(isPlanned)
      const coming = planned.flatMap(({ fromAt }) => (fromAt > now ? [fromAt] : []))
      // The clock may be set back: what was worked out for later does not hold before.
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
    /** What holds at each reading. */
    profile: live as Profile,
    at: (instant: number): Profile => profileAt(base, rows.standing(), instant),
    /** Something was set: the next reading looks again. */
    forget(): void {
      known = null
    },
    /** When the next planned change comes into force (epoch ms); null: none is planned. */
    nextAt(): number | null {
      current()
      return known === null || known.until === Number.POSITIVE_INFINITY ? null : known.until
    },
  }
}

export const effectiveProfileOf = provided<EffectiveProfile>('the profile')
