import { CatalogImportChange } from '../../../contracts/store/changes.ts'
import type { Clock } from '../../core/clock.ts'
import type { Transact, Tx } from '../../core/db/transact.ts'
import type { Changes, TakenChange } from '../../store/changes.ts'
import { type Stamp, compareStamps } from '../../store/changes.sql.ts'
import type { AuditTrail } from '../../core/audit.ts'
import type { Edition, EditionsRepository } from '../editions/editions.sql.ts'
import { type ImportOrder, type StoreImport, createImportOrder } from './import-order.ts'
import { type SharedRows, createSharedRows } from './rows.ts'
import { NEVER } from './settle.ts'
import { type SharedCatalog, type SharedCatalogOptions, createSharedCatalog } from './shared-catalog.ts'
import type { Database } from '../../core/db/database.ts'

export interface SharedImportsOptions {
  readonly transact: Transact
  readonly audit: AuditTrail
  readonly clock: Clock
  readonly changes: Changes
  readonly lane: string
  readonly editions: EditionsRepository
  readonly order: ImportOrder
  readonly rows: SharedRows
  readonly items: Pick<SharedCatalog, 'lookAgain'>
}

/** What an import at this lane is told as. */
export interface NewImport {
  readonly id: string
  /** Its items; also of one that was there before. */
  readonly edition: Edition
  readonly byId: string | null
  /** SHA-256 of the profile’s own file, where it is that. */
  readonly profileHash: string | null
  readonly undone: boolean
}

/** Items that are named in the trail, of those that an import took the place of. */
const MOST_NAMED = 20

/** Imports at any lane of the store: which one counts, and what this lane tells of its own. */
export function createSharedImports(options: SharedImportsOptions) {
  const { transact, audit, clock, changes, lane, editions, order, rows, items } = options
  const listeners: (() => void)[] = []
  const announce = (): void => {
    for (const listener of listeners) listener()
  }

  /** Facts for the trail of an import that another lane has made. */
  function detailOf({ stamp, value }: StoreImport, lost: readonly string[]) {
    return {
      items: value.items,
      lane: stamp.lane,
      ...(lost.length === 0 ? {} : { overruled: true, skus: lost.slice(0, MOST_NAMED).join(' ') }),
    }
  }

  /** Nobody has to be told of it who sells by it already. */
  function recordIfSold(tx: Tx, taken: StoreImport, lost: readonly string[]): void {
    const inUse = editions.inUse()
    if (inUse && order.isOf(taken, editions.byId(inUse.currentId))) record(tx, taken, lost)
  }

  function record(tx: Tx, taken: StoreImport, lost: readonly string[]): void {
    const { value, byId: actorId } = taken
    audit.record(tx, {
      kind: value.undone ? 'catalog-import-undone' : 'catalog-imported',
      actorId,
      subject: value.fileName,
      detail: detailOf(taken, lost),
    })
  }

  function sinceInUse(): Stamp {
    const inUse = editions.inUse()
    return inUse ? order.sinceOf(editions.byId(inUse.currentId)) : NEVER
  }

  function take(tx: Tx, { subject: id, value, stamp, at, byId }: TakenChange<CatalogImportChange>): void {
    const before = sinceInUse()
    const lost = order.unknownTo({ stamp, value }, lane, before)
    const taken: StoreImport = { id, stamp, at, byId, value, lost: lost.length }
    order.insert(tx, taken)
    if (order.winner()?.id === id) recordIfSold(tx, taken, lost)
    const after = sinceInUse()
    if (compareStamps(before, after) !== 0) items.lookAgain(tx)
    transact.afterCommit(announce)
  }
  changes.follow('catalog-import', CatalogImportChange, take)

  return {
    /** An import that is made here: in its transaction, once its items stand in the database. */
    tell(tx: Tx, { id, edition, byId, profileHash, undone }: NewImport): void {
      const value: CatalogImportChange = {
        fileName: edition.fileName,
        items: edition.items,
        hash: edition.sourceHash.toString('hex'),
        ...editions.sourceSize(edition.id),
        profile: profileHash === null ? null : { hash: profileHash, generation: order.generationOf(profileHash) },
        undone,
        knew: order.knew(),
      }
      const stamp = changes.tell(tx, { kind: 'catalog-import', subject: id, value, byId })
      order.insert(tx, { id, stamp, at: clock.now(), byId, value, lost: 0 })
      rows.clearLost(tx)
      rows.forget(tx)
      // A profile that others took over before: what was said since counts.
      if (compareStamps(order.sinceOf(edition), stamp) < 0) items.lookAgain(tx, edition.id)
      transact.afterCommit(announce)
    },
    record(tx: Tx, taken: StoreImport): void {
      record(tx, taken, order.unknownTo(taken, lane, sinceInUse()))
    },
    /** The catalog that counts in the store, as far as is known here; null: the one that the lane began with. */
    winner: order.winner,
    /** Told after a commit that another catalog may count. */
    onChange(listener: () => void): void {
      listeners.push(listener)
    },
  }
}

export interface OpenSharedOptions extends Omit<SharedCatalogOptions, 'rows' | 'order'> {
  readonly db: Database
  readonly lane: string
}

export type Shared = ReturnType<typeof openShared>

/** What the lanes of a store have of their catalog in common. */
export function openShared({ db, lane, ...options }: OpenSharedOptions) {
  const rows = createSharedRows(db)
  const order = createImportOrder(db)
  const items = createSharedCatalog({ ...options, rows, order })
  const imports = createSharedImports({ ...options, lane, rows, order, items })
  const { changes } = options
  /** False: the lane was always alone. */
  const isOfStore = (): boolean => changes.idSuffix() !== ''
  return { rows, order, items, imports, changes, isOfStore, lane, terminal: db.name }
}
