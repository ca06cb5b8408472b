import Database from 'better-sqlite3'

/** The number of a connection's collector; outside the range of the seed data. */
export const collectorAt = (index: number): string => `8${String(9_000_000_000 + index)}`
/** An active collector of the seed data, copied for the new ones. */
export const PATTERN = '80000000011'

/**
 * Inserts collectors into the data of the stopped services. A parallel transaction of one collector is an error
 * (specification 3 §4.2 rule 5), so every connection needs its own.
 */
export function insertCollectors(file: string, count: number): void {
  const db = new Database(file)
  try {
    const pattern = db
      .prepare<[string], Record<string, string | number | null>>('SELECT * FROM collector WHERE number = ?')
      .get(PATTERN)
    if (!pattern) throw new Error(`the seed data has no collector ${PATTERN}`)
    const names = Object.keys(pattern)
    const add = db.prepare(
      `INSERT INTO collector (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
    )
    db.transaction(() => {
      for (let index = 0; index < count; index += 1) add.run({ ...pattern, number: collectorAt(index) })
    })()
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}
