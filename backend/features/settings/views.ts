import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Setting, SettingChange } from '../../../contracts/api/settings.ts'
import type { Profile } from '../../../contracts/profile.ts'
import { SETTING_NAMES, type SettingName } from '../../../contracts/setting-names.ts'
import { isoOf } from '../../clock.ts'
import type { ChangedAt } from '../../store/changes/changes.ts'
import { elsewhereOf } from '../../store/changes/elsewhere.ts'
import { isPlanned, lastBegun, parsedValue, valueIn, type SettingValue } from './effective-profile.ts'
import type { SettingRow } from './repository.ts'

type Json = z.infer<typeof SettingChange>['value']

/** As JSON says it: what is left out is null. */
export const jsonOf = (value: SettingValue): Json => (value === undefined ? null : (value as Json))

/** The value that a row brings about. */
export const broughtBy = (row: SettingRow | undefined, base: Profile, name: SettingName): SettingValue =>
  row === undefined || row.value === null ? valueIn(base, name) : parsedValue(row)

export interface SettingsFacts {
  readonly base: Profile
  readonly effective: Profile
  readonly rows: readonly SettingRow[]
  readonly now: number
  readonly staffName: (id: string) => string
  /** Where each was changed last; null: nobody of the store has. */
  readonly changedAt: (name: SettingName) => ChangedAt | null
}

/** Every setting with what the profile says, what holds, and what is to come. */
export function settingsView({ base, effective, rows, now, staffName, changedAt }: SettingsFacts): Setting[] {
  const changeOf = (row: SettingRow, name: SettingName): SettingChange => ({
    id: row.id,
    from: isoOf(row.fromAt),
    value: jsonOf(broughtBy(row, base, name)),
    asProfile: row.value === null,
    at: isoOf(row.at),
    by: staffName(row.staffId),
  })
  return SETTING_NAMES.map((name) => {
    const own = rows.filter((row) => row.name === name)
    const inForce = lastBegun(own, now)
    const [profile, value] = [valueIn(base, name), valueIn(effective, name)]
    return {
      name,
      profile: jsonOf(profile),
      value: jsonOf(value),
      differs: !isDeepStrictEqual(jsonOf(profile), jsonOf(value)),
      change: inForce ? changeOf(inForce, name) : null,
      planned: plannedOf(own, now).map((row) => changeOf(row, name)),
      ...elsewhereOf(changedAt(name), staffName),
      newest: own.reduce((newest, { id }) => Math.max(newest, id), 0),
    }
  })
}

/** What is to come; of one instant the newest. */
const plannedOf = (own: readonly SettingRow[], now: number): SettingRow[] =>
  own.filter((row, index) => isPlanned(row) && row.fromAt > now && own[index + 1]?.fromAt !== row.fromAt)
