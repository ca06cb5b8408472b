import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { SettingChange } from '../../../contracts/store/changes.ts'
import { StaffId } from '../../../contracts/core/ids.ts'
import { perLane } from '../../core/context.ts'

/** One change of a setting, as a manager entered it. The row is never changed: a later row replaces it. */
export interface SettingRow {
  readonly id: number
  readonly name: string
  /** The value as JSON, `null` for an absent setting. Null: the profile's value counts again. */
  readonly value: string | null
  readonly fromAt: number
  readonly at: number
  readonly staffId: string
}

export interface NewSettingRow extends Omit<SettingRow, 'id'> {
  /** Id of the planned change that this row cancels; null if the row is a change. */
  readonly callsOff: number | null
}

export const SETTING_QUERIES = {
  // The plus keeps SQLite from using the index of cancellations and sorting, because nearly every row is a change.
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
     * Changes that were not cancelled, by setting, in the order in which they take effect. Of several for the same
     * instant, the newest is last.
     */
    uncancelled: (): SettingRow[] => uncancelled.all(),
    insert(tx: Tx, row: NewSettingRow): void {
      tx.run(insert, row)
    },
  }
}

/**
 * The changes of a setting that still matter: the latest immediate one, and the planned ones that it did not replace.
 */
export function relevantRows(own: readonly SettingRow[]): SettingRow[] {
  const atOnce = own
    .filter((row) => !isPlanned(row))
    .reduce<SettingRow | undefined>((newest, row) => (newest && newest.id > row.id ? newest : row), undefined)
  const planned = own.filter((row) => isPlanned(row) && (!atOnce || row.id > atOnce.id || row.fromAt > atOnce.at))
  return atOnce ? [atOnce, ...planned] : planned
}

export const sharedRows = (own: readonly SettingRow[], staffName: (id: string) => string): SettingChange['rows'] =>
  relevantRows(own).map(({ value, fromAt, at, staffId }) => ({
    value,
    fromAt,
    at,
    by: { id: StaffId.parse(staffId), name: staffName(staffId) },
  }))

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

/** Whether a change was planned: it takes effect later than it was written. */
export const isPlanned = ({ fromAt, at }: SettingRow): boolean => fromAt > at

export const settingRowsOf = perLane(({ db }) => createSettingsRepository(db))
