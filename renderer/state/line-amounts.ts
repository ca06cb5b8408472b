import type { Sale, SaleLine } from '../../contracts/api/sales.ts'

type Discount = Sale['discounts'][number]

/** Discounts of this line alone: they stand on it. */
export const ownDiscounts = (sale: Pick<Sale, 'discounts'>, line: number): Discount[] =>
  sale.discounts.filter(({ reach, applies }) => reach.kind === 'line' && reach.number === line && applies)

/**
 * Discounts that reach more than one line: they stand beside the total, and the lines show what they cost before them.
 */
export const sharedDiscounts = ({ discounts }: Pick<Sale, 'discounts'>): Discount[] =>
  discounts.filter(({ reach, applies }) => reach.kind !== 'line' && applies)

/**
 * What a line costs in cents before what is taken off the sale: such amounts, less the shared discounts, are the
 * subtotal.
 */
export const amountOfLine = (sale: Pick<Sale, 'discounts'>, line: SaleLine): number =>
  line.amountCents +
  line.discountCents -
  ownDiscounts(sale, line.number).reduce((sum, { amountCents }) => sum + amountCents, 0)
