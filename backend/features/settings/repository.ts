import type { SettingName } from '../../../contracts/setting-names.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'

/** One change of a setting, as it was entered. It is never changed again: another change takes its place. */
export interface SettingRow {
  readonly id: number
  readonly name: string
  /** JSON of the value, `null` where it is left out; null: the profile's value again. */
  readonly value: string | null
  readonly fromAt: number
  readonly at: number
  readonly staffId: string
}

export const SETTING_QUERIES = {
  all: 'SELECT id, name, value, from_at AS fromAt, at, staff_id AS staffId FROM setting ORDER BY name, from_at, id',
} as const

export type SettingsRepository = ReturnType<typeof createSettingsRepository>

export function createSettingsRepository(db: Database) {
  const all = db.prepare<[], SettingRow>(SETTING_QUERIES.all)
  const insert = db.prepare(
    'INSERT INTO setting (name, value, from_at, at, staff_id) VALUES (@name, @value, @fromAt, @at, @staffId)',
  )
  return {
    /** Of each setting in the order in which its changes come into force; of one instant the newest is last. */
    all: (): SettingRow[] => all.all(),
    /** Answers its id. */
    insert: (tx: Tx, row: Omit<SettingRow, 'id' | 'name'> & { readonly name: SettingName }): number =>
      Number(tx.run(insert, row).lastInsertRowid),
  }
}
