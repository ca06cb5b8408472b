import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { SettingChange } from '../../../contracts/store/changes.ts'
import { StaffId } from '../../../contracts/core/ids.ts'
import { perLane } from '../../core/context.ts'

/** One change of a setting, as it was entered. It is never changed again: another row takes its place. */
export interface SettingRow {
  readonly id: number
  readonly name: string
  /** JSON of the value, `null` where it is left out; null: the profile's value again. */
  readonly value: string | null
  readonly fromAt: number
  readonly at: number
  readonly staffId: string
}

export interface NewSettingRow extends Omit<SettingRow, 'id'> {
  /** The planned change that this row calls off; null: it is a change itself. */
  readonly callsOff: number | null
}

export const SETTING_QUERIES = {
  // Nearly every row is a change: without the plus they would be found by what they call off, and then sorted.
  standing: `SELECT id, name, value, from_at AS fromAt, at, staff_id AS staffId FROM setting AS one
    WHERE +calls_off IS NULL AND NOT EXISTS (SELECT 1 FROM setting WHERE calls_off = one.id)
    ORDER BY name, from_at, id`,
} as const

export type SettingsRepository = ReturnType<typeof createSettingsRepository>

export function createSettingsRepository(db: Database) {
  const standing = db.prepare<[], SettingRow>(SETTING_QUERIES.standing)
  const insert = db.prepare(
    `INSERT INTO setting (name, value, from_at, at, staff_id, calls_off)
     VALUES (@name, @value, @fromAt, @at, @staffId, @callsOff)`,
  )
  return {
    /**
     * What was not called off, of each setting in the order in which its changes come into force; of one instant the
     * newest is last.
     */
    standing: (): SettingRow[] => standing.all(),
    insert(tx: Tx, row: NewSettingRow): void {
      tx.run(insert, row)
    },
  }
}

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

/** It was to come into force later than it was written. */
export const isPlanned = ({ fromAt, at }: SettingRow): boolean => fromAt > at

export const settingRowsOf = perLane(({ db }) => createSettingsRepository(db))
