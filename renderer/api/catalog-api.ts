import type { z } from 'zod'
import type {
  CatalogElsewhere,
  CatalogImport,
  CatalogState,
  CouponList,
  DepartmentList,
  DifferenceKind,
  DifferenceList,
  PlannedList,
  QuickKeyLists,
  SaveCoupon,
  SavedItem,
  SaveItem,
  SaveQuickKeys,
} from '../../contracts/api/catalog-manager.ts'
import { get, post, upload } from './client.ts'

/** A large file over a slow disk; it goes to the lane's own program and no further. */
const UPLOAD_TIMEOUT_MS = 120_000

/** What a manager does with the catalog, one function per route. Each throws ApiProblem. */
export const catalogApi = {
  state: () => get<CatalogState>('catalog/state'),
  upload: (file: File) =>
    upload<CatalogImport>('catalog/import', { body: file, search: { name: file.name }, timeoutMs: UPLOAD_TIMEOUT_MS }),
  differences: (kind: DifferenceKind, after: number) =>
    get<DifferenceList>('catalog/import/differences', { search: { kind, after } }),
  apply: (id: string) => post<undefined>('catalog/import/apply', { json: { id } }),
  drop: (id: string) => post<undefined>('catalog/import/drop', { json: { id } }),
  undo: () => post<CatalogState>('catalog/undo-import', { timeoutMs: UPLOAD_TIMEOUT_MS }),
  elsewhere: () => get<CatalogElsewhere>('catalog/elsewhere'),
  planned: (after?: string) =>
    get<PlannedList>('catalog/planned-prices', { search: after === undefined ? {} : { after } }),
  plan: (sku: string, priceCents: number, from: string) =>
    post<undefined>('catalog/planned-prices', { json: { sku, priceCents, from } }),
  cancelPlanned: (sku: string, fromAt: string) =>
    post<undefined>('catalog/planned-prices/cancel', { json: { sku, fromAt } }),
  departments: () => get<DepartmentList>('catalog/departments'),
  saveItem: (given: z.input<typeof SaveItem>) => post<z.infer<typeof SavedItem>>('catalog/items', { json: given }),
  removeItem: (sku: string) => post<z.infer<typeof SavedItem>>('catalog/items/remove', { json: { sku } }),
  quickKeyLists: () => get<QuickKeyLists>('catalog/quick-key-lists'),
  saveQuickKeys: (given: SaveQuickKeys) => post<QuickKeyLists>('catalog/quick-key-lists', { json: given }),
  coupons: () => get<CouponList>('catalog/coupons'),
  saveCoupon: (given: z.input<typeof SaveCoupon>) => post<CouponList>('catalog/coupons', { json: given }),
  removeCoupon: (code: string) => post<CouponList>('catalog/coupons/remove', { json: { code } }),
}
