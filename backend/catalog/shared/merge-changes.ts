import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { Tx } from '../../core/db/transact.ts'
import { compareStamps, type Stamp } from '../../store/changes.sql.ts'
import { barcodeKey, codeKeys, codesOf } from '../editions/search-terms.ts'
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
  /** Target state before conflicts of codes are resolved. */
  readonly target: ItemState
  readonly stamp: Stamp
}

const keysOf = (item: Item | null): string[] => (item === null ? [] : codeKeys(item))

/** Returns an item with only the codes that `isOwned` accepts; a pack with another code is left out. */
function withCodes(item: Item, isOwned: (key: string) => boolean): Item {
  const hasCode = (code: string): boolean => isOwned(barcodeKey(code))
  const { codes, packs, ...rest } = item
  const [ownCodes = [], ownPacks = []] = [codes?.filter(hasCode), packs?.filter(({ barcode }) => hasCode(barcode))]
  return {
    ...rest,
    barcode: item.barcode !== null && hasCode(item.barcode) ? item.barcode : null,
    ...(ownCodes.length === 0 ? {} : { codes: ownCodes }),
    ...(ownPacks.length === 0 ? {} : { packs: ownPacks }),
  }
}

/**
 * Returns the edits that apply changes of items to an edition, for the caller to write. Of items with the same code,
 * the one that was changed last keeps it; the others are sold without it, and get it back when it is free. The result
 * does not depend on the order in which changes arrive. The file must have every committed edit.
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
  for (const [sku, { target }] of works) {
    const isOwned = (key: string): boolean => owners.get(key) === sku
    const { item } = target
    goals.set(sku, item && !codeKeys(item).every(isOwned) ? { ...target, item: withCodes(item, isOwned) } : target)
    if (place.isSold) noteLosses(tx, rows, lost, { sku, item, owners, at })
  }
  return { edits: editsFor(works, goals, at), lost }
}

/** Collects these items and all others that share a code with one of them, before or after the change. */
function gather(tx: Tx, rows: SharedRows, place: Place, skus: readonly string[]): Map<string, Work> {
  const works = new Map<string, Work>()
  const checked = new Set<string>()
  const waiting = [...skus]
  for (let sku = waiting.pop(); sku !== undefined; sku = waiting.pop()) {
    if (works.has(sku)) continue
    const work = workOf(tx, rows, place, sku)
    works.set(sku, work)
    for (const key of [...keysOf(work.now.item), ...keysOf(work.target.item)]) {
      if (checked.has(key)) continue
      checked.add(key)
      const holder = place.file.skuOf(key)
      waiting.push(
        ...rows.itemsWithCode(key),
        ...rows.baseItemsWithCode(place.edition, key),
        ...(holder ? [holder] : []),
      )
    }
  }
  return works
}

function workOf(tx: Tx, rows: SharedRows, { edition, file, since }: Place, sku: string): Work {
  const now: ItemState = { item: file.item(sku), planned: new Map(file.planned(sku)) }
  const known = rows.base(edition, sku)
  if (known === null) rows.setBase(tx, edition, sku, now)
  const counts = ({ stamp }: { readonly stamp: Stamp }): boolean => compareStamps(stamp, since) > 0
  const change = rows.changedItem(sku)
  const counted = change !== null && counts(change) ? change : null
  const target = withChanges(known ?? now, counted, rows.prices(sku).filter(counts))
  return { now, target, stamp: counted?.stamp ?? NEVER }
}

/** Decides which item has each code: the one that was changed last; of unchanged ones the first by SKU. */
function ownersOf(works: ReadonlyMap<string, Work>): Map<string, string> {
  const owners = new Map<string, string>()
  for (const [sku, { target, stamp }] of works) {
    for (const key of keysOf(target.item)) {
      const before = owners.get(key)
      const other = before === undefined ? undefined : works.get(before)
      const order = other ? compareStamps(stamp, other.stamp) : 1
      if (before === undefined || order > 0 || (order === 0 && sku < before)) owners.set(key, sku)
    }
  }
  return owners
}

interface Decided {
  readonly sku: string
  readonly item: Item | null
  readonly owners: ReadonlyMap<string, string>
  readonly at: number
}

/**
 * Records the codes that an item lost, and deletes the records of codes that it has again or that are no longer
 * assigned to it.
 */
function noteLosses(tx: Tx, rows: SharedRows, lost: LosesBarcode[], { sku, item, owners, at }: Decided): void {
  const losses = (item === null ? [] : codesOf(item)).flatMap((barcode) => {
    const toSku = owners.get(barcodeKey(barcode)) ?? sku
    return toSku === sku ? [] : [{ sku, barcode, toSku, at }]
  })
  const before = rows.lostOf(sku)
  for (const row of before) if (!losses.some(({ barcode }) => barcode === row.barcode)) rows.dropLost(tx, row)
  for (const loss of losses) {
    if (item === null || before.some((row) => row.barcode === loss.barcode && row.toSku === loss.toSku)) continue
    rows.setLost(tx, loss, loss.barcode === item.barcode)
    lost.push({ item, barcode: loss.barcode, to: loss.toSku })
  }
}

/** Orders the edits so that an item gives up a code before another one gets it. */
function editsFor(
  works: ReadonlyMap<string, Work>,
  goals: ReadonlyMap<string, ItemState>,
  at: number,
): MergedChanges['edits'] {
  const targetKeys = new Set([...goals.values()].flatMap(({ item }) => keysOf(item)))
  const edits: { sku: string; change: CatalogChange }[] = []
  const states = new Map<string, ItemState>()
  for (const [sku, { now }] of works) {
    states.set(sku, now)
    const goal = goals.get(sku)
    if (now.item === null || !goal) continue
    const goalKeys = new Set(keysOf(goal.item))
    const isGivenUp = (key: string): boolean => !goalKeys.has(key) && targetKeys.has(key)
    if (!keysOf(now.item).some(isGivenUp)) continue
    const change: CatalogChange =
      goal.item === null
        ? { kind: 'remove', sku }
        : { kind: 'put', item: withCodes(now.item, (key) => !isGivenUp(key)) }
    edits.push({ sku, change })
    states.set(sku, edited(now, change, at))
  }
  for (const [sku, goal] of goals) {
    const current = states.get(sku)
    if (current) edits.push(...editsBetween(sku, current, goal, at).map((change) => ({ sku, change })))
  }
  return edits
}
