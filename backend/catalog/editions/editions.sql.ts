import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { CatalogChange } from './edition-rows.ts'
import type { NumberedChange } from './edition-file.ts'
import { perLane } from '../../core/context.ts'

/** Data about an edition of the catalog in the terminal's database. Times are epoch ms. */
export interface Edition {
  readonly id: string
  readonly origin: 'profile' | 'import'
  readonly fileName: string
  readonly items: number
  readonly madeAt: number
  readonly madeBy: string | null
  readonly sourceHash: Buffer
}

interface EditionRow {
  id: string
  origin: Edition['origin']
  file_name: string
  items: number
  made_at: number
  made_by: string | null
  source_hash: Buffer
}

export interface InUse {
  readonly currentId: string
  readonly previousId: string | null
  /** SHA-256 of the profile's catalog file that was last imported, or skipped as superseded; null without one. */
  readonly profileHash: string | null
}

export const EDITION_QUERIES = {
  source: 'SELECT chunk FROM catalog_source WHERE edition_id = ? ORDER BY number',
  changes: 'SELECT number, at, change FROM catalog_change WHERE edition_id = +? AND number > +? ORDER BY number',
  sourceSize: 'SELECT count(*) AS parts, sum(length(chunk)) AS bytes FROM catalog_source WHERE edition_id = ?',
  changeCount: 'SELECT count(*) FROM catalog_change WHERE edition_id = ?',
} as const

export type EditionsRepository = ReturnType<typeof createEditionsRepository>

/** Data of the catalog in the terminal's database, from which the files of editions can be rebuilt. */
export function createEditionsRepository(db: Database) {
  const selectInUse = db.prepare<[], { current_id: string; previous_id: string | null; profile_hash: string | null }>(
    'SELECT current_id, previous_id, profile_hash FROM catalog_in_use WHERE id = 1',
  )
  const selectById = db.prepare<[string], EditionRow>(
    'SELECT id, origin, file_name, items, made_at, made_by, source_hash FROM catalog_edition WHERE id = ?',
  )
  const selectSource = db.prepare<[string], Buffer>(EDITION_QUERIES.source).pluck()
  const selectSize = db.prepare<[string], { parts: number; bytes: number }>(EDITION_QUERIES.sourceSize)
  const firstPerson = db.prepare<[], string>('SELECT id FROM staff ORDER BY id LIMIT 1').pluck()
  const selectChanges = db.prepare<[string, number], { number: number; at: number; change: string }>(
    EDITION_QUERIES.changes,
  )
  const countChanges = db.prepare<[string], number>(EDITION_QUERIES.changeCount).pluck()
  const lastChange = db
    .prepare<[string], number | null>('SELECT max(number) FROM catalog_change WHERE edition_id = ?')
    .pluck()
  const insertEdition = db.prepare(
    `INSERT INTO catalog_edition (id, origin, file_name, items, made_at, made_by, source_hash)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertChunk = db.prepare('INSERT INTO catalog_source (edition_id, number, chunk) VALUES (?, ?, ?)')
  const insertChange = db.prepare('INSERT INTO catalog_change (edition_id, at, by_id, change) VALUES (?, ?, ?, ?)')
  const setInUse = db.prepare(
    `INSERT INTO catalog_in_use (id, current_id, previous_id, profile_hash) VALUES (1, ?, ?, ?) ON CONFLICT (id) DO
      UPDATE SET current_id = excluded.current_id, previous_id = excluded.previous_id,
      profile_hash = excluded.profile_hash`,
  )
  const deletions = [
    'DELETE FROM catalog_change WHERE edition_id = ?',
    'DELETE FROM catalog_source WHERE edition_id = ?',
    'DELETE FROM catalog_edition WHERE id = ?',
  ].map((sql) => db.prepare<[string]>(sql))

  return {
    inUse(): InUse | null {
      const row = selectInUse.get()
      return row === undefined
        ? null
        : { currentId: row.current_id, previousId: row.previous_id, profileHash: row.profile_hash }
    },
    has: (id: string): boolean => selectById.get(id) !== undefined,
    byId(id: string): Edition {
      const row = selectById.get(id)
      if (row === undefined) throw new Error(`the catalog has no edition ${id}`)
      return {
        id: row.id,
        origin: row.origin,
        fileName: row.file_name,
        items: row.items,
        madeAt: row.made_at,
        madeBy: row.made_by,
        sourceHash: row.source_hash,
      }
    },
    /** Number and total bytes of the chunks from which an edition can be rebuilt. */
    sourceSize: (id: string): { parts: number; bytes: number } => selectSize.get(id) ?? { parts: 0, bytes: 0 },
    fallbackPerson(): string {
      const id = firstPerson.get()
      if (id === undefined) throw new Error('this lane has no people')
      return id
    },
    source: (id: string): Iterable<Buffer> => selectSource.iterate(id),
    changesAfter: (id: string, number: number): NumberedChange[] =>
      selectChanges
        .all(id, number)
        .map((row) => ({ number: row.number, at: row.at, change: CatalogChange.parse(JSON.parse(row.change)) })),
    changeCount: (id: string): number => countChanges.get(id) ?? 0,
    lastChange: (id: string): number => lastChange.get(id) ?? 0,
    insert(tx: Tx, edition: Edition, chunks: Iterable<Buffer>): void {
      tx.run(
        insertEdition,
        edition.id,
        edition.origin,
        edition.fileName,
        edition.items,
        edition.madeAt,
        edition.madeBy,
        edition.sourceHash,
      )
      let number = 0
      for (const chunk of chunks) tx.run(insertChunk, edition.id, (number += 1), chunk)
    },
    insertChange(tx: Tx, id: string, at: number, byId: string, change: CatalogChange): void {
      tx.run(insertChange, id, at, byId, JSON.stringify(change))
    },
    setInUse(tx: Tx, { currentId, previousId, profileHash }: InUse): void {
      tx.run(setInUse, currentId, previousId, profileHash)
    },
    drop(tx: Tx, id: string): void {
      for (const deletion of deletions) tx.run(deletion, id)
    },
  }
}

export const editionsOf = perLane(({ db }) => createEditionsRepository(db))
