import {
  CouponList,
  DepartmentList,
  type Item,
  QuickKeyLists,
  RemoveCoupon,
  RemoveItem,
  SaveCoupon,
  SaveItem,
  SaveQuickKeys,
  SavedItem,
} from '../../contracts/catalog/catalog.ts'
import { ProblemError, refuseChanged } from '../core/problem.ts'
import { readBarcode } from './editions/search-terms.ts'
import type { Routes } from '../core/http/app.ts'
import { signedIn } from '../core/http/guards.ts'
import { catalogOf } from './catalog.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { quickKeysOf } from './quick-key-lists.ts'
import { couponBookOf } from './coupon-book.ts'
import { scanReach, scanCodesOf } from '../core/scan-codes.ts'

/** Adds, changes and removes items one by one. A line that was rung keeps what it was rung as. */
export const itemsEditorOf = perLane((ctx: Ctx) => {
  const { transact, audit } = ctx
  const catalog = catalogOf(ctx)
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
})

const tags = ['catalog']
const config = { access: 'manager' } as const

/** What a manager changes of the catalog, one thing at a time. */
export const catalogEditorRoutes =
  (ctx: Ctx): Routes =>
  (app) => {
    const catalog = catalogOf(ctx)
    const items = itemsEditorOf(ctx)
    const quickKeys = quickKeysOf(ctx)
    const coupons = couponBookOf(ctx)
    const isReachable = scanReach(scanCodesOf(ctx.profile))
    app.get(
      '/api/catalog/departments',
      { schema: { tags, summary: 'Departments, with their names', response: { 200: DepartmentList } }, config },
      () => ({ departments: quickKeys.departments() }),
    )
    app.post(
      '/api/catalog/items',
      { schema: { tags, summary: 'Add or change an item', body: SaveItem, response: { 200: SavedItem } }, config },
      (request) => {
        const { barcode } = request.body.item
        if (barcode !== null && !isReachable(barcode)) throw new ProblemError('code-not-scannable')
        return { item: items.save(request.body, signedIn(request).id) }
      },
    )
    app.post(
      '/api/catalog/items/remove',
      { schema: { tags, summary: 'Remove an item', body: RemoveItem, response: { 200: SavedItem } }, config },
      (request) => ({ item: items.remove(request.body.sku, signedIn(request).id) }),
    )

    app.get(
      '/api/catalog/quick-key-lists',
      { schema: { tags, summary: 'Quick keys of each department', response: { 200: QuickKeyLists } }, config },
      () => quickKeys.lists(),
    )
    app.post(
      '/api/catalog/quick-key-lists',
      {
        schema: { tags, summary: 'Arrange quick keys', body: SaveQuickKeys, response: { 200: QuickKeyLists } },
        config,
      },
      (request) => quickKeys.save(request.body, signedIn(request).id),
    )

    app.get(
      '/api/catalog/coupons',
      { schema: { tags, summary: 'Coupons that the store takes', response: { 200: CouponList } }, config },
      () => coupons.list(),
    )
    app.post(
      '/api/catalog/coupons',
      { schema: { tags, summary: 'Add or change a coupon', body: SaveCoupon, response: { 200: CouponList } }, config },
      (request) => {
        const { code, sku, department } = request.body.coupon
        if (!isReachable(code)) throw new ProblemError('code-not-scannable')
        if (sku !== undefined && catalog.findBySku(sku) === undefined) throw new ProblemError('item-unknown')
        if (department !== undefined && !catalog.names().hasDepartment(department)) throw new ProblemError('not-found')
        return coupons.save(request.body, signedIn(request).id)
      },
    )
    app.post(
      '/api/catalog/coupons/remove',
      { schema: { tags, summary: 'Take a coupon out', body: RemoveCoupon, response: { 200: CouponList } }, config },
      (request) => coupons.remove(request.body.code, signedIn(request).id),
    )
  }
