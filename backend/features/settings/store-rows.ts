import type { SettingChange } from '../../../contracts/store/changes.ts'
import { StaffId } from '../../../contracts/ids.ts'
import { isPlanned } from './effective-profile.ts'
import type { SettingRow } from './repository.ts'

/** What of a setting's changes still says anything: what was set at once last, and what was planned beside it. */
export function standingOf(own: readonly SettingRow[]): SettingRow[] {
  const atOnce = own
    .filter((row) => !isPlanned(row))
    .reduce<SettingRow | undefined>((newest, row) => (newest && newest.id > row.id ? newest : row), undefined)
  const planned = own.filter((row) => isPlanned(row) && (!atOnce || row.id > atOnce.id || row.fromAt > atOnce.at))
  return atOnce ? [atOnce, ...planned] : planned
}

/** How a setting stands, as the other lanes are told. */
export const toldRows = (own: readonly SettingRow[], staffName: (id: string) => string): SettingChange['rows'] =>
  standingOf(own).map(({ value, fromAt, at, staffId }) => ({
    value,
    fromAt,
    at,
    by: { id: StaffId.parse(staffId), name: staffName(staffId) },
  }))

/** Whether the rows say what was told. */
export const saysTheSame = (own: readonly SettingRow[], told: SettingChange['rows']): boolean => {
  const standing = standingOf(own)
  return (
    standing.length === told.length &&
    told.every(({ value, fromAt, at }, index) => {
      const row = standing[index]
      return row !== undefined && row.value === value && row.fromAt === fromAt && row.at === at
    })
  )
}
