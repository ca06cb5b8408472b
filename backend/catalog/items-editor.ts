import type { SaveItem, Item } from '../../contracts/catalog/catalog.ts'
import { ProblemError, refuseChanged } from '../core/problem.ts'
import { codeKeys, codesOf, readBarcode } from './editions/search-terms.ts'
import type { App } from '../core/http/app.ts'
import { catalogContract } from '../../contracts/catalog/catalog.routes.ts'
import { serve } from '../core/http/serve.ts'
import { signedIn } from '../core/http/guards.ts'
import { catalogOf } from './catalog.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { quickKeysOf } from './quick-key-lists.ts'
import { couponBookOf } from './coupon-book.ts'
import { manufacturerCouponBookOf } from './manufacturer-coupon-book.ts'
import { refuseUnusable } from './book-file.ts'
import { unusableInCoupon } from './book-files.ts'
import { scanReach, scanCodesOf } from '../core/scan-codes.ts'

export const itemsEditorOf = perLane((ctx: Ctx) => {
  const { transact, audit } = ctx
  const catalog = catalogOf(ctx)
  function commit(staffId: string, before: Item | null, after: Item | null): void {
    const kind =
      before === null ? 'catalog-item-added' : after === null ? 'catalog-item-removed' : 'catalog-item-changed'
    const sku = (after ?? before)?.sku
    if (sku === undefined) throw new Error('an item must exist before or after an edit')
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

  /**
   * Checks the codes of an item by the rules of a catalog file, so that saved items can be exported and imported again.
   * Unchanged codes are not checked.
   */
  function withReadCodes(item: Item, before: Item | null): Item {
    const unchanged = new Set(before === null ? [] : codesOf(before))
    const read = (code: string): string => {
      const result = unchanged.has(code) ? { barcode: code } : readBarcode(code)
      if ('wrong' in result || result.barcode === null) throw new ProblemError('item-barcode-wrong')
      return result.barcode
    }
    const { barcode, codes, packs } = item
    return {
      ...item,
      barcode: barcode === null ? null : read(barcode),
      ...(codes === undefined ? {} : { codes: codes.map(read) }),
      ...(packs === undefined ? {} : { packs: packs.map((pack) => ({ ...pack, barcode: read(pack.barcode) })) }),
    }
  }

  /**
   * Throws if a code of an item is used twice, or finds another item, also by its SKU. A code that the item had before
   * may be another item's SKU, and its SKU another item's code, because earlier releases allowed that.
   */
  function refuseUsed(item: Item, before: Item | null): void {
    const codes = codesOf(item)
    if (codeKeys(item).length < codes.length) throw new ProblemError('item-code-twice')
    for (const code of codes) {
      const other = catalog.findByBarcode(code)
      if (other && other.sku !== item.sku) throw new ProblemError('item-barcode-used')
    }
    const had = before === null ? [] : codesOf(before)
    const ofSku = codes.filter((code) => !had.includes(code)).map((code) => catalog.findBySku(code))
    if (before === null) ofSku.push(catalog.findByBarcode(item.sku))
    if (ofSku.some((other) => other !== undefined && other.sku !== item.sku))
      throw new ProblemError('item-barcode-used')
  }

  return {
    /**
     * Adds or changes an item. Throws `item-sku-used`, `item-unknown`, `changed-meanwhile`, `item-barcode-used`,
     * `item-barcode-wrong` and `item-code-twice`.
     */
    save({ how, item: given, seen }: SaveItem, staffId: string): Item {
      const before = catalog.findBySku(given.sku) ?? null
      if (how === 'add' && before !== null) throw new ProblemError('item-sku-used')
      if (how === 'change' && before === null) throw new ProblemError('item-unknown')
      refuseChanged(seen, before)
      const item = withReadCodes(given, before)
      refuseUsed(item, before)
      commit(staffId, before, item)
      return item
    },
    /** Removes an item. Throws `item-unknown`. */
    remove(sku: string, staffId: string): Item {
      const before = catalog.findBySku(sku)
      if (before === undefined) throw new ProblemError('item-unknown')
      commit(staffId, before, null)
      return before
    },
  }
})

export function catalogEditorRoutes(ctx: Ctx, app: App): void {
  const items = itemsEditorOf(ctx)
  const quickKeys = quickKeysOf(ctx)
  const coupons = couponBookOf(ctx)
  const isReachable = scanReach(scanCodesOf(ctx.profile))
  serve(app, catalogContract['GET /catalog/departments'], () => ({ departments: quickKeys.departments() }))
  serve(app, catalogContract['POST /catalog/items'], (request) => {
    if (!codesOf(request.body.item).every(isReachable)) throw new ProblemError('code-not-scannable')
    return { item: items.save(request.body, signedIn(request).id) }
  })
  serve(app, catalogContract['POST /catalog/items/remove'], (request) => ({
    item: items.remove(request.body.sku, signedIn(request).id),
  }))

  serve(app, catalogContract['GET /catalog/quick-key-lists'], () => quickKeys.lists())
  serve(app, catalogContract['POST /catalog/quick-key-lists'], (request) =>
    quickKeys.save(request.body, signedIn(request).id),
  )

  serve(app, catalogContract['GET /catalog/coupons'], () => coupons.list())
  serve(app, catalogContract['POST /catalog/coupons'], (request) => {
    refuseUnusable(unusableInCoupon(ctx, request.body.coupon), 'coupon')
    return coupons.save(request.body, signedIn(request).id)
  })
  const manufacturers = manufacturerCouponBookOf(ctx)
  serve(app, catalogContract['GET /catalog/manufacturer-coupons'], () => manufacturers.list())
  serve(app, catalogContract['POST /catalog/manufacturer-coupons'], (request) => {
    refuseUnusable(unusableInCoupon(ctx, request.body.coupon), 'coupon')
    return manufacturers.save(request.body, signedIn(request).id)
  })
  serve(app, catalogContract['POST /catalog/manufacturer-coupons/remove'], (request) =>
    manufacturers.remove(request.body.code, signedIn(request).id),
  )
  serve(app, catalogContract['POST /catalog/coupons/remove'], (request) =>
    coupons.remove(request.body.code, signedIn(request).id),
  )
}
