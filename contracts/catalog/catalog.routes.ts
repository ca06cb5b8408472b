import { CancelPlanned, CatalogElsewhere, CatalogImport, CatalogState, CouponList, DepartmentList, DifferenceList, DifferenceQuery, ImportChoice, ImportQuery, ItemList, ItemQuery, PlannedList, PlannedQuery, PlanPrice, QuickKeyLists, QuickKeys, RemoveCoupon, RemoveItem, SaveCoupon, SavedItem, SaveItem, SaveQuickKeys } from './catalog.ts'
import { routes } from '../core/route.ts'

export const catalogContract = routes('catalog', {
  'GET /catalog/quick-keys': {
    description: 'What the store rings by touch, department by department.',
    answer: QuickKeys,
  },
  'POST /catalog/items/search': {
    description: 'Finds items by name in any language, SKU, or a part of the barcode. Best first.',
    command: 'reading',
    body: ItemQuery,
    answer: ItemList,
  },
  'GET /catalog/state': {
    summary: 'Where the catalog came from, and the import that waits',
    access: 'manager',
    answer: CatalogState,
  },
  'GET /catalog/elsewhere': {
    summary: 'What other lanes of the store changed last of the catalog',
    access: 'manager',
    answer: CatalogElsewhere,
  },
  'GET /catalog/import/differences': {
    summary: 'What the import that waits would change',
    access: 'manager',
    query: DifferenceQuery,
    answer: DifferenceList,
  },
  'POST /catalog/import/apply': { summary: 'Apply the import, as a whole', access: 'manager', body: ImportChoice },
  'POST /catalog/import/drop': {
    summary: 'Drop the import that waits',
    access: 'manager',
    command: 'reading',
    body: ImportChoice,
  },
  'POST /catalog/undo-import': {
    summary: 'Bring back the catalog before the last import',
    access: 'manager',
    command: 'awaited',
    answer: CatalogState,
  },
  'GET /catalog/planned-prices': {
    summary: 'Prices to come, the next first',
    access: 'manager',
    query: PlannedQuery,
    answer: PlannedList,
  },
  'POST /catalog/planned-prices': { summary: 'Plan a price', access: 'manager', body: PlanPrice },
  'POST /catalog/planned-prices/cancel': { summary: 'Cancel a price to come', access: 'manager', body: CancelPlanned },
  'POST /catalog/import': {
    summary: 'Read a CSV file and compare it; changes nothing',
    access: 'manager',
    command: 'reading',
    query: ImportQuery,
    status: 202,
    answer: CatalogImport,
  },
  'GET /catalog/departments': { summary: 'Departments, with their names', access: 'manager', answer: DepartmentList },
  'POST /catalog/items': { summary: 'Add or change an item', access: 'manager', body: SaveItem, answer: SavedItem },
  'POST /catalog/items/remove': { summary: 'Remove an item', access: 'manager', body: RemoveItem, answer: SavedItem },
  'GET /catalog/quick-key-lists': {
    summary: 'Quick keys of each department',
    access: 'manager',
    answer: QuickKeyLists,
  },
  'POST /catalog/quick-key-lists': {
    summary: 'Arrange quick keys',
    access: 'manager',
    body: SaveQuickKeys,
    answer: QuickKeyLists,
  },
  'GET /catalog/coupons': { summary: 'Coupons that the store takes', access: 'manager', answer: CouponList },
  'POST /catalog/coupons': {
    summary: 'Add or change a coupon',
    access: 'manager',
    body: SaveCoupon,
    answer: CouponList,
  },
  'POST /catalog/coupons/remove': {
    summary: 'Take a coupon out',
    access: 'manager',
    body: RemoveCoupon,
    answer: CouponList,
  },
})
