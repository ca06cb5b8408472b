import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { type Cents, type Miles, cents, miles } from '../../../contracts/core/money.ts'
import type { IssuanceBasket } from '../services/issuance.ts'
import { giftCardCents, isGiftCard } from '../../catalog/gift-card.ts'
import { type SaleParts, couponsOf } from '../../sales/sale/sale-parts.ts'
import type { CashResponse } from '../../../contracts/central/cash.ts'
import { hidesBalances } from '../../core/central/response-codes.ts'
import { dollarAmount, wholeNumber } from '../../core/central/wire.ts'

/**
 * The part of a sale that earns miles, with the departments of its goods. Sold gift cards are left out: miles are
 * earned when they are spent.
 */
export const basketOf = (parts: SaleParts, view: Sale, atMs: number, locale: Locale): IssuanceBasket =>
  soldOf(parts, view, atMs, locale, {
    lines: view.lines.filter((line) => !isGiftCard(line)),
    giftCents: giftCardCents(view.lines),
  })

/** The whole sale with its gift cards, for RECORD, which earns nothing (specification 3 §4.3). */
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
