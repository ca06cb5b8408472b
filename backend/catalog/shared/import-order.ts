import { CatalogImportChange } from '../../../contracts/store/changes.ts'
import { groupProfileImports, type ProfileImports } from '../../../contracts/store/profile-imports.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { Stamp } from '../../store/changes.sql.ts'
import type { Edition } from '../editions/editions.sql.ts'
import { NEVER } from './merge-changes.ts'

export interface StoreImport {
  readonly id: string
  readonly stamp: Stamp
  readonly at: number
  readonly byId: string | null
  readonly value: CatalogImportChange
  readonly lost: number
}

interface ImportRow extends Stamp {
  readonly id: string
  readonly at: number
  readonly byId: string | null
  readonly value: string
  readonly lost: number
}

interface Known extends ProfileImports<StoreImport> {
  readonly version: string | undefined
  readonly all: readonly StoreImport[]
  readonly winner: StoreImport | null
}

/**
 * Decides which import counts in the store: the one with the latest stamp. Lanes apply a new profile one after the
 * other; its import has the stamp of the first lane at every lane, so that a late lane does not undo changes made
 * since.
 */
export function createImportOrder(db: Database) {
  const select = db.prepare<[], ImportRow>(
    'SELECT id, clock, lane, at, by_id AS byId, value, lost FROM store_catalog_import ORDER BY clock, lane',
  )
  const insert = db.prepare(
    `INSERT INTO store_catalog_import (id, clock, lane, at, by_id, value, lost)
      VALUES (@id, @clock, @lane, @at, @byId, @value, @lost) ON CONFLICT (id) DO NOTHING`,
  )
  const uncovered = db
    .prepare<[string, string], 1>(
      `SELECT 1 FROM catalog_change WHERE edition_id = ? AND coalesce(change ->> '$.sku', change ->> '$.item.sku')
        NOT IN (SELECT sku FROM store_catalog_base WHERE edition_id = ?) LIMIT 1`,
    )
    .pluck()
  const knownClocks = db.prepare<[], { lane: string; clock: number }>(
    `SELECT lane, max(clock) AS clock FROM store_register WHERE kind IN ('catalog-item', 'planned-price')
      GROUP BY lane`,
  )
  const unknown = db
    .prepare<[string, number, number], string>(
      `SELECT DISTINCT CASE kind WHEN 'catalog-item' THEN subject ELSE value ->> '$.sku' END FROM store_register
        WHERE kind IN ('catalog-item', 'planned-price') AND lane = ? AND clock > ? AND clock <= ? ORDER BY 1`,
    )
    .pluck()

  const version = db
    .prepare<[], string>("SELECT count(*) || ' ' || coalesce(sum(clock), 0) FROM store_catalog_import")
    .pluck()
  let known: Known | null = null

  /**
   * Returns the known imports. Reads them from the database only after a change, because it is called for every
   * received change.
   */
  function imports(): Known {
    const now = version.get()
    if (known?.version !== now || known === null) known = { version: now, ...knownOf(select.all().map(importOf)) }
    return known
  }
  const winner = (): StoreImport | null => imports().winner
  const checked = new Map<string, boolean>()
  /**
   * Whether the store knows all edits of an edition. Once true it stays so, because this program sends every edit to
   * the store.
   */
  function isCovered(id: string): boolean {
    if (checked.get(id) === true) return true
    const is = uncovered.get(id, id) === undefined
    if (!checked.has(id)) checked.set(id, is)
    return is
  }
  /** Whether an edition is this import, or has the same items and only edits that the store knows. */
  const isOf = (one: StoreImport, { id, sourceHash }: Pick<Edition, 'id' | 'sourceHash'>): boolean =>
    one.id === id || (one.value.hash === sourceHash.toString('hex') && isCovered(id))

  return {
    winner,
    isOf,
    insert(tx: Tx, { stamp, value, ...row }: StoreImport): void {
      tx.run(insert, { ...row, ...stamp, value: JSON.stringify(value) })
    },
    sinceOf(edition: Pick<Edition, 'id' | 'sourceHash'>): Stamp {
      const counts = winner()
      if (counts && isOf(counts, edition)) return counts.stamp
      const { all, firstOf } = imports()
      const own = all.find(({ id }) => id === edition.id)
      return (own && firstOf.get(own))?.stamp ?? NEVER
    },
    byId: (id: string): StoreImport | null => imports().all.find((one) => one.id === id) ?? null,
    /**
     * Returns, for each lane, the newest clock of its changes of items and prices that this lane has received. An
     * import contains it, so that other lanes know which changes it replaces.
     */
    knew: (): CatalogImportChange['knew'] =>
      Object.fromEntries(knownClocks.all().map(({ lane, clock }) => [lane, clock])),
    /**
     * Items whose change at `lane`, made after `since` and before the import, the lane of the import had not received.
     */
    unknownTo: ({ stamp, value }: Pick<StoreImport, 'stamp' | 'value'>, lane: string, since: Stamp): string[] =>
      unknown.all(lane, Math.max(since.clock, value.knew[lane] ?? 0), stamp.clock),
    /**
     * Returns the number of a profile’s file in the sequence of profile files that lanes applied: the newest number if
     * this is the newest file, otherwise the next number.
     */
    generationOf(profileHash: string): number {
      const { all, newest } = imports()
      const { hash, generation } = newest?.value.profile ?? { hash: null, generation: 0 }
      if (hash === profileHash) return generation
      return 1 + all.reduce((most, { value }) => Math.max(most, value.profile?.generation ?? 0), 0)
    },
    /**
     * Import of the profile file that lanes applied last. Each lane imports it for itself; returns the first of these
     * imports. Null if lanes never applied a profile.
     */
    newestProfile(): StoreImport | null {
      const { newest, firstOf } = imports()
      return (newest && firstOf.get(newest)) ?? null
    },
  }
}

/**
 * The known imports sorted by stamp. The latest one counts, except imports of a profile that another lane had applied
 * before.
 */
function knownOf(all: readonly StoreImport[]): Omit<Known, 'version'> {
  const { firstOf, newest } = groupProfileImports(all, ({ value }) => value.profile)
  return { all, firstOf, newest, winner: all.findLast((one) => firstOf.get(one) === one) ?? null }
}

const importOf = ({ clock, lane, value, ...row }: ImportRow): StoreImport => ({
  ...row,
  stamp: { clock, lane },
  value: CatalogImportChange.parse(JSON.parse(value)),
})
