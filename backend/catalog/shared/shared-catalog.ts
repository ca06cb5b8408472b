import { isoOf } from '../../core/clock.ts'
import { bound } from '../../core/context.ts'
import { cents } from '../../../contracts/core/money.ts'
import { CatalogItemChange, PlannedPriceChange, plannedSubject } from '../../../contracts/store/changes.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { TakenChange } from '../../store/changes.ts'
import { compareStamps } from '../../store/changes.sql.ts'
import { barcodeKey } from '../editions/search-terms.ts'
import type { CatalogChange } from '../editions/edition-rows.ts'
import { type Place, settle } from './settle.ts'
import type { SharedParts } from './shared-parts.ts'

/** When it is tried again what could not be done: on a full disk. */
const AGAIN_MS = 5_000

const keyOf = ({ item }: CatalogItemChange): string | null => (item?.barcode == null ? null : barcodeKey(item.barcode))

function place(shared: SharedParts): Place {
  if (shared.live.id === null) throw new Error('there is no catalog yet')
  return {
    edition: shared.live.id,
    file: shared.live.rows,
    since: shared.order.sinceOf(shared.editions.byId(shared.live.id)),
    isSold: true,
  }
}

/**
 * Writes the edits that put what was said of these items over an edition; false: nothing is another than before.
 * `byId`: of what nobody has changed.
 */
function put(shared: SharedParts, tx: Tx, over: Place, skus: readonly string[], byId: string | null): boolean {
  const at = shared.clock.now()
  const { edits, lost } = settle(tx, shared.rows, over, skus, at)
  for (const { sku, change } of edits)
    shared.editions.insertChange(
      tx,
      over.edition,
      at,
      shared.rows.changedBy(sku) ?? byId ?? shared.editions.anybody(),
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

function said(shared: SharedParts, sku: string): void {
  for (const watcher of shared.watchers) watcher(sku)
}

function tellPrice(shared: SharedParts, tx: Tx, byId: string, value: PlannedPriceChange): void {
  shared.changes.tell(tx, { kind: 'planned-price', subject: plannedSubject(value), value, byId })
}

function tellItem(shared: SharedParts, tx: Tx, byId: string, sku: string, value: CatalogItemChange): void {
  const stamp = shared.changes.tell(tx, { kind: 'catalog-item', subject: sku, value, byId })
  shared.rows.claim(tx, sku, stamp, keyOf(value))
}

function tell(shared: SharedParts, tx: Tx, byId: string, change: CatalogChange): string {
  switch (change.kind) {
    case 'put':
      tellItem(shared, tx, byId, change.item.sku, { item: change.item })
      return change.item.sku
    case 'remove': {
      const { sku } = change
      // Whoever adds it again elsewhere adds no price that was to come.
      for (const [fromAt] of shared.live.rows.planned(sku))
        if (fromAt > shared.clock.now()) tellPrice(shared, tx, byId, { sku, fromAt, priceCents: null })
      tellItem(shared, tx, byId, sku, { item: null })
      return sku
    }
    case 'plan':
    case 'cancel-plan': {
      const { sku, fromAt } = change
      tellPrice(shared, tx, byId, { sku, fromAt, priceCents: change.kind === 'plan' ? change.priceCents : null })
      return sku
    }
  }
}

/** Whether what was said counts in the catalog that is sold from: not, where that came later. */
const counts = (shared: SharedParts, { stamp }: Pick<TakenChange<unknown>, 'stamp'>): boolean =>
  shared.live.id !== null && compareStamps(stamp, place(shared).since) > 0

function takeItem(shared: SharedParts, tx: Tx, taken: TakenChange<CatalogItemChange>): void {
  const { subject: sku, value, stamp, byId: actorId, detail } = taken
  if (value.item && value.item.sku !== sku) throw new Error('it is about another item')
  shared.rows.claim(tx, sku, stamp, keyOf(value))
  if (counts(shared, taken)) {
    const [before, after] = [shared.live.items.findBySku(sku) ?? null, value.item]
    const kind =
      after === null ? 'catalog-item-removed' : before === null ? 'catalog-item-added' : 'catalog-item-changed'
    const both = { before: before && JSON.stringify(before), after: after && JSON.stringify(after) }
    shared.audit.record(tx, { kind, actorId, subject: sku, detail: { ...both, ...detail } })
  }
  takeOver(shared, tx, sku)
}

function takePrice(shared: SharedParts, tx: Tx, taken: TakenChange<PlannedPriceChange>): void {
  const { value, byId: actorId, detail } = taken
  const { sku, fromAt, priceCents } = value
  if (plannedSubject(value) !== taken.subject) throw new Error('it is about another price')
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

function takeOver(shared: SharedParts, tx: Tx, sku: string): void {
  shared.rows.setDue(tx, [sku])
  shared.transact.afterCommit(() => {
    shared.state.isNews = true
    said(shared, sku)
    soon(shared)
  })
}

function soon(shared: SharedParts): void {
  if (shared.state.isAsked || shared.state.isClosed) return
  shared.state.isAsked = true
  setImmediate(work, shared)
}

function putDue(shared: SharedParts, skus: readonly string[]): void {
  shared.transact((tx) => {
    const isOther = put(shared, tx, place(shared), skus, null)
    shared.rows.clearDue(tx, skus)
    shared.transact.afterCommit(() => {
      if (isOther) shared.live.follow()
      if (isOther || shared.state.isNews) shared.live.announce()
      shared.state.isNews = false
    })
  })
}

/** Puts the next items over the catalog; sales and whatever else waits come between. */
function work(shared: SharedParts): void {
  shared.state.isAsked = false
  if (shared.state.isClosed || shared.live.id === null) return
  try {
    const skus = shared.rows.due(shared.slices.size())
    if (skus.length === 0) return
    if (!shared.live.isWhole()) throw new Error('the file of the catalog lacks a change')
    shared.slices.run(skus.length, () => putDue(shared, skus))
    soon(shared)
  } catch (error) {
    shared.log.warn({ err: error }, 'changes of the catalog could not be taken over yet')
    shared.state.stopWaiting?.()
    shared.state.stopWaiting = shared.clock.after(AGAIN_MS, () => {
      soon(shared)
    })
  }
}

/** An edit that is made here: the other lanes hear of it. What follows of it is written for this lane. */
function change(shared: SharedParts, tx: Tx, byId: string, edit: CatalogChange): void {
  const sku = tell(shared, tx, byId, edit)
  put(shared, tx, place(shared), [sku], byId)
  shared.transact.afterCommit(() => {
    said(shared, sku)
  })
}

/** Another catalog counts, or from another moment: each item of which anything was said is looked at again. */
export function lookAgain(shared: SharedParts, tx: Tx, edition = shared.live.id): void {
  if (edition === null) return
  shared.rows.setDue(tx, shared.rows.touched(edition))
  shared.transact.afterCommit(() => {
    soon(shared)
  })
}

/** Calls the watcher with each item that is said anew, until it is called off. */
function watch({ watchers }: SharedParts, watcher: (sku: string) => void): () => void {
  watchers.add(watcher)
  return () => {
    watchers.delete(watcher)
  }
}

function close({ state }: SharedParts): void {
  state.isClosed = true
  state.stopWaiting?.()
}

/** Items and planned prices that are changed at any lane of the store, over the catalog that this lane sells from. */
export function createSharedCatalog(shared: SharedParts) {
  shared.changes.follow('catalog-item', CatalogItemChange, (tx, taken) => {
    takeItem(shared, tx, taken)
  })
  shared.changes.follow('planned-price', PlannedPriceChange, (tx, taken) => {
    takePrice(shared, tx, taken)
  })
  // `start` does what a crash has left to do.
  return bound(shared, { change, put, lookAgain, watch, start: soon, close })
}
