import path from 'node:path'
import Database from 'better-sqlite3'

/** Measures the limit of this disk: commits of one row, one after the other, each synced (WAL, `synchronous=FULL`). */
export interface BareCommits {
  round(commits: number): number
  close(): void
}

const ROW = 'x'.repeat(200)

export function openBareCommits(folder: string): BareCommits {
  const db = new Database(path.join(folder, 'bare.db'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE stored (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT')
  const insert = db.prepare('INSERT INTO stored (body) VALUES (?)')
  return {
    round(commits) {
      const from = performance.now()
      for (let done = 0; done < commits; done += 1) insert.run(ROW)
      return performance.now() - from
    },
    close: () => {
      db.close()
    },
  }
}
