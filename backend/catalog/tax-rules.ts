import type { BasketTaxRules } from '../../contracts/core/region-taxes.ts'
import type { TaxCategory, TaxRule } from '../../contracts/core/regions.ts'
import type { Cents } from '../../contracts/core/money.ts'
import type { Relief } from './tax.ts'

/** A line with the amount that the tax rules count: after promotions, discounts and store coupons. */
export interface RuledLine {
  readonly taxCategory: TaxCategory
  readonly taxRule: TaxRule | null
  /** Number of single pieces, also of those in packs. */
  readonly quantity: number
  readonly amountCents: Cents
  readonly voided: boolean
}

/**
 * Returns the tax category of each line under the rules that look at the whole basket. A line keeps its category where
 * no rule applies. `contracts/core/region-taxes.ts` cites the sources of the limits.
 */
export function ruledCategories(lines: readonly RuledLine[], rules: BasketTaxRules): TaxCategory[] {
  const sold = lines.filter(({ voided }) => !voided)
  const servings = sold.reduce((sum, line) => (line.taxRule === 'baked-serving' ? sum + line.quantity : sum), 0)
  const isZeroRated = servings >= rules.bakedServings
  const isFood = ({ taxRule }: RuledLine): boolean =>
    taxRule === 'prepared-food' || (taxRule === 'baked-serving' && !isZeroRated)
  // A packaged drink qualifies only if it is sold with prepared food (SOR/2001-65, definition of qualifying food).
  const hasFood = sold.some(isFood)
  const isPrepared = (line: RuledLine): boolean =>
    isFood(line) || line.taxRule === 'dispensed-drink' || (line.taxRule === 'packaged-drink' && hasFood)
  const preparedCents = sold.filter(isPrepared).reduce((sum, { amountCents }) => sum + amountCents, 0)
  const isRebated = rules.preparedFoodCents !== null && preparedCents <= rules.preparedFoodCents
  return lines.map((line) => {
    if (line.voided || line.taxCategory === 'zero-rated') return line.taxCategory
    if (line.taxRule === 'baked-serving' && isZeroRated) return 'zero-rated'
    return isRebated && isPrepared(line) ? 'federal-only' : line.taxCategory
  })
}

/**
 * Returns the category with the lowest tax that a piece could have in any basket: a baked serving with enough others is
 * zero-rated, and prepared food for no more than the limit has only the federal tax. `pieceCents`: the price of the
 * piece with its fees.
 */
export function lowestCategory(
  { taxCategory, taxRule = null }: { readonly taxCategory: TaxCategory; readonly taxRule?: TaxRule | null },
  pieceCents: Cents,
  { preparedFoodCents }: BasketTaxRules,
): TaxCategory {
  if (taxCategory === 'zero-rated') return taxCategory
  switch (taxRule) {
    case 'baked-serving':
      return 'zero-rated'
    case 'prepared-food':
    case 'dispensed-drink':
    case 'packaged-drink':
      return preparedFoodCents !== null && pieceCents <= preparedFoodCents ? 'federal-only' : taxCategory
    case 'no-federal-tax':
    case null:
      return taxCategory
  }
}

/**
 * Returns the tax category of a line with an exemption: `zero-rated` for all taxes, `federal-only` for the provincial
 * tax.
 */
export function relievedCategory(category: TaxCategory, relief: Relief | null): TaxCategory {
  if (relief === null || category === 'zero-rated') return category
  return relief === 'all' ? 'zero-rated' : 'federal-only'
}
