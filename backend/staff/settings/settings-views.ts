import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Setting, SettingChange } from '../../../contracts/staff/settings.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { SETTING_NAMES, type SettingName } from '../../../contracts/staff/setting-names.ts'
import { isoOf } from '../../core/clock.ts'
import { type ChangedAt, elsewhereOf } from '../../store/changes.ts'
import { type SettingValue, latestInEffect, parsedValue, valueIn } from './effective-profile.ts'
import { type SettingRow, isPlanned } from './settings.sql.ts'
import { csvFile } from '../../../contracts/core/csv.ts'
import { PERMITS } from '../../../contracts/staff/permissions.ts'
import { Permission } from '../../../contracts/sales/sale-rules.ts'

type Json = z.infer<typeof SettingChange>['value']

export const jsonOf = (value: SettingValue): Json => (value === undefined ? null : (value as Json))

/** The value of a setting that a row gives; without a row, that of the profile. */
export const resultingValue = (row: SettingRow | undefined, base: Profile, name: SettingName): SettingValue =>
  row === undefined || row.value === null ? valueIn(base, name) : parsedValue(row)

export interface SettingsFacts {
  readonly base: Profile
  readonly effective: Profile
  readonly rows: readonly SettingRow[]
  readonly now: number
  readonly staffName: (id: string) => string
  /**
   * Returns lane and author of the latest change of a setting; null without one, or while another lane’s change waits
   * for a confirmation.
   */
  readonly changedAt: (name: SettingName) => ChangedAt | null
}

export function settingsView({ base, effective, rows, now, staffName, changedAt }: SettingsFacts): Setting[] {
  const changeOf = (row: SettingRow, name: SettingName): SettingChange => ({
    id: row.id,
    from: isoOf(row.fromAt),
    value: jsonOf(resultingValue(row, base, name)),
    asProfile: row.value === null,
    at: isoOf(row.at),
    by: staffName(row.staffId),
  })
  return SETTING_NAMES.map((name) => {
    const own = rows.filter((row) => row.name === name)
    const inForce = latestInEffect(own, now)
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

const plannedOf = (own: readonly SettingRow[], now: number): SettingRow[] =>
  own.filter((row, index) => isPlanned(row) && row.fromAt > now && own[index + 1]?.fromAt !== row.fromAt)

const HEADER = ['setting', 'profile', 'lane', 'since', 'by', 'planned']

export const differing = (settings: readonly Setting[]): Setting[] =>
  settings.filter(({ differs, planned }) => differs || planned.length > 0)

const written = (value: Setting['value']): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/**
 * Formats the settings that differ from the profile or have planned changes, as a file; `facts`: lines that identify
 * the lane.
 */
export function differencesFile(
  format: 'csv' | 'json',
  settings: readonly Setting[],
  facts: { readonly store: string; readonly lane: string; readonly exportedAt: string },
): string {
  const rows = differing(settings)
  if (format === 'json') {
    const named = rows.map(({ name, profile, value, change, planned }) => ({ name, profile, value, change, planned }))
    return `${JSON.stringify({ ...facts, settings: named }, null, 2)}\n`
  }
  return csvFile(
    HEADER,
    rows.map(({ name, profile, value, differs, change, planned }) => [
      name,
      written(profile),
      written(value),
      differs ? (change?.from ?? '') : '',
      differs ? (change?.by ?? '') : '',
      planned.map(({ from, value: next, by }) => `${from} ${written(next)} (${by})`).join('; '),
    ]),
  )
}

/**
 * Whether a value gives anyone at the lane more permissions than another one: to do more without approval, to approve,
 * or to sign in with less. Always false for a setting that is not about permissions.
 */
export function givesMoreRights(name: SettingName, before: SettingValue, after: SettingValue): boolean {
  if (name.startsWith('approvals.actions.')) return permitsMore(before, after)
  switch (name) {
    case 'approvals.discountAbovePercent':
    case 'limits.idleLockMs':
    case 'limits.signedInMs':
    // If this setting is absent, every return needs an approval.
    case 'approvals.returnFromDollars':
      return numberOr(after, 0) > numberOr(before, 0)
    case 'limits.pinDigits':
      return numberOr(after, 0) < numberOr(before, 0)
    case 'signIn.badges':
      return after === true && before !== true
    default:
      return false
  }
}

const numberOr = (value: SettingValue, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

/** Whether the value `after` permits more; a value that cannot be read counts as permitting more. */
function permitsMore(before: SettingValue, after: SettingValue): boolean {
  const [was, will] = [Permission.safeParse(before), Permission.safeParse(after)]
  if (!was.success || !will.success) return true
  return (
    (['cashier', 'supervisor', 'manager'] as const).some(
      (role) => PERMITS.indexOf(will.data[role]) < PERMITS.indexOf(was.data[role]),
    ) || will.data.approvers.some((role) => !was.data.approvers.includes(role))
  )
}
