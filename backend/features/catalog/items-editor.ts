import type { Item } from '../../../contracts/api/catalog.ts'
import type { SaveItem } from '../../../contracts/api/catalog-manager.ts'
import type { Transact } from '../../db/transact.ts'
import { ProblemError } from '../../http/problem.ts'
import { refuseChanged } from '../../http/changed-meanwhile.ts'
import type { AuditTrail } from '../staff/audit.ts'
import { mayBeScanned, ungrouped } from './barcode.ts'
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

  return {
    /** Throws `item-sku-used`, `item-unknown`, `changed-meanwhile`, `item-barcode-used` and `item-barcode-wrong`. */
    save({ how, item: given, seen }: SaveItem, staffId: string): Item {
      const item = { ...given, barcode: given.barcode === null ? null : ungrouped(given.barcode) }
      const before = catalog.findBySku(item.sku) ?? null
      if (how === 'add' && before !== null) throw new ProblemError('item-sku-used')
      if (how === 'change' && before === null) throw new ProblemError('item-unknown')
      refuseChanged(seen, before)
      if (item.barcode !== null) {
        if (!mayBeScanned(item.barcode)) throw new ProblemError('item-barcode-wrong')
        const other = catalog.findByBarcode(item.barcode)
        if (other && other.sku !== item.sku) throw new ProblemError('item-barcode-used')
      }
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
