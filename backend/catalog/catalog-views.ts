import type { CatalogElsewhere } from '../../contracts/catalog/catalog.ts'
import { CatalogItemChange } from '../../contracts/store/changes.ts'
import { isoOf } from '../core/clock.ts'
import { elsewhereOf } from '../store/changes.ts'
import { catalogOf } from './catalog.ts'
import { perLane } from '../core/context.ts'

/** Maximum length of the list of changes made at other lanes; the list has the latest ones. */
const MAX = 30

export const CHANGED_ELSEWHERE = `SELECT subject AS sku, value, at FROM store_register INDEXED BY store_register_clock
  WHERE kind = 'catalog-item' AND lane <> ? ORDER BY clock DESC LIMIT ?`

export const catalogViewsOf = perLane((ctx) => {
  const { db, staffName } = ctx
  const { shared, findBySku } = catalogOf(ctx)
  const changed = db.prepare<[string, number], { sku: string; value: string; at: number }>(CHANGED_ELSEWHERE)
  const elsewhere = (kind: 'catalog-item' | 'planned-price', subject: string) =>
    elsewhereOf(shared.changes.changedAt(kind, subject), staffName)
  return {
    elsewhere,
    list(): CatalogElsewhere {
      return {
        isOfStore: shared.isOfStore(),
        items: changed.all(shared.lane, MAX).flatMap(({ sku, value, at }) => {
          const { item } = CatalogItemChange.parse(JSON.parse(value))
          const where = elsewhere('catalog-item', sku).elsewhere
          return where ? [{ sku, name: item?.name ?? null, at: isoOf(at), elsewhere: where }] : []
        }),
        barcodes: shared.rows.lost(MAX).map(({ sku, barcode, toSku }) => ({
          sku,
          name: findBySku(sku)?.name ?? null,
          barcode,
          toSku,
          toName: findBySku(toSku)?.name ?? null,
        })),
      }
    },
    importedAt(edition: string) {
      const one = shared.order.byId(edition)
      if (!one || one.stamp.lane === shared.lane) return {}
      return {
        elsewhere: { lane: one.stamp.lane, by: one.byId === null ? null : staffName(one.byId), inPlaceOf: null },
        lost: one.lost,
      }
    },
  }
})
