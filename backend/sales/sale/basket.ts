import type { SaleLine, SaleTotals } from '../../../contracts/sales/sales.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { cents, roundToNickel, sumCents, type Cents } from '../../../contracts/core/money.ts'
import type { TaxCategory } from '../../../contracts/core/regions.ts'
import { taxBasket, taxCodesOf, type StoreTax } from '../../catalog/tax.ts'
import type { z } from 'zod'

/** A line of a basket as it was rung: the price and the category are those of the moment, not today's catalog. */
export interface BasketLine {
  readonly number: number
  readonly sku: string
  readonly name: Names
  /** Negative on a return. */
  readonly quantity: number
  readonly unitPriceCents: Cents
  readonly taxCategory: TaxCategory
  readonly departmentId: string
  readonly categoryId: string | null
  readonly voided: boolean
  /** The catalog's price of a piece, where another was put in its place. */
  readonly regularPriceCents?: Cents | null
  /** What was taken off so many pieces of it, when they were sold together; nothing when left out. */
  readonly discount?: { readonly cents: Cents; readonly pieces: number }
  readonly note?: string | null
}

/** `amountCents` is what the tender pays of the sale, before cash rounding. */
export interface AppliedTender {
  readonly kind: z.infer<typeof TenderKind>
  readonly amountCents: Cents
}

/**
 * What is taken off the pieces of a line that are here. Of a line in parts each part takes its share of the whole line,
 * rounded down: whatever order the pieces come back in, what is left depends on how many are left and on nothing else.
 */
export const lineDiscount = ({
  quantity,
  voided,
  discount,
}: Pick<BasketLine, 'quantity' | 'voided' | 'discount'>): Cents =>
  voided || !discount || discount.cents === 0
    ? cents(0)
    : cents(Math.floor((discount.cents * quantity) / discount.pieces))

/** Pre-tax amount of a line, discounts taken off; 0 when it is void. */
export const lineAmount = (line: Pick<BasketLine, 'quantity' | 'unitPriceCents' | 'voided' | 'discount'>): Cents =>
  line.voided || line.quantity === 0 || line.unitPriceCents === 0
    ? cents(0)
    : cents(line.quantity * line.unitPriceCents - lineDiscount(line))

/** The line as the local API shows it. */
export const saleLineOf = (line: BasketLine, taxes: readonly StoreTax[]): SaleLine => ({
  number: line.number,
  sku: line.sku,
  name: line.name,
  quantity: line.quantity,
  unitPriceCents: line.unitPriceCents,
  regularPriceCents: line.regularPriceCents ?? null,
  discountCents: lineDiscount(line),
  amountCents: lineAmount(line),
  taxCodes: taxCodesOf(line.taxCategory, taxes),
  voided: line.voided,
  note: line.note ?? null,
})

/** Only what is paid in cash rounds to five cents (the one-cent coin was withdrawn in 2013). Never negative zero. */
export const cashDueOf = (dueCents: Cents): Cents => roundToNickel(dueCents)

/**
 * Totals of a basket. Void lines count for nothing. `taxes` has an entry for each of the store's taxes, so that a
 * screen does not jump while ringing; the federal part of HST, which few baskets know, only where something attracts
 * it. `dueCents` is negative when more was tendered than the sale is worth now (a line voided after a redemption): the
 * caller must give that back or refuse the change.
 */
export function totalBasket(
  lines: readonly BasketLine[],
  taxes: readonly StoreTax[],
  tenders: readonly AppliedTender[],
): SaleTotals {
  const amounts = lines.map((line) => ({ amountCents: lineAmount(line), taxCategory: line.taxCategory }))
  const subtotalCents = sumCents(amounts.map(({ amountCents }) => amountCents))
  const taxed = taxBasket(amounts, taxes)
    .filter(({ code, baseCents }) => code !== 'HST-FEDERAL' || baseCents !== 0)
    .map(({ code, amountCents }) => ({ code, amountCents }))
  const totalCents = sumCents([subtotalCents, ...taxed.map(({ amountCents }) => amountCents)])
  const tenderedCents = sumCents(tenders.map(({ amountCents }) => amountCents))
  const dueCents = cents(totalCents - tenderedCents)
  return { subtotalCents, taxes: taxed, totalCents, tenderedCents, dueCents, cashDueCents: cashDueOf(dueCents) }
}

/** So many pieces of a line of the sale. */
export interface Pieces {
  readonly number: number
  readonly quantity: number
}

/** What is left of each line once pieces were taken out of it; void lines and lines that are gone are left out. */
export function without(lines: readonly BasketLine[], taken: readonly Pieces[]): BasketLine[] {
  return lines.flatMap((line) => {
    const quantity =
      line.quantity -
      taken.filter(({ number }) => number === line.number).reduce((sum, piece) => sum + piece.quantity, 0)
    return line.voided || quantity <= 0 ? [] : [{ ...line, quantity }]
  })
}
