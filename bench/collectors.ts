import Database from 'better-sqlite3'

/** The collector number of a connection, outside the number range of the seed data. */
export const collectorAt = (index: number): string => `8${String(9_000_000_000 + index)}`
/** An active collector of the seed data, whose record is copied for the new collectors. */
export const PATTERN = '80000000011'

/**
 * Inserts collectors into the data of the stopped reference services. Parallel transactions of one collector are an
 * error (specification 3 §4.2 rule 5), so every connection needs its own collector.
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
