import type { Database } from './open.ts'

/** The numbers with which an epoch begins: of sales and returns, of Z reports, shifts and cash movements. */
export interface EpochStart {
  readonly firstSequence: number
  readonly firstZ: number
  readonly firstShift: number
  readonly firstMovement: number
}

export interface NewEpoch extends EpochStart {
  readonly number: number
  readonly at: number
  /** Name of the backup that was restored. */
  readonly backup: string
}

/** In which epoch a lane is: 1 from its installation on, one more with each restore. */
export const epochOf = (db: Database): number =>
  db.prepare<[], number>('SELECT coalesce(max(number), 1) FROM lane_epoch').pluck().get() ?? 1

/** Behind everything that this database has numbered, or had in the epochs before. */
export function numbersAfter(db: Database): EpochStart {
  const row = db
    .prepare<[], EpochStart>(
      `SELECT
      max((SELECT coalesce(max(sequence), 0) FROM sale), (SELECT coalesce(max(sequence), 0) FROM sale_return),
        (SELECT coalesce(max(first_sequence), 1) - 1 FROM lane_epoch)) + 1 AS firstSequence,
      max((SELECT coalesce(max(number), 0) FROM z_report),
        (SELECT coalesce(max(first_z), 1) - 1 FROM lane_epoch)) + 1 AS firstZ,
      max((SELECT coalesce(max(id), 0) FROM shift),
        (SELECT coalesce(max(first_shift), 1) - 1 FROM lane_epoch)) + 1 AS firstShift,
      max((SELECT coalesce(max(id), 0) FROM cash_movement),
        (SELECT coalesce(max(first_movement), 1) - 1 FROM lane_epoch)) + 1 AS firstMovement`,
    )
    .get()
  if (!row) throw new Error('a SELECT without FROM answers a row')
  return row
}
