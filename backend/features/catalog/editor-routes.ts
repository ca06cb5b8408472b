import {
  CouponList,
  DepartmentList,
  QuickKeyLists,
  RemoveCoupon,
  RemoveItem,
  SaveCoupon,
  SavedItem,
  SaveItem,
  SaveQuickKeys,
} from '../../../contracts/api/catalog-manager.ts'
import { ProblemError } from '../../http/problem.ts'
import type { Routes } from '../../http/app.ts'
import { signedIn } from '../../http/guards.ts'
import type { CouponBook } from '../sale-changes/coupon-book.ts'
import type { ItemsEditor } from './items-editor.ts'
import type { QuickKeysOfLane } from './quick-key-lists.ts'
import type { CatalogService } from './service.ts'

const tags = ['catalog']
const config = { access: 'manager' } as const

export interface CatalogEditorRoutesOptions {
  readonly catalog: Pick<CatalogService, 'findBySku' | 'names'>
  readonly items: ItemsEditor
  readonly quickKeys: QuickKeysOfLane
  readonly coupons: CouponBook
  /** Whether a scan of this code can find an item or a coupon. */
  readonly isReachable: (code: string) => boolean
}

/** What a manager changes of the catalog, one thing at a time. */
export const catalogEditorRoutes =
  ({ catalog, items, quickKeys, coupons, isReachable }: CatalogEditorRoutesOptions): Routes =>
  (app) => {
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
