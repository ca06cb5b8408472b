import { CatalogImportChange } from '../../../contracts/store/changes.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { TakenChange } from '../../store/changes.ts'
import { type Stamp, compareStamps } from '../../store/changes.sql.ts'
import type { Edition } from '../editions/editions.sql.ts'
import type { StoreImport } from './import-order.ts'
import { NEVER } from './settle.ts'
import { createSharedCatalog, lookAgain } from './shared-catalog.ts'
import { type SharedParts, sharedPartsOf } from './shared-parts.ts'
import { type Ctx, perLane } from '../../core/context.ts'

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

/** Facts for the trail of an import that another lane has made. */
const detailOf = ({ stamp, value }: StoreImport, lost: readonly string[]) => ({
  items: value.items,
  lane: stamp.lane,
  ...(lost.length === 0 ? {} : { overruled: true, skus: lost.slice(0, MOST_NAMED).join(' ') }),
})

function record({ audit }: SharedParts, tx: Tx, taken: StoreImport, lost: readonly string[]): void {
  const { value, byId: actorId } = taken
  audit.record(tx, {
    kind: value.undone ? 'catalog-import-undone' : 'catalog-imported',
    actorId,
    subject: value.fileName,
    detail: detailOf(taken, lost),
  })
}

/** Nobody has to be told of it who sells by it already. */
function recordIfSold(shared: SharedParts, tx: Tx, taken: StoreImport, lost: readonly string[]): void {
  const inUse = shared.editions.inUse()
  if (inUse && shared.order.isOf(taken, shared.editions.byId(inUse.currentId))) record(shared, tx, taken, lost)
}

function sinceInUse({ editions, order }: SharedParts): Stamp {
  const inUse = editions.inUse()
  return inUse ? order.sinceOf(editions.byId(inUse.currentId)) : NEVER
}

function announceChange({ transact, listeners }: SharedParts): void {
  transact.afterCommit(() => {
    for (const listener of listeners) listener()
  })
}

function take(
  shared: SharedParts,
  tx: Tx,
  { subject: id, value, stamp, at, byId }: TakenChange<CatalogImportChange>,
): void {
  const { order } = shared
  const before = sinceInUse(shared)
  const lost = order.unknownTo({ stamp, value }, shared.changes.lane, before)
  const taken: StoreImport = { id, stamp, at, byId, value, lost: lost.length }
  order.insert(tx, taken)
  if (order.winner()?.id === id) recordIfSold(shared, tx, taken, lost)
  if (compareStamps(before, sinceInUse(shared)) !== 0) lookAgain(shared, tx)
  announceChange(shared)
}

/** An import that is made here: in its transaction, once its items stand in the database. */
function tell(shared: SharedParts, tx: Tx, { id, edition, byId, profileHash, undone }: NewImport): void {
  const { order, rows } = shared
  const value: CatalogImportChange = {
    fileName: edition.fileName,
    items: edition.items,
    hash: edition.sourceHash.toString('hex'),
    ...shared.editions.sourceSize(edition.id),
    profile: profileHash === null ? null : { hash: profileHash, generation: order.generationOf(profileHash) },
    undone,
    knew: order.knew(),
  }
  const stamp = shared.changes.tell(tx, { kind: 'catalog-import', subject: id, value, byId })
  order.insert(tx, { id, stamp, at: shared.clock.now(), byId, value, lost: 0 })
  rows.clearLost(tx)
  rows.forget(tx)
  // A profile that others took over before: what was said since counts.
  if (compareStamps(order.sinceOf(edition), stamp) < 0) lookAgain(shared, tx, edition.id)
  announceChange(shared)
}

/** Imports at any lane of the store: which one counts, and what this lane tells of its own. */
function createSharedImports(shared: SharedParts) {
  shared.changes.follow('catalog-import', CatalogImportChange, (tx, change) => {
    take(shared, tx, change)
  })
  return {
    tell: (tx: Tx, made: NewImport): void => {
      tell(shared, tx, made)
    },
    record(tx: Tx, taken: StoreImport): void {
      record(shared, tx, taken, shared.order.unknownTo(taken, shared.changes.lane, sinceInUse(shared)))
    },
    /** The catalog that counts in the store, as far as is known here; null: the one that the lane began with. */
    winner: shared.order.winner,
    /** Told after a commit that another catalog may count. */
    onChange(listener: () => void): void {
      shared.listeners.push(listener)
    },
  }
}

export type Shared = ReturnType<typeof openShared>

/** What the lanes of a store have of their catalog in common. */
function openShared(ctx: Ctx) {
  const shared = sharedPartsOf(ctx)
  const items = createSharedCatalog(shared)
  const imports = createSharedImports(shared)
  /** False: the lane was always alone. */
  const isOfStore = (): boolean => shared.changes.idSuffix() !== ''
  const { rows, order, changes } = shared
  return { rows, order, items, imports, changes, isOfStore, lane: changes.lane, terminal: ctx.db.name }
}

export const sharedOf = perLane(openShared)
