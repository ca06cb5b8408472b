import { CatalogImportChange } from '../../../contracts/store/changes.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { TakenChange } from '../../store/changes.ts'
import { type Stamp, compareStamps } from '../../store/changes.sql.ts'
import type { Edition } from '../editions/editions.sql.ts'
import type { StoreImport } from './import-order.ts'
import { NEVER } from './merge-changes.ts'
import { createSharedCatalog, scheduleAll } from './shared-catalog.ts'
import { type SharedState, sharedStateOf } from './shared-state.ts'
import { type Ctx, perLane } from '../../core/context.ts'

export interface NewImport {
  readonly id: string
  readonly edition: Edition
  readonly byId: string | null
  /** SHA-256 of the profile’s catalog file if that was imported; otherwise null. */
  readonly profileHash: string | null
  readonly undone: boolean
}

/** Maximum number of items that the audit trail names for an import, because it replaced their changes. */
const MAX_NAMED = 20

const detailOf = ({ stamp, value }: StoreImport, lost: readonly string[]) => ({
  items: value.items,
  lane: stamp.lane,
  ...(lost.length === 0 ? {} : { overruled: true, skus: lost.slice(0, MAX_NAMED).join(' ') }),
})

function record({ audit }: SharedState, tx: Tx, taken: StoreImport, lost: readonly string[]): void {
  const { value, byId: actorId } = taken
  audit.record(tx, {
    kind: value.undone ? 'catalog-import-undone' : 'catalog-imported',
    actorId,
    subject: value.fileName,
    detail: detailOf(taken, lost),
  })
}

function recordIfSold(shared: SharedState, tx: Tx, taken: StoreImport, lost: readonly string[]): void {
  const inUse = shared.editions.inUse()
  if (inUse && shared.order.isOf(taken, shared.editions.byId(inUse.currentId))) record(shared, tx, taken, lost)
}

function stampInUse({ editions, order }: SharedState): Stamp {
  const inUse = editions.inUse()
  return inUse ? order.sinceOf(editions.byId(inUse.currentId)) : NEVER
}

function announceChange({ transact, listeners }: SharedState): void {
  transact.afterCommit(() => {
    for (const listener of listeners) listener()
  })
}

function take(
  shared: SharedState,
  tx: Tx,
  { subject: id, value, stamp, at, byId }: TakenChange<CatalogImportChange>,
): void {
  const { order } = shared
  const before = stampInUse(shared)
  const lost = order.unknownTo({ stamp, value }, shared.changes.lane, before)
  const taken: StoreImport = { id, stamp, at, byId, value, lost: lost.length }
  order.insert(tx, taken)
  if (order.winner()?.id === id) recordIfSold(shared, tx, taken, lost)
  if (compareStamps(before, stampInUse(shared)) !== 0) scheduleAll(shared, tx)
  announceChange(shared)
}

/** Sends an import of this lane to the other lanes, in its transaction. Its items must be in the database. */
function sendImport(shared: SharedState, tx: Tx, { id, edition, byId, profileHash, undone }: NewImport): void {
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
  const stamp = shared.changes.recordLocal(tx, { kind: 'catalog-import', subject: id, value, byId })
  order.insert(tx, { id, stamp, at: shared.clock.now(), byId, value, lost: 0 })
  rows.clearLost(tx)
  rows.forget(tx)
  // Other lanes applied this profile before, so changes made since then count and must be checked.
  if (compareStamps(order.sinceOf(edition), stamp) < 0) scheduleAll(shared, tx, edition.id)
  announceChange(shared)
}

/** Imports of the catalog at all lanes of the store: decides which one counts, and sends those of this lane. */
function createSharedImports(shared: SharedState) {
  shared.changes.follow('catalog-import', CatalogImportChange, (tx, change) => {
    take(shared, tx, change)
  })
  return {
    send: (tx: Tx, made: NewImport): void => {
      sendImport(shared, tx, made)
    },
    record(tx: Tx, taken: StoreImport): void {
      record(shared, tx, taken, shared.order.unknownTo(taken, shared.changes.lane, stampInUse(shared)))
    },
    /** The import that counts in the store, as known here; null if only the lane's initial catalog is known. */
    winner: shared.order.winner,
    onChange(listener: () => void): void {
      shared.listeners.push(listener)
    },
  }
}

export type Shared = ReturnType<typeof openShared>

function openShared(ctx: Ctx) {
  const shared = sharedStateOf(ctx)
  const items = createSharedCatalog(shared)
  const imports = createSharedImports(shared)
  const isOfStore = (): boolean => shared.changes.idSuffix() !== ''
  const { rows, order, changes } = shared
  return { rows, order, items, imports, changes, isOfStore, lane: changes.lane, terminal: ctx.db.name }
}

export const sharedOf = perLane(openShared)
