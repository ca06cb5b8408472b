import { type Clock, isoOf } from '../../core/clock.ts'
import { cents } from '../../../contracts/core/money.ts'
import { CatalogItemChange, PlannedPriceChange, plannedSubject } from '../../../contracts/store/changes.ts'
import type { Transact, Tx } from '../../core/db/transact.ts'
import type { Logger } from '../../core/log.ts'
import type { Changes, TakenChange } from '../../store/changes.ts'
import { compareStamps } from '../../store/changes.sql.ts'
import type { AuditTrail } from '../../core/audit.ts'
import { barcodeKey } from '../editions/search-terms.ts'
import type { CatalogChange } from '../editions/edition-rows.ts'
import type { EditionsRepository } from '../editions/editions.sql.ts'
import type { LiveEdition } from '../editions/live-edition.ts'
import type { ImportOrder } from './import-order.ts'
import type { SharedRows } from './rows.ts'
import { type Place, settle } from './settle.ts'

export interface SharedCatalogOptions {
  readonly transact: Transact
  readonly audit: AuditTrail
  readonly clock: Clock
  readonly changes: Changes
  readonly live: LiveEdition
  readonly editions: EditionsRepository
  readonly order: ImportOrder
  readonly rows: SharedRows
  /** What is sold may be another than before. */
  readonly announce: () => void
  readonly log: Pick<Logger, 'warn'>
}

/** When it is tried again what could not be done: on a full disk. */
const AGAIN_MS = 5_000

export type SharedCatalog = ReturnType<typeof createSharedCatalog>

/** Items and planned prices that are changed at any lane of the store, over the catalog that this lane sells from. */
export function createSharedCatalog(options: SharedCatalogOptions) {
  const { transact, audit, clock, changes, live, editions, order, rows, announce, log } = options
  let stopWaiting: (() => void) | null = null
  let isAsked = false
  /** Something was said since a manager's page was told last. */
  let isNews = false
  let isClosed = false
  const slices = createSlices(clock)
  /** Who hears of every item that is said anew. */
  const watchers = new Set<(sku: string) => void>()

  function place(): Place {
    if (live.id === null) throw new Error('there is no catalog yet')
    return { edition: live.id, file: live.rows, since: order.sinceOf(editions.byId(live.id)), isSold: true }
  }

  /**
   * Writes the edits that put what was said of these items over an edition; false: nothing is another than before.
   * `byId`: of what nobody has changed.
   */
  function put(tx: Tx, over: Place, skus: readonly string[], byId: string | null): boolean {
    const at = clock.now()
    const { edits, lost } = settle(tx, rows, over, skus, at)
    for (const { sku, change } of edits)
      editions.insertChange(tx, over.edition, at, rows.changedBy(sku) ?? byId ?? editions.anybody(), change)
    for (const { item, barcode, to } of lost)
      audit.record(tx, {
        kind: 'catalog-barcode-lost',
        actorId: null,
        subject: item.sku,
        detail: { barcode, to },
      })
    return edits.length > 0 || lost.length > 0
  }

  function said(sku: string): void {
    for (const watcher of watchers) watcher(sku)
  }

  function tellPrice(tx: Tx, byId: string, value: PlannedPriceChange): void {
    changes.tell(tx, { kind: 'planned-price', subject: plannedSubject(value), value, byId })
  }

  function tellItem(tx: Tx, byId: string, sku: string, value: CatalogItemChange): void {
    const stamp = changes.tell(tx, { kind: 'catalog-item', subject: sku, value, byId })
    rows.claim(tx, sku, stamp, keyOf(value))
  }

  function tell(tx: Tx, byId: string, change: CatalogChange): string {
    switch (change.kind) {
      case 'put':
        tellItem(tx, byId, change.item.sku, { item: change.item })
        return change.item.sku
      case 'remove': {
        const { sku } = change
        // Whoever adds it again elsewhere adds no price that was to come.
        for (const [fromAt] of live.rows.planned(sku))
          if (fromAt > clock.now()) tellPrice(tx, byId, { sku, fromAt, priceCents: null })
        tellItem(tx, byId, sku, { item: null })
        return sku
      }
      case 'plan':
      case 'cancel-plan': {
        const { sku, fromAt } = change
        tellPrice(tx, byId, { sku, fromAt, priceCents: change.kind === 'plan' ? change.priceCents : null })
        return sku
      }
    }
  }

  /** Whether what was said counts in the catalog that is sold from: not, where that came later. */
  const counts = ({ stamp }: Pick<TakenChange<unknown>, 'stamp'>): boolean =>
    live.id !== null && compareStamps(stamp, place().since) > 0

  function takeItem(tx: Tx, taken: TakenChange<CatalogItemChange>): void {
    const { subject: sku, value, stamp, byId: actorId, detail } = taken
    if (value.item && value.item.sku !== sku) throw new Error('it is about another item')
    rows.claim(tx, sku, stamp, keyOf(value))
    if (counts(taken)) {
      const [before, after] = [live.items.findBySku(sku) ?? null, value.item]
      const kind =
        after === null ? 'catalog-item-removed' : before === null ? 'catalog-item-added' : 'catalog-item-changed'
      const both = { before: before && JSON.stringify(before), after: after && JSON.stringify(after) }
      audit.record(tx, { kind, actorId, subject: sku, detail: { ...both, ...detail } })
    }
    takeOver(tx, sku)
  }

  function takePrice(tx: Tx, taken: TakenChange<PlannedPriceChange>): void {
    const { value, byId: actorId, detail } = taken
    const { sku, fromAt, priceCents } = value
    if (plannedSubject(value) !== taken.subject) throw new Error('it is about another price')
    if (counts(taken)) {
      const before = live.rows.planned(sku).find(([at]) => at === fromAt)?.[1] ?? null
      const from = isoOf(fromAt)
      if (priceCents !== null) {
        const now = live.items.findBySku(sku)?.priceCents ?? null
        const both = { beforeCents: before === null ? now : cents(before), afterCents: priceCents }
        audit.record(tx, { kind: 'catalog-price-planned', actorId, subject: sku, detail: { ...both, from, ...detail } })
      } else if (before !== null) {
        const gone = { amountCents: cents(before), from }
        audit.record(tx, { kind: 'catalog-price-cancelled', actorId, subject: sku, detail: { ...gone, ...detail } })
      }
    }
    takeOver(tx, sku)
  }

  function takeOver(tx: Tx, sku: string): void {
    rows.setDue(tx, [sku])
    transact.afterCommit(() => {
      isNews = true
      said(sku)
      soon()
    })
  }

  function soon(): void {
    if (isAsked || isClosed) return
    isAsked = true
    setImmediate(work)
  }

  function putDue(skus: readonly string[]): void {
    transact((tx) => {
      const isOther = put(tx, place(), skus, null)
      rows.clearDue(tx, skus)
      transact.afterCommit(() => {
        if (isOther) live.follow()
        if (isOther || isNews) announce()
        isNews = false
      })
    })
  }

  /** Puts the next items over the catalog; sales and whatever else waits come between. */
  function work(): void {
    isAsked = false
    if (isClosed || live.id === null) return
    try {
      const skus = rows.due(slices.size())
      if (skus.length === 0) return
      if (!live.isWhole()) throw new Error('the file of the catalog lacks a change')
      slices.run(skus.length, () => putDue(skus))
      soon()
    } catch (error) {
      log.warn({ err: error }, 'changes of the catalog could not be taken over yet')
      stopWaiting?.()
      stopWaiting = clock.after(AGAIN_MS, soon)
    }
  }

  changes.follow('catalog-item', CatalogItemChange, takeItem)
  changes.follow('planned-price', PlannedPriceChange, takePrice)

  return {
    /** An edit that is made here: the other lanes hear of it. What follows of it is written for this lane. */
    change(tx: Tx, byId: string, change: CatalogChange): void {
      const sku = tell(tx, byId, change)
      put(tx, place(), [sku], byId)
      transact.afterCommit(() => {
        said(sku)
      })
    },
    put,
    place,
    /** Another catalog counts, or from another moment: each item of which anything was said is looked at again. */
    lookAgain(tx: Tx, edition = live.id): void {
      if (edition === null) return
      rows.setDue(tx, rows.touched(edition))
      transact.afterCommit(soon)
    },
    /** Told of each item that is said anew, until it is called off. */
    watch(watcher: (sku: string) => void): () => void {
      watchers.add(watcher)
      return () => {
        watchers.delete(watcher)
      }
    },
    /** What a crash has left to do. */
    start: soon,
    close(): void {
      isClosed = true
      stopWaiting?.()
    },
  }
}

const keyOf = ({ item }: CatalogItemChange): string | null => (item?.barcode == null ? null : barcodeKey(item.barcode))

/** What a slice is to take, in milliseconds: a scan that comes right behind its start waits so long. */
const AIM_MS = 8
const LEAST = 10
/** Items that stand as they should take a hundredth of those that do not, and the next slice may have only such. */
const ROWS_AT_ONCE = 100

/** How many items are put over the catalog in one commit: as many as the last one shows to fit, and no scan notices. */
export function createSlices({ monotonic }: Pick<Clock, 'monotonic'>) {
  let size = LEAST
  return {
    size: (): number => size,
    /** Does the work of so many items, and sizes the next slice by it; at least after work that throws. */
    run(count: number, work: () => void): void {
      size = LEAST
      const from = monotonic()
      work()
      const fits = (count * AIM_MS) / (monotonic() - from)
      size = Math.min(ROWS_AT_ONCE, Math.max(LEAST, Math.floor(Math.min(2 * count, fits))))
    },
  }
}
