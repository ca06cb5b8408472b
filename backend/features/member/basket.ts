import type { Sale } from '../../../contracts/api/sales.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { IssuanceBasket } from '../../central/issuance.ts'
import { couponsOf, type SaleParts } from '../sales/view.ts'

/** A sale as the issuance service is told of it: the priced lines of the view with the catalog's departments. */
export function basketOf(parts: SaleParts, view: Sale, atMs: number, locale: Locale): IssuanceBasket {
  const rows = new Map(parts.lines.map((line) => [line.number, line]))
  return {
    saleId: view.id,
    atMs,
    totals: view.totals,
    lines: view.lines.map((line) => ({ ...line, departmentId: rows.get(line.number)?.departmentId ?? '', categoryId: rows.get(line.number)?.categoryId ?? null })),
    coupons: couponsOf(parts),
    tenders: view.tenders.filter((tender) => tender.amountCents > 0).map((tender) => tender.kind),
    locale,
  }
}
