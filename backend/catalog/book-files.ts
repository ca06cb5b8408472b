import { type BookEntries, type BookName, MAX_BOOK_ENTRIES } from '../../contracts/catalog/book-files.ts'
import { SaveCoupon } from '../../contracts/catalog/catalog.ts'
import { catalogContract } from '../../contracts/catalog/catalog.routes.ts'
import { Charge } from '../../contracts/catalog/charges.ts'
import { ManufacturerCoupon, SaveManufacturerCoupon } from '../../contracts/catalog/manufacturer-coupons.ts'
import { Coupon } from '../../contracts/sales/sale-rules.ts'
import type { Ctx } from '../core/context.ts'
import type { App } from '../core/http/app.ts'
import { signedIn } from '../core/http/guards.ts'
import { serve } from '../core/http/serve.ts'
import { scanCodesOf, scanReach } from '../core/scan-codes.ts'
import {
  CHARGE_TABLE,
  COUPON_TABLE,
  MANUFACTURER_COUPON_TABLE,
  readCells,
  requiredColumns,
  type Table,
  tableColumns,
  textsOf,
} from './book-columns.ts'
import {
  type BookFileRules,
  exportBook,
  isShortened,
  MAX_FILE_BYTES,
  readBook,
  type ReadCells,
  refuseUnusable,
  serveFiles,
  type UnusableName,
  withLeadingZeros,
} from './book-file.ts'
import { catalogOf } from './catalog.ts'
import { chargeBookOf } from './charges.ts'
import { couponBookOf } from './coupon-book.ts'
import { manufacturerCouponBookOf } from './manufacturer-coupon-book.ts'

type AnyCoupon = Pick<Coupon, 'code' | 'sku' | 'department'>

/** Returns the code of a coupon if no scan finds it, and its item or department if the catalog does not have it. */
export function unusableInCoupon(ctx: Ctx, { code, sku, department }: AnyCoupon): UnusableName[] {
  const catalog = catalogOf(ctx)
  const isReachable = scanReach(scanCodesOf(ctx.profile))
  return [
    ...(isReachable(code) ? [] : [{ field: 'code', kind: 'code', name: code } as const]),
    ...(sku === undefined || catalog.findBySku(sku) ? [] : [{ field: 'sku', kind: 'item', name: sku } as const]),
    ...(department === undefined || catalog.names().hasDepartment(department)
      ? []
      : [{ field: 'department', kind: 'department', name: department } as const]),
  ]
}

interface BookOf<Entry> {
  readonly all: () => readonly Entry[]
  readonly keyOf: (entry: Entry) => string
  readonly find: (name: string) => Entry | undefined
}

const rulesOf = <Name extends BookName, Entry>(name: Name, table: Table<Entry>, book: BookOf<Entry>) => ({
  name,
  columns: tableColumns(table),
  required: requiredColumns(table),
  maxEntries: MAX_BOOK_ENTRIES,
  book,
  textsOf: (entry: Entry) => textsOf(table, entry),
  read: (texts: (column: string) => string, decimalComma: boolean): ReadCells => readCells(table, texts, decimalComma),
  unusableIn: (): UnusableName[] => [],
  found: (entries: Entry[]) => ({ found: { book: name, entries } }),
})

/**
 * Rules of a file of coupons. They restore leading zeros that a spreadsheet removed from codes and SKUs, and refuse
 * codes that it shortened.
 */
function couponRules<Name extends BookName, Entry extends AnyCoupon>(
  ctx: Ctx,
  name: Name,
  table: Table<Entry>,
  book: BookOf<Entry>,
) {
  const isCode = (code: string): boolean => book.find(code) !== undefined
  const isSku = (sku: string): boolean => catalogOf(ctx).findBySku(sku) !== undefined
  return {
    ...rulesOf(name, table, book),
    read: (texts: (column: string) => string, decimalComma: boolean): ReadCells =>
      readCells(
        table,
        (column) =>
          column === 'code'
            ? withLeadingZeros(texts(column), isCode)
            : column === 'sku'
              ? withLeadingZeros(texts(column), isSku)
              : texts(column),
        decimalComma,
      ),
    unusableIn: (coupon: Entry): UnusableName[] => [
      ...(isShortened(coupon.code) && !isCode(coupon.code)
        ? [{ field: 'code', kind: 'code', name: coupon.code } as const]
        : []),
      ...unusableInCoupon(ctx, coupon),
    ],
  }
}

const fileOf = <Entry, Found>(ctx: Ctx, rules: BookFileRules<Entry, Found>) => ({
  export: () => exportBook(ctx, rules),
  read: (bytes: Buffer) => readBook(rules, bytes),
})

const filesOf = (ctx: Ctx) => ({
  charges: fileOf(ctx, { ...rulesOf('charges', CHARGE_TABLE, chargeBookOf(ctx)), entry: Charge }),
  coupons: fileOf(ctx, {
    ...couponRules(ctx, 'coupons', COUPON_TABLE, couponBookOf(ctx)),
    entry: Coupon,
    saved: SaveCoupon.shape.coupon,
  }),
  'manufacturer-coupons': fileOf(ctx, {
    ...couponRules(ctx, 'manufacturer-coupons', MANUFACTURER_COUPON_TABLE, manufacturerCouponBookOf(ctx)),
    entry: ManufacturerCoupon,
    saved: SaveManufacturerCoupon.shape.coupon,
  }),
})

function save(ctx: Ctx, given: BookEntries, staffId: string): void {
  switch (given.book) {
    case 'charges':
      return chargeBookOf(ctx).saveAll(given.entries, staffId)
    case 'coupons':
      for (const coupon of given.entries) refuseUnusable(unusableInCoupon(ctx, coupon), 'entries')
      return couponBookOf(ctx).saveAll(given.entries, staffId)
    case 'manufacturer-coupons':
      for (const coupon of given.entries) refuseUnusable(unusableInCoupon(ctx, coupon), 'entries')
      return manufacturerCouponBookOf(ctx).saveAll(given.entries, staffId)
  }
}

/** Routes of the files of deposits and fees and of coupons. */
export function bookFileRoutes(ctx: Ctx, app: App): void {
  const files = filesOf(ctx)
  serve(app, catalogContract['GET /catalog/files/:book'], ({ params }) => files[params.book].export())
  serveFiles(app, (scope) =>
    serve(
      scope,
      catalogContract['POST /catalog/files/:book'],
      ({ params, body }) => files[params.book].read(body as Buffer),
      { bodyLimit: MAX_FILE_BYTES },
    ),
  )
  serve(app, catalogContract['POST /catalog/files'], (request) => save(ctx, request.body, signedIn(request).id), {
    bodyLimit: MAX_FILE_BYTES,
  })
}
