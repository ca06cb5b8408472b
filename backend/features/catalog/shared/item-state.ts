import type { Item } from '../../../../contracts/api/catalog.ts'
import { comparableItem } from '../comparable-item.ts'
import type { CatalogChange } from '../changes.ts'
import { compareStamps, type Stamp } from '../../../store/changes/order.ts'
import { cents } from '../../../../contracts/money.ts'

/** How an item stands: as it is stored, and its price from each moment on (epoch ms to cents), begun or not. */
export interface ItemState {
  /** Null: it is not sold. */
  readonly item: Item | null
  readonly planned: ReadonlyMap<number, number>
}

/** What was said of an item as a whole; null in it: taken out. */
export interface SaidItem {
  readonly stamp: Stamp
  readonly item: Item | null
}
/** What was said of its price from a moment on; null: it does not come. */
export interface SaidPrice {
  readonly stamp: Stamp
  readonly fromAt: number
  readonly priceCents: number | null
}

/**
 * How an item stands once what was said of it is put over the catalog: whatever order it was heard in. An item that is
 * said anew ends the prices that had begun by then; one that is taken out has none.
 */
export function overlaid(base: ItemState, said: SaidItem | null, prices: readonly SaidPrice[]): ItemState {
  const item = said === null ? base.item : said.item
  if (item === null) return { item, planned: new Map() }
  const ends = (fromAt: number, stamp: Stamp | null): boolean =>
    said !== null && fromAt <= said.stamp.clock && (stamp === null || compareStamps(stamp, said.stamp) < 0)
  const planned = new Map([...base.planned].filter(([fromAt]) => !ends(fromAt, null)))
  for (const { stamp, fromAt, priceCents } of prices)
    if (priceCents === null || ends(fromAt, stamp)) planned.delete(fromAt)
    else planned.set(fromAt, priceCents)
  return { item, planned }
}

/** What an edit that is made at `at` makes of an item: as its file does it (`applyChanges`). */
export function edited({ item, planned }: ItemState, change: CatalogChange, at: number): ItemState {
  switch (change.kind) {
    case 'put':
      return { item: change.item, planned: new Map([...planned].filter(([fromAt]) => fromAt > at)) }
    case 'remove':
      return { item: null, planned: new Map() }
    case 'plan':
      return { item, planned: new Map([...planned, [change.fromAt, change.priceCents]]) }
    case 'cancel-plan':
      return { item, planned: new Map([...planned].filter(([fromAt]) => fromAt !== change.fromAt)) }
  }
}

export const isSameItem = (one: Item | null, other: Item | null): boolean =>
  one === null || other === null ? one === other : comparableItem(one) === comparableItem(other)

/** The edits that make one state of an item of another, made at `at`. */
export function editsBetween(sku: string, before: ItemState, after: ItemState, at: number): CatalogChange[] {
  if (after.item === null) return before.item === null ? [] : [{ kind: 'remove', sku }]
  const edits: CatalogChange[] = []
  let now = before
  if (!isSameItem(before.item, after.item)) {
    const put: CatalogChange = { kind: 'put', item: after.item }
    edits.push(put)
    now = edited(now, put, at)
  }
  for (const fromAt of now.planned.keys())
    if (!after.planned.has(fromAt)) edits.push({ kind: 'cancel-plan', sku, fromAt })
  for (const [fromAt, price] of after.planned)
    if (now.planned.get(fromAt) !== price) edits.push({ kind: 'plan', sku, fromAt, priceCents: cents(price) })
  return edits
}
