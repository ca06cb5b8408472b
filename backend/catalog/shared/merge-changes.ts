import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { Tx } from '../../core/db/transact.ts'
import { compareStamps, type Stamp } from '../../store/changes.sql.ts'
import { barcodeKey } from '../editions/search-terms.ts'
import type { CatalogChange, EditionRows } from '../editions/edition-rows.ts'
import { type ItemState, type SharedRows, edited, editsBetween, withChanges } from './rows.ts'

export const NEVER: Stamp = { clock: 0, lane: '' }

export interface Place {
  readonly edition: string
  readonly file: EditionRows
  readonly since: Stamp
  /** Whether the edition is in use: only then are lost barcodes recorded. */
  readonly isSold: boolean
}

export interface LosesBarcode {
  readonly item: Item
  readonly barcode: string
  readonly to: string
}

export interface MergedChanges {
  /** Edits in the order in which they must be applied. */
  readonly edits: readonly { readonly sku: string; readonly change: CatalogChange }[]
  readonly lost: readonly LosesBarcode[]
}

interface Work {
  readonly now: ItemState
  readonly wanted: ItemState
  readonly stamp: Stamp
}

const keyOf = (item: Item | null): string | null => (item?.barcode == null ? null : barcodeKey(item.barcode))

/**
 * Applies changes of items to an edition, and returns the edits for the caller to write. Of items with the same
 * barcode, the one that was changed last keeps it; the others are sold without a barcode, and get it back when it is
 * free. The result does not depend on the order in which changes arrive. The file must have every committed edit.
 */
export function mergeChanges(
  tx: Tx,
  rows: SharedRows,
  place: Place,
  skus: readonly string[],
  at: number,
): MergedChanges {
  const works = gather(tx, rows, place, skus)
  const owners = ownersOf(works)
  const lost: LosesBarcode[] = []
  const goals = new Map<string, ItemState>()
  for (const [sku, { wanted }] of works) {
    const owner = owners.get(keyOf(wanted.item) ?? '')
    const loses = owner !== undefined && owner !== sku
    goals.set(sku, loses && wanted.item ? { ...wanted, item: { ...wanted.item, barcode: null } } : wanted)
    if (place.isSold) noteLoss(tx, rows, lost, { sku, item: wanted.item, to: loses ? owner : null, at })
  }
  return { edits: editsFor(works, goals, at), lost }
}

function gather(tx: Tx, rows: SharedRows, place: Place, skus: readonly string[]): Map<string, Work> {
  const works = new Map<string, Work>()
  const checked = new Set<string>()
  const waiting = [...skus]
  for (let sku = waiting.pop(); sku !== undefined; sku = waiting.pop()) {
    if (works.has(sku)) continue
    const work = workOf(tx, rows, place, sku)
    works.set(sku, work)
    for (const key of [keyOf(work.now.item), keyOf(work.wanted.item)]) {
      if (key === null || checked.has(key)) continue
      checked.add(key)
      const holder = place.file.skuOf(key)
      waiting.push(
        ...rows.itemsWithBarcode(key),
        ...rows.baseItemsWithBarcode(place.edition, key),
        ...(holder ? [holder] : []),
      )
    }
  }
  return works
}

function workOf(tx: Tx, rows: SharedRows, { edition, file, since }: Place, sku: string): Work {
  const now: ItemState = { item: file.item(sku), planned: new Map(file.planned(sku)) }
  const known = rows.base(edition, sku)
  if (known === null) rows.setBase(tx, edition, sku, now, keyOf(now.item))
  const counts = ({ stamp }: { readonly stamp: Stamp }): boolean => compareStamps(stamp, since) > 0
  const said = rows.changedItem(sku)
  const counted = said !== null && counts(said) ? said : null
  const wanted = withChanges(known ?? now, counted, rows.prices(sku).filter(counts))
  return { now, wanted, stamp: counted?.stamp ?? NEVER }
}

/** Decides which item has each barcode: the one that was changed last; of unchanged ones the first by SKU. */
function ownersOf(works: ReadonlyMap<string, Work>): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [sku, { wanted, stamp }] of works) {
    const key = keyOf(wanted.item)
    if (key === null) continue
    const before = owners.get(key)
    const other = before === undefined ? undefined : works.get(before)
    const order = other ? compareStamps(stamp, other.stamp) : 1
    if (before === undefined || order > 0 || (order === 0 && sku < before)) owners.set(key, sku)
  }
  return owners
}

interface Decided {
  readonly sku: string
  readonly item: Item | null
  /** SKU of the item that has this item's barcode; null if this item has its own again. */
  readonly to: string | null
  readonly at: number
}

function noteLoss(tx: Tx, rows: SharedRows, lost: LosesBarcode[], { sku, item, to, at }: Decided): void {
  const before = rows.lostTo(sku)
  if (to === null || item === null || item.barcode === null) {
    if (before !== null) rows.dropLost(tx, sku)
  } else if (before !== to) {
    rows.setLost(tx, { sku, barcode: item.barcode, toSku: to, at })
    lost.push({ item, barcode: item.barcode, to })
  }
}

/** Orders the edits so that an item gives up a barcode before another one gets it. */
function editsFor(
  works: ReadonlyMap<string, Work>,
  goals: ReadonlyMap<string, ItemState>,
  at: number,
): MergedChanges['edits'] {
  const wantedKeys = new Set([...goals.values()].map(({ item }) => keyOf(item)))
  const edits: { sku: string; change: CatalogChange }[] = []
  const states = new Map<string, ItemState>()
  for (const [sku, { now }] of works) {
    states.set(sku, now)
    const key = keyOf(now.item)
    const goal = goals.get(sku)
    if (now.item === null || key === null || !goal || keyOf(goal.item) === key || !wantedKeys.has(key)) continue
    const change: CatalogChange =
      goal.item === null ? { kind: 'remove', sku } : { kind: 'put', item: { ...now.item, barcode: null } }
    edits.push({ sku, change })
    states.set(sku, edited(now, change, at))
  }
  for (const [sku, goal] of goals) {
    const current = states.get(sku)
    if (current) edits.push(...editsBetween(sku, current, goal, at).map((change) => ({ sku, change })))
  }
  return edits
}
