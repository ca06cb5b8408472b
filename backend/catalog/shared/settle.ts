import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { Tx } from '../../core/db/transact.ts'
import { compareStamps, type Stamp } from '../../store/changes.sql.ts'
import { barcodeKey } from '../editions/search-terms.ts'
import type { CatalogChange, EditionRows } from '../editions/edition-rows.ts'
import { type ItemState, type SharedRows, edited, editsBetween, overlaid } from './rows.ts'

/** Before everything that was ever said. */
export const NEVER: Stamp = { clock: 0, lane: '' }

/** The edition that changes are put over. */
export interface Place {
  readonly edition: string
  readonly file: EditionRows
  /** What was said up to then is in it, or counts no more. */
  readonly since: Stamp
  /** Whether it is the one that is sold from: of that it is noted who is without a barcode. */
  readonly isSold: boolean
}

/** Items that come to be sold without their barcode, since another item has it. */
export interface LosesBarcode {
  readonly item: Item
  readonly barcode: string
  readonly to: string
}

export interface Settled {
  /** In the order in which they are to be made. */
  readonly edits: readonly { readonly sku: string; readonly change: CatalogChange }[]
  readonly lost: readonly LosesBarcode[]
}

/** An item on its way from how its file has it to how it should stand. */
interface Work {
  readonly now: ItemState
  /** How it should stand, before its barcode is decided. */
  readonly wanted: ItemState
  /** When it was said; NEVER: it is the catalog's own. */
  readonly stamp: Stamp
}

const keyOf = (item: Item | null): string | null => (item?.barcode == null ? null : barcodeKey(item.barcode))

/**
 * Puts what was said of items over an edition, and answers the edits that do it, for the caller to write. Of items that
 * claim one barcode the one that was said last has it; the others are sold without, and have it again when it is free.
 * Whatever order changes arrive in, the same comes of it. The file must have every edit that is committed.
 */
export function settle(tx: Tx, rows: SharedRows, place: Place, skus: readonly string[], at: number): Settled {
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

/** The items, and every other one that has or claims a barcode that one of them has or claims. */
function gather(tx: Tx, rows: SharedRows, place: Place, skus: readonly string[]): Map<string, Work> {
  const works = new Map<string, Work>()
  const looked = new Set<string>()
  const waiting = [...skus]
  for (let sku = waiting.pop(); sku !== undefined; sku = waiting.pop()) {
    if (works.has(sku)) continue
    const work = workOf(tx, rows, place, sku)
    works.set(sku, work)
    for (const key of [keyOf(work.now.item), keyOf(work.wanted.item)]) {
      if (key === null || looked.has(key)) continue
      looked.add(key)
      const holder = place.file.skuOf(key)
      waiting.push(...rows.claimants(key), ...rows.baseClaimants(place.edition, key), ...(holder ? [holder] : []))
    }
  }
  return works
}

function workOf(tx: Tx, rows: SharedRows, { edition, file, since }: Place, sku: string): Work {
  const now: ItemState = { item: file.item(sku), planned: new Map(file.planned(sku)) }
  const known = rows.base(edition, sku)
  if (known === null) rows.setBase(tx, edition, sku, now, keyOf(now.item))
  const counts = ({ stamp }: { readonly stamp: Stamp }): boolean => compareStamps(stamp, since) > 0
  const said = rows.said(sku)
  const counted = said !== null && counts(said) ? said : null
  const wanted = overlaid(known ?? now, counted, rows.prices(sku).filter(counts))
  return { now, wanted, stamp: counted?.stamp ?? NEVER }
}

/** Who has each barcode: whose item was said last; of those that nobody changed, the first by its SKU. */
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
  /** Who has its barcode; null: it has, or there is none. */
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

/** A barcode is given up before another item takes it. */
function editsFor(
  works: ReadonlyMap<string, Work>,
  goals: ReadonlyMap<string, ItemState>,
  at: number,
): Settled['edits'] {
  const wantedKeys = new Set([...goals.values()].map(({ item }) => keyOf(item)))
  const edits: { sku: string; change: CatalogChange }[] = []
  const stands = new Map<string, ItemState>()
  for (const [sku, { now }] of works) {
    stands.set(sku, now)
    const key = keyOf(now.item)
    const goal = goals.get(sku)
    if (now.item === null || key === null || !goal || keyOf(goal.item) === key || !wantedKeys.has(key)) continue
    const change: CatalogChange =
      goal.item === null ? { kind: 'remove', sku } : { kind: 'put', item: { ...now.item, barcode: null } }
    edits.push({ sku, change })
    stands.set(sku, edited(now, change, at))
  }
  for (const [sku, goal] of goals) {
    const stand = stands.get(sku)
    if (stand) edits.push(...editsBetween(sku, stand, goal, at).map((change) => ({ sku, change })))
  }
  return edits
}
