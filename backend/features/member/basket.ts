import type { Sale } from '../../../contracts/api/sales.ts'
import type { Locale } from '../../../contracts/locales.ts'
import { cents } from '../../../contracts/money.ts'
import type { IssuanceBasket } from '../../central/issuance.ts'
import { giftCardCents, isGiftCard } from '../../domain/gift-card.ts'
import { couponsOf, type SaleParts } from '../sales/view.ts'

/**
 * A sale as it earns: the priced lines of the view with the catalog's departments. A gift card is no purchase yet: what
 * it buys will be.
 */
export const basketOf = (parts: SaleParts, view: Sale, atMs: number, locale: Locale): IssuanceBasket =>
  soldOf(parts, view, atMs, locale, {
    lines: view.lines.filter((line) => !isGiftCard(line)),
    giftCents: giftCardCents(view.lines),
  })

/** A sale as it was made, gift cards and all: what RECORD tells of, which earns nothing (specification 3 §4.3). */
export const wholeBasketOf = (parts: SaleParts, view: Sale, atMs: number, locale: Locale): IssuanceBasket =>
  soldOf(parts, view, atMs, locale, { lines: view.lines, giftCents: 0 })

function soldOf(
  parts: SaleParts,
  view: Sale,
  atMs: number,
  locale: Locale,
  { lines, giftCents }: { lines: Sale['lines']; giftCents: number },
): IssuanceBasket {
  const rows = new Map(parts.lines.map((line) => [line.number, line]))
  return {
    saleId: view.id,
    atMs,
    totals: {
      taxes: view.totals.taxes,
      subtotalCents: cents(view.totals.subtotalCents - giftCents),
      totalCents: cents(view.totals.totalCents - giftCents),
    },
    lines: lines.map((line) => ({
      ...line,
      departmentId: rows.get(line.number)?.departmentId ?? '',
      categoryId: rows.get(line.number)?.categoryId ?? null,
    })),
    coupons: couponsOf(parts),
    tenders: view.tenders.filter((tender) => tender.amountCents > 0).map((tender) => tender.kind),
    locale,
  }
}
