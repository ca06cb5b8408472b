import type { SaleLine, SaleTotals } from '../../../contracts/sales/sales.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { cents, roundToNickel, sumCents, type Cents } from '../../../contracts/core/money.ts'
import type { LineMeasure } from '../../../contracts/catalog/measure.ts'
import type { Exemption } from '../../../contracts/sales/sale-changes.ts'
import type { TaxCategory, TaxRule } from '../../../contracts/core/regions.ts'
import { taxBasket, taxCodesOf, type StoreTax } from '../../catalog/tax.ts'
import type { z } from 'zod'

export interface BasketLine {
  readonly number: number
  readonly sku: string
  readonly name: Names
  /** Number of pieces, or of packs with their own price. */
  readonly quantity: number
  readonly unitPriceCents: Cents
  /** Category whose taxes the line has, under its exemption and the tax rules of the basket. */
  readonly taxCategory: TaxCategory
  readonly taxRule?: TaxRule | null
  /** Tax exemption of this line alone. */
  readonly exemption?: Exemption
  /** Number of pieces in one unit of a pack with its own price. */
  readonly packPieces?: number
  /** Measured quantity of a line with quantity 1. */
  readonly measure?: LineMeasure
  readonly departmentId: string
  readonly categoryId: string | null
  readonly voided: boolean
  /** Catalog price of a piece; only if the price of the line was changed. */
  readonly regularPriceCents?: Cents | null
  /** Discount on the whole line when it was sold, and the number of its pieces then. None by default. */
  readonly discount?: { readonly cents: Cents; readonly pieces: number }
  readonly note?: string | null
  /** Number of the line that this deposit or fee belongs to. */
  readonly chargeOf?: number
  /** Whether this deposit or fee counts for miles. */
  readonly earns?: boolean
  /** Days within which the goods can be returned, by the rules when the line was rung; 0: final sale. */
  readonly returnDays?: number | null
}

/** A payment of the basket. `amountCents`: the portion of the sale that it pays, before cash rounding. */
export interface AppliedTender {
  readonly kind: z.infer<typeof TenderKind>
  readonly amountCents: Cents
}

/**
 * Returns the discount of the remaining pieces of a line: their share of the discount on the whole line, rounded down.
 * It depends only on their number, not on the order of returns.
 */
export const lineDiscount = ({
  quantity,
  voided,
  discount,
}: Pick<BasketLine, 'quantity' | 'voided' | 'discount'>): Cents =>
  voided || !discount || discount.cents === 0
    ? cents(0)
    : cents(Math.floor((discount.cents * quantity) / discount.pieces))

export const lineAmount = (line: Pick<BasketLine, 'quantity' | 'unitPriceCents' | 'voided' | 'discount'>): Cents =>
  line.voided || line.quantity === 0 || line.unitPriceCents === 0
    ? cents(0)
    : cents(line.quantity * line.unitPriceCents - lineDiscount(line))

export const saleLineOf = (line: BasketLine, taxes: readonly StoreTax[]): SaleLine => ({
  number: line.number,
  sku: line.sku,
  name: line.name,
  quantity: line.quantity,
  unitPriceCents: line.unitPriceCents,
  regularPriceCents: line.regularPriceCents ?? null,
  discountCents: lineDiscount(line),
  amountCents: lineAmount(line),
  taxCodes: taxCodesOf(line, taxes),
  voided: line.voided,
  note: line.note ?? null,
  ...(line.exemption ? { exemption: line.exemption } : {}),
  ...(line.chargeOf === undefined ? {} : { chargeOf: line.chargeOf }),
  ...(line.measure ? { measure: line.measure } : {}),
  ...(line.returnDays === 0 ? { finalSale: true } : {}),
})

/**
 * Rounds an amount due to five cents, for cash only (the one-cent coin was withdrawn in 2013). Never returns negative
 * zero.
 */
export const cashDueOf = (dueCents: Cents): Cents => roundToNickel(dueCents)

/**
 * Calculates the totals of a basket, without void lines. `taxes` has an entry for each of the store's taxes, also of
 * zero, so that the layout of a screen does not change while ringing; the rare federal part of HST only where it
 * applies. `dueCents` is negative if more was paid than the sale is worth now (a line voided after a redemption): the
 * caller must give the difference back or refuse the change.
 */
export function totalBasket(
  lines: readonly BasketLine[],
  taxes: readonly StoreTax[],
  tenders: readonly AppliedTender[],
): SaleTotals {
  const amounts = lines.map((line) => ({
    amountCents: lineAmount(line),
    taxCategory: line.taxCategory,
    taxRule: line.taxRule ?? null,
  }))
  const subtotalCents = sumCents(amounts.map(({ amountCents }) => amountCents))
  const taxed = taxBasket(amounts, taxes)
    .filter(({ code, baseCents }) => code !== 'HST-FEDERAL' || baseCents !== 0)
    .map(({ code, amountCents }) => ({ code, amountCents }))
  const totalCents = sumCents([subtotalCents, ...taxed.map(({ amountCents }) => amountCents)])
  const tenderedCents = sumCents(tenders.map(({ amountCents }) => amountCents))
  const dueCents = cents(totalCents - tenderedCents)
  return { subtotalCents, taxes: taxed, totalCents, tenderedCents, dueCents, cashDueCents: cashDueOf(dueCents) }
}

export interface Pieces {
  readonly number: number
  readonly quantity: number
}

export function without(lines: readonly BasketLine[], taken: readonly Pieces[]): BasketLine[] {
  return lines.flatMap((line) => {
    const quantity =
      line.quantity -
      taken.filter(({ number }) => number === line.number).reduce((sum, piece) => sum + piece.quantity, 0)
    return line.voided || quantity <= 0 ? [] : [{ ...line, quantity }]
  })
}
