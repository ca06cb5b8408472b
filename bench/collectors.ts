import Database from 'better-sqlite3'

/** The number of the collector of a connection; they stand apart from the collectors of the seed. */
export const collectorAt = (index: number): string => `8${String(9_000_000_000 + index)}`
/** A collector of the seed in good standing, whom the new ones take after. */
export const PATTERN = '80000000011'

/**
 * Lays collectors into the data of the services, which must be stopped, their schema standing: a parallel transaction
 * of one collector is an error (specification 3 §4.2 rule 5), so that every connection needs its own.
 */
export function layCollectors(file: string, count: number): void {
  const db = new Database(file)
  try {
    const pattern = db
      .prepare<[string], Record<string, string | number | null>>('SELECT * FROM collector WHERE number = ?')
      .get(PATTERN)
    if (!pattern) throw new Error(`the seed has no collector ${PATTERN}`)
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
