import { isoOf } from '../../core/clock.ts'
import { bound } from '../../core/context.ts'
import { cents } from '../../../contracts/core/money.ts'
import { CatalogItemChange, PlannedPriceChange, plannedSubject } from '../../../contracts/store/changes.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { TakenChange } from '../../store/changes.ts'
import { compareStamps } from '../../store/changes.sql.ts'
import type { CatalogChange } from '../editions/edition-rows.ts'
import { type Place, mergeChanges } from './merge-changes.ts'
import type { SharedState } from './shared-state.ts'

/** Interval in ms at which changes are tried again after an error, such as a full disk. */
const AGAIN_MS = 5_000

function place(shared: SharedState): Place {
  if (shared.live.id === null) throw new Error('the lane has no catalog yet')
  return {
    edition: shared.live.id,
    file: shared.live.rows,
    since: shared.order.sinceOf(shared.editions.byId(shared.live.id)),
    isSold: true,
  }
}

/**
 * Writes the edits that apply the changes of these items to an edition; returns false if there is nothing to change.
 * `byId` is recorded for items that no person changed.
 */
function applyChanges(shared: SharedState, tx: Tx, over: Place, skus: readonly string[], byId: string | null): boolean {
  const at = shared.clock.now()
  const { edits, lost } = mergeChanges(tx, shared.rows, over, skus, at)
  for (const { sku, change } of edits)
    shared.editions.insertChange(
      tx,
      over.edition,
      at,
      shared.rows.changedBy(sku) ?? byId ?? shared.editions.fallbackPerson(),
      change,
    )
  for (const { item, barcode, to } of lost)
    shared.audit.record(tx, {
      kind: 'catalog-barcode-lost',
      actorId: null,
      subject: item.sku,
      detail: { barcode, to },
    })
  return edits.length > 0 || lost.length > 0
}

function stampOf(shared: SharedState, sku: string): void {
  for (const watcher of shared.watchers) watcher(sku)
}

function sendPrice(shared: SharedState, tx: Tx, byId: string, value: PlannedPriceChange): void {
  shared.changes.recordLocal(tx, { kind: 'planned-price', subject: plannedSubject(value), value, byId })
}

function sendItem(shared: SharedState, tx: Tx, byId: string, sku: string, value: CatalogItemChange): void {
  const stamp = shared.changes.recordLocal(tx, { kind: 'catalog-item', subject: sku, value, byId })
  shared.rows.setCodes(tx, sku, stamp, value.item)
}

function sendEdit(shared: SharedState, tx: Tx, byId: string, change: CatalogChange): string {
  switch (change.kind) {
    case 'put':
      sendItem(shared, tx, byId, change.item.sku, { item: change.item })
      return change.item.sku
    case 'remove': {
      const { sku } = change
      // Planned prices of a removed item are cancelled: otherwise they would return when another lane adds the item
      // again.
      for (const [fromAt] of shared.live.rows.planned(sku))
        if (fromAt > shared.clock.now()) sendPrice(shared, tx, byId, { sku, fromAt, priceCents: null })
      sendItem(shared, tx, byId, sku, { item: null })
      return sku
    }
    case 'plan':
    case 'cancel-plan': {
      const { sku, fromAt } = change
      sendPrice(shared, tx, byId, { sku, fromAt, priceCents: change.kind === 'plan' ? change.priceCents : null })
      return sku
    }
  }
}

const counts = (shared: SharedState, { stamp }: Pick<TakenChange<unknown>, 'stamp'>): boolean =>
  shared.live.id !== null && compareStamps(stamp, place(shared).since) > 0

function takeItem(shared: SharedState, tx: Tx, taken: TakenChange<CatalogItemChange>): void {
  const { subject: sku, value, stamp, byId: actorId, detail } = taken
  if (value.item && value.item.sku !== sku) throw new Error('the change is of another item')
  shared.rows.setCodes(tx, sku, stamp, value.item)
  if (counts(shared, taken)) {
    const [before, after] = [shared.live.items.findBySku(sku) ?? null, value.item]
    const kind =
      after === null ? 'catalog-item-removed' : before === null ? 'catalog-item-added' : 'catalog-item-changed'
    const both = { before: before && JSON.stringify(before), after: after && JSON.stringify(after) }
    shared.audit.record(tx, { kind, actorId, subject: sku, detail: { ...both, ...detail } })
  }
  takeOver(shared, tx, sku)
}

function takePrice(shared: SharedState, tx: Tx, taken: TakenChange<PlannedPriceChange>): void {
  const { value, byId: actorId, detail } = taken
  const { sku, fromAt, priceCents } = value
  if (plannedSubject(value) !== taken.subject) throw new Error('the change is of another price')
  if (counts(shared, taken)) {
    const before = shared.live.rows.planned(sku).find(([at]) => at === fromAt)?.[1] ?? null
    const from = isoOf(fromAt)
    if (priceCents !== null) {
      const now = shared.live.items.findBySku(sku)?.priceCents ?? null
      const both = { beforeCents: before === null ? now : cents(before), afterCents: priceCents }
      shared.audit.record(tx, {
        kind: 'catalog-price-planned',
        actorId,
        subject: sku,
        detail: { ...both, from, ...detail },
      })
    } else if (before !== null) {
      const gone = { amountCents: cents(before), from }
      shared.audit.record(tx, {
        kind: 'catalog-price-cancelled',
        actorId,
        subject: sku,
        detail: { ...gone, ...detail },
      })
    }
  }
  takeOver(shared, tx, sku)
}

function takeOver(shared: SharedState, tx: Tx, sku: string): void {
  shared.rows.setDue(tx, [sku])
  shared.transact.afterCommit(() => {
    shared.state.hasUnseenChange = true
    stampOf(shared, sku)
    soon(shared)
  })
}

function soon(shared: SharedState): void {
  if (shared.state.isAsked || shared.state.isClosed) return
  shared.state.isAsked = true
  setImmediate(work, shared)
}

function applyDue(shared: SharedState, skus: readonly string[]): void {
  shared.transact((tx) => {
    const isOther = applyChanges(shared, tx, place(shared), skus, null)
    shared.rows.clearDue(tx, skus)
    shared.transact.afterCommit(() => {
      if (isOther) shared.live.follow()
      if (isOther || shared.state.hasUnseenChange) shared.live.announce()
      shared.state.hasUnseenChange = false
    })
  })
}

/** Applies the changes of the next few items. Between two calls the lane can sell and do other work. */
function work(shared: SharedState): void {
  shared.state.isAsked = false
  if (shared.state.isClosed || shared.live.id === null) return
  try {
    const skus = shared.rows.due(shared.slices.size())
    if (skus.length === 0) return
    if (!shared.live.isWhole()) throw new Error('the file of the catalog lacks a change')
    shared.slices.run(skus.length, () => applyDue(shared, skus))
    soon(shared)
  } catch (error) {
    shared.log.warn({ err: error }, 'changes of the catalog could not be applied yet')
    shared.state.stopWaiting?.()
    shared.state.stopWaiting = shared.clock.after(AGAIN_MS, () => {
      soon(shared)
    })
  }
}

/**
 * Sends an edit of this lane to the other lanes. Every lane makes the resulting edits itself, such as the one for a
 * lost barcode.
 */
function change(shared: SharedState, tx: Tx, byId: string, edit: CatalogChange): void {
  const sku = sendEdit(shared, tx, byId, edit)
  applyChanges(shared, tx, place(shared), [sku], byId)
  shared.transact.afterCommit(() => {
    stampOf(shared, sku)
  })
}

/**
 * Schedules all changed items to be checked again, because another import counts now, or because the stamp from which
 * changes count is another one.
 */
export function scheduleAll(shared: SharedState, tx: Tx, edition = shared.live.id): void {
  if (edition === null) return
  shared.rows.setDue(tx, shared.rows.touched(edition))
  shared.transact.afterCommit(() => {
    soon(shared)
  })
}

function watch({ watchers }: SharedState, watcher: (sku: string) => void): () => void {
  watchers.add(watcher)
  return () => {
    watchers.delete(watcher)
  }
}

function close({ state }: SharedState): void {
  state.isClosed = true
  state.stopWaiting?.()
}

/** Applies changes of items and prices, made at any lane of the store, to the catalog in use. */
export function createSharedCatalog(shared: SharedState) {
  shared.changes.follow('catalog-item', CatalogItemChange, (tx, taken) => {
    takeItem(shared, tx, taken)
  })
  shared.changes.follow('planned-price', PlannedPriceChange, (tx, taken) => {
    takePrice(shared, tx, taken)
  })
  // `start` continues with changes that a crash interrupted.
  return bound(shared, { change, applyChanges: applyChanges, scheduleAll: scheduleAll, watch, start: soon, close })
}
