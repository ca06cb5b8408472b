import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { type Cents, type Miles, miles } from '../../../contracts/core/money.ts'
import type { IssuanceBasket } from '../services/issuance.ts'
import { isGiftCard } from '../../catalog/gift-card.ts'
import type { StoreTax } from '../../catalog/tax.ts'
import { type BasketLine, saleLineOf } from '../../sales/sale/basket.ts'
import { isSent } from '../../sales/sale/charges.ts'
import { type SaleParts, couponsOf, pricedLines, taxesOfSale, totalsOfLines } from '../../sales/sale/sale-parts.ts'
import type { CashResponse } from '../../../contracts/central/cash.ts'
import { hidesBalances } from '../../core/central/response-codes.ts'
import { dollarAmount, wholeNumber } from '../../core/central/wire.ts'

/**
 * The portion of a sale that earns miles, with the departments of its goods. Sold gift cards are left out: miles are
 * earned when they are spent. Empty containers are never sent; deposits and fees only if the profile includes them.
 */
export const basketOf = (
  parts: SaleParts,
  view: Sale,
  atMs: number,
  locale: Locale,
  taxes: readonly StoreTax[],
): IssuanceBasket => soldOf(parts, view, atMs, locale, taxes, isSent)

/** The sale with its gift cards, for RECORD, which earns nothing (specification 3 §4.3). */
export const wholeBasketOf = (
  parts: SaleParts,
  view: Sale,
  atMs: number,
  locale: Locale,
  taxes: readonly StoreTax[],
): IssuanceBasket => soldOf(parts, view, atMs, locale, taxes, (line) => isSent(line) || isGiftCard(line))

function soldOf(
  parts: SaleParts,
  view: Sale,
  atMs: number,
  locale: Locale,
  taxes: readonly StoreTax[],
  isIncluded: (line: BasketLine) => boolean,
): IssuanceBasket {
  const sold = pricedLines(parts)
  const lines = sold.filter(isIncluded)
  const totals =
    lines.length === sold.length ? view.totals : totalsOfLines(parts, lines, taxesOfSale(parts.sale, taxes))
  return {
    saleId: view.id,
    atMs,
    totals: { taxes: totals.taxes, subtotalCents: totals.subtotalCents, totalCents: totals.totalCents },
    lines: lines.map((line) => ({
      ...saleLineOf(line, []),
      departmentId: line.departmentId,
      categoryId: line.categoryId,
    })),
    coupons: couponsOf(parts),
    tenders: view.tenders.filter((tender) => tender.amountCents > 0).map((tender) => tender.kind),
    locale,
  }
}

/**
 * Balances after INQUIRE or REDEEM. They are only printed (specification 3 §4.5 rule 4); a screen may show the
 * available miles.
 */
export interface Balances {
  readonly responseCode: string
  readonly cashMiles?: Miles | undefined
  readonly dreamMiles?: Miles | undefined
  readonly availableCashMiles?: Miles | undefined
  readonly availableCents?: Cents | undefined
}

/**
 * Returns the balances of an answer; null if its response code hides them (0001, 0005, unknown codes) or they are
 * missing.
 */
export function balancesOf(response: CashResponse): Balances | null {
  if (hidesBalances(response.responseCode)) return null
  const toMiles = (text: string | undefined): Miles | undefined => {
    const value = wholeNumber(text)
    return value === undefined ? undefined : miles(value)
  }
  const balances: Balances = {
    responseCode: response.responseCode.trim(),
    cashMiles: toMiles(response.cashBalance),
    dreamMiles: toMiles(response.dreamBalance),
    availableCashMiles: toMiles(response.availableCashBalance),
    availableCents: dollarAmount(response.availableDollarAmount),
  }
  return holdsAny(balances) ? balances : null
}

export const holdsAny = (balances: Balances): boolean =>
  [balances.cashMiles, balances.dreamMiles, balances.availableCashMiles, balances.availableCents].some(
    (value) => value !== undefined,
  )
