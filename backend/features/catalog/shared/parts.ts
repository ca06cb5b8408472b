import { createHash } from 'node:crypto'
import type { Database } from '../../../db/open.ts'
import type { Tx } from '../../../db/transact.ts'
import type { StoreFile } from './store-files.ts'

export type Parts = ReturnType<typeof createParts>

/** What has come of a file of the store, on this lane's disk until it is whole, and the editions made of such files. */
export function createParts(db: Database) {
  const numbers = db
    .prepare<[string], number>('SELECT number FROM store_catalog_part WHERE hash = ? ORDER BY number')
    .pluck()
  const chunks = db
    .prepare<[string], Buffer>('SELECT chunk FROM store_catalog_part WHERE hash = ? ORDER BY number')
    .pluck()
  const keep = db.prepare('INSERT OR IGNORE INTO store_catalog_part (hash, number, chunk) VALUES (?, ?, ?)')
  const drop = db.prepare('DELETE FROM store_catalog_part WHERE hash = ?')
  const dropOthers = db.prepare('DELETE FROM store_catalog_part WHERE hash <> ?')
  const toEdition = db.prepare(
    `INSERT INTO catalog_source (edition_id, number, chunk)
      SELECT ?, number, chunk FROM store_catalog_part WHERE hash = ?`,
  )
  const fromEdition = db.prepare(
    `INSERT INTO catalog_source (edition_id, number, chunk)
      SELECT ?, number, chunk FROM catalog_source WHERE edition_id = ?`,
  )
  const chunkOf = db
    .prepare<[string, number], Buffer>('SELECT chunk FROM catalog_source WHERE edition_id = ? AND number = ?')
    .pluck()
  const withHash = db
    .prepare<[Buffer], string>('SELECT id FROM catalog_edition WHERE source_hash = ? ORDER BY made_at DESC LIMIT 1')
    .pluck()
  const idle = db
    .prepare<[], string>(
      `SELECT id FROM catalog_edition WHERE id NOT IN (SELECT current_id FROM catalog_in_use
        UNION SELECT previous_id FROM catalog_in_use WHERE previous_id IS NOT NULL)`,
    )
    .pluck()
  return {
    /** Which parts are here. */
    have: (hash: string): ReadonlySet<number> => new Set(numbers.all(hash)),
    keep(tx: Tx, hash: string, number: number, chunk: Uint8Array): void {
      tx.run(keep, hash, number, chunk)
    },
    /** Whether all that is here is what the hash says. */
    isWhole({ hash, bytes }: StoreFile): boolean {
      const sum = createHash('sha256')
      let length = 0
      for (const chunk of chunks.iterate(hash)) {
        sum.update(chunk)
        length += chunk.byteLength
      }
      return length === bytes && sum.digest('hex') === hash
    },
    drop(tx: Tx, hash: string): void {
      tx.run(drop, hash)
    },
    /** Of files that are not wanted any more. */
    dropOthers(tx: Tx, hash: string): void {
      tx.run(dropOthers, hash)
    },
    /** The parts become the source of an edition. */
    toEdition(tx: Tx, hash: string, edition: string): void {
      tx.run(toEdition, edition, hash)
      tx.run(drop, hash)
    },
    copy(tx: Tx, from: string, edition: string): void {
      tx.run(fromEdition, edition, from)
    },
    chunkOf: (edition: string, number: number): Buffer | null => chunkOf.get(edition, number) ?? null,
    /** An edition of this lane that was made of the same items; null: there is none. */
    withHash: (hash: string): string | null => withHash.get(Buffer.from(hash, 'hex')) ?? null,
    /** Editions that were being made when another began to count, or the program ended. */
    idle: (): string[] => idle.all(),
  }
}
