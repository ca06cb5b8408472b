import type { Item } from '../../../contracts/api/catalog.ts'
import type { SaveItem } from '../../../contracts/api/catalog-manager.ts'
import type { Transact } from '../../db/transact.ts'
import { ProblemError } from '../../http/problem.ts'
import { refuseChanged } from '../../http/changed-meanwhile.ts'
import type { AuditTrail } from '../staff/audit.ts'
import { readBarcode } from './barcode.ts'
import type { CatalogService } from './service.ts'

export interface ItemsEditorOptions {
  readonly catalog: CatalogService
  readonly transact: Transact
  readonly audit: AuditTrail
}

export type ItemsEditor = ReturnType<typeof createItemsEditor>

/** Adds, changes and removes items one by one. A line that was rung keeps what it was rung as. */
export function createItemsEditor({ catalog, transact, audit }: ItemsEditorOptions) {
  function commit(staffId: string, before: Item | null, after: Item | null): void {
    const kind =
      before === null ? 'catalog-item-added' : after === null ? 'catalog-item-removed' : 'catalog-item-changed'
    const sku = (after ?? before)?.sku
    if (sku === undefined) throw new Error('nothing becomes nothing')
    transact((tx) => {
      catalog.change(tx, staffId, after === null ? { kind: 'remove', sku } : { kind: 'put', item: after })
      audit.record(tx, {
        kind,
        actorId: staffId,
        subject: sku,
        detail: { before: before && JSON.stringify(before), after: after && JSON.stringify(after) },
      })
    })
  }

  /** By the rules of a CSV file, so that what is saved can be exported and imported. One that stays is not judged. */
  function barcodeOf({ barcode }: Item, before: Item | null): string | null {
    if (barcode === null || barcode === before?.barcode) return barcode
    const read = readBarcode(barcode)
    if ('wrong' in read) throw new ProblemError('item-barcode-wrong')
    return read.barcode
  }

  return {
    /** Throws `item-sku-used`, `item-unknown`, `changed-meanwhile`, `item-barcode-used` and `item-barcode-wrong`. */
    save({ how, item: given, seen }: SaveItem, staffId: string): Item {
      const before = catalog.findBySku(given.sku) ?? null
      if (how === 'add' && before !== null) throw new ProblemError('item-sku-used')
      if (how === 'change' && before === null) throw new ProblemError('item-unknown')
      refuseChanged(seen, before)
      const item = { ...given, barcode: barcodeOf(given, before) }
      const other = item.barcode === null ? undefined : catalog.findByBarcode(item.barcode)
      if (other && other.sku !== item.sku) throw new ProblemError('item-barcode-used')
      commit(staffId, before, item)
      return item
    },
    /** Throws `item-unknown`. */
    remove(sku: string, staffId: string): Item {
      const before = catalog.findBySku(sku)
      if (before === undefined) throw new ProblemError('item-unknown')
      commit(staffId, before, null)
      return before
    },
  }
}
