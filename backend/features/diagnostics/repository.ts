import { EchoResult } from '../../../contracts/api/diagnostics.ts'
import type { Database } from '../../db/open.ts'

/** Results kept for the manager's list. */
const KEPT = 50

export interface EchoRepository {
  add(result: EchoResult, at: number): void
  /** Newest first. */
  latest(): EchoResult[]
}

export function createEchoRepository(db: Database): EchoRepository {
  const insert = db.prepare('INSERT INTO echo_result (at, result) VALUES (?, ?)')
  const prune = db.prepare('DELETE FROM echo_result WHERE id <= (SELECT max(id) FROM echo_result) - ?')
  const select = db.prepare<[number], { result: string }>('SELECT result FROM echo_result ORDER BY id DESC LIMIT ?')
  return {
    add: (result, at) =>
      db
        .transaction(() => {
          insert.run(at, JSON.stringify(result))
          prune.run(KEPT)
        })
        .immediate(),
    latest: () => select.all(KEPT).map((row) => EchoResult.parse(JSON.parse(row.result))),
  }
}
