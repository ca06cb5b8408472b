import type { Sale } from '../../../contracts/api/sales.ts'
import type { Locale } from '../../../contracts/locales.ts'
import { cents } from '../../../contracts/money.ts'
import type { IssuanceBasket } from '../../central/issuance.ts'
import { giftCardCents, isGiftCard } from '../../domain/gift-card.ts'
import { couponsOf, type SaleParts } from '../sales/view.ts'

/** A sale as the issuance service is told of it: the priced lines of the view with the catalog's departments. A gift card is no purchase yet: what it buys will be. */
export function basketOf(parts: SaleParts, view: Sale, atMs: number, locale: Locale): IssuanceBasket {
  const rows = new Map(parts.lines.map((line) => [line.number, line]))
  const giftCents = giftCardCents(view.lines)
  return {
    saleId: view.id,
    atMs,
    totals: { taxes: view.totals.taxes, subtotalCents: cents(view.totals.subtotalCents - giftCents), totalCents: cents(view.totals.totalCents - giftCents) },
    lines: view.lines.filter((line) => !isGiftCard(line)).map((line) => ({ ...line, departmentId: rows.get(line.number)?.departmentId ?? '', categoryId: rows.get(line.number)?.categoryId ?? null })),
    coupons: couponsOf(parts),
    tenders: view.tenders.filter((tender) => tender.amountCents > 0).map((tender) => tender.kind),
    locale,
  }
}
