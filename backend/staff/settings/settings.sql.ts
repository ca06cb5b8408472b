import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { SettingChange } from '../../../contracts/store/changes.ts'
import { StaffId } from '../../../contracts/core/ids.ts'
import { perLane } from '../../core/context.ts'

/** One change of a setting, as a manager entered it. The row is never modified: another row replaces it. */
export interface SettingRow {
  readonly id: number
  readonly name: string
  /** JSON of the value, or `null` as JSON for an absent value. Null: the profile's value applies again. */
  readonly value: string | null
  readonly fromAt: number
  readonly at: number
  readonly staffId: string
}

export interface NewSettingRow extends Omit<SettingRow, 'id'> {
  /** The planned change that this row cancels; null if the row is itself a change. */
  readonly callsOff: number | null
}

export const SETTING_QUERIES = {
  // Nearly every row is a change. Without the plus, SQLite would use the index of cancellations and sort.
  uncancelled: `SELECT id, name, value, from_at AS fromAt, at, staff_id AS staffId FROM setting AS one
    WHERE +calls_off IS NULL AND NOT EXISTS (SELECT 1 FROM setting WHERE calls_off = one.id)
    ORDER BY name, from_at, id`,
} as const

export type SettingsRepository = ReturnType<typeof createSettingsRepository>

export function createSettingsRepository(db: Database) {
  const uncancelled = db.prepare<[], SettingRow>(SETTING_QUERIES.uncancelled)
  const insert = db.prepare(
    `INSERT INTO setting (name, value, from_at, at, staff_id, calls_off)
     VALUES (@name, @value, @fromAt, @at, @staffId, @callsOff)`,
  )
  return {
    /**
     * Changes that were not cancelled, by setting, in the order in which they take effect. Of changes for the same
     * instant, the newest is last.
     */
    uncancelled: (): SettingRow[] => uncancelled.all(),
    insert(tx: Tx, row: NewSettingRow): void {
      tx.run(insert, row)
    },
  }
}

/** The changes of a setting that can still apply: the latest immediate one, and the planned ones. */
export function relevantRows(own: readonly SettingRow[]): SettingRow[] {
  const atOnce = own
    .filter((row) => !isPlanned(row))
    .reduce<SettingRow | undefined>((newest, row) => (newest && newest.id > row.id ? newest : row), undefined)
  const planned = own.filter((row) => isPlanned(row) && (!atOnce || row.id > atOnce.id || row.fromAt > atOnce.at))
  return atOnce ? [atOnce, ...planned] : planned
}

/** Converts the state of a setting for the other lanes. */
export const sharedRows = (own: readonly SettingRow[], staffName: (id: string) => string): SettingChange['rows'] =>
  relevantRows(own).map(({ value, fromAt, at, staffId }) => ({
    value,
    fromAt,
    at,
    by: { id: StaffId.parse(staffId), name: staffName(staffId) },
  }))

/** Whether the rows of this lane equal the rows received from another lane. */
export const equalsShared = (own: readonly SettingRow[], received: SettingChange['rows']): boolean => {
  const relevant = relevantRows(own)
  return (
    relevant.length === received.length &&
    received.every(({ value, fromAt, at }, index) => {
      const row = relevant[index]
      return row !== undefined && row.value === value && row.fromAt === fromAt && row.at === at
    })
  )
}

/** Whether a change was planned, which means that it takes effect later than it was written. */
export const isPlanned = ({ fromAt, at }: SettingRow): boolean => fromAt > at

export const settingRowsOf = perLane(({ db }) => createSettingsRepository(db))
