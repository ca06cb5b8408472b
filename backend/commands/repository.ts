import type { Database } from '../db/open.ts'
import type { Tx } from '../db/transact.ts'
import type { Asker } from './asker.ts'

export interface StoredCommand extends Asker {
  readonly fingerprint: Buffer
  /** What was answered, sealed; null while the effect is on its way. */
  readonly answer: Buffer | null
}

export type CommandRepository = ReturnType<typeof createCommandRepository>

/** The commands of the last day, by their keys. */
export function createCommandRepository(db: Database) {
  const select = db.prepare<[string], StoredCommand>(
    'SELECT fingerprint, window_id AS window, staff_id AS staffId, answer FROM command WHERE key = ?',
  )
  const insert = db.prepare(
    `INSERT INTO command (key, at, fingerprint, window_id, staff_id, answer)
      VALUES (@key, @at, @fingerprint, @window, @staffId, @answer)`,
  )
  const removeOld = db.prepare('DELETE FROM command WHERE at < ?')
  return {
    find: (key: string): StoredCommand | undefined => select.get(key),
    insert(tx: Tx, command: StoredCommand & { readonly key: string; readonly at: number }): void {
      tx.run(insert, command)
    },
    removeBefore: (tx: Tx, at: number): number => tx.run(removeOld, at).changes,
  }
}
