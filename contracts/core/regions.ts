import { z } from 'zod'

/** Region codes of the offer service (specification 1 §2.1). */
export const Region = z.enum(['BC', 'AB', 'SK', 'MB', 'ON', 'QC', 'TB', 'NB', 'NS', 'PE', 'NL', 'NT', 'NU', 'YT', 'ZZ'])
export type Region = z.infer<typeof Region>

/**
 * Taxes of the regions. HST-FEDERAL is the federal part of HST: the only part due on goods for which the province gives
 * its part back at the point of sale.
 */
export const TaxCode = z.enum(['GST', 'HST', 'HST-FEDERAL', 'PST', 'QST'])
export type TaxCode = z.infer<typeof TaxCode>

/**
 * Tax category of an item; `PROVINCE_TAKES_NOTHING_ON` has the effect in each region. standard: all taxes of the
 * region. book: printed books. children-wear: children's clothing and footwear. diapers: children's diapers.
 * federal-only: only the federal tax, in every region (other goods on which the province takes no tax). zero-rated: no
 * tax (basic groceries).
 */
export const TaxCategory = z.enum(['standard', 'book', 'children-wear', 'diapers', 'federal-only', 'zero-rated'])
export type TaxCategory = z.infer<typeof TaxCategory>

/**
 * Rule of an item that may replace its tax category. `basketTaxRulesOf` has the limits of each region.
 * baked-serving: single serving of sweetened bakery goods that is not prepackaged. prepared-food: food heated or
 * prepared for immediate consumption. dispensed-drink: drink poured at the place of sale. packaged-drink: single drink
 * in its package. no-federal-tax: no GST and no HST, but the other taxes of the category.
 */
export const TaxRule = z.enum(['baked-serving', 'prepared-food', 'dispensed-drink', 'packaged-drink', 'no-federal-tax'])
export type TaxRule = z.infer<typeof TaxRule>

/**
 * Categories without provincial tax: point-of-sale rebates under HST (CRA info sheets GI-063 and GI-065), provincial
 * lists under PST and QST (BC bulletin PST 201, Manitoba bulletin 001, Revenu Québec). The catalog applies limits of
 * price or age (Manitoba: up to $150): an item beyond them is `standard`.
 */
export const PROVINCE_TAKES_NOTHING_ON = {
  BC: ['book', 'children-wear', 'diapers'],
  AB: [],
  SK: ['book'],
  MB: ['book', 'children-wear', 'diapers'],
  ON: ['book', 'children-wear', 'diapers'],
  TB: ['book', 'children-wear', 'diapers'],
  QC: ['book', 'diapers'],
  NB: ['book'],
  NS: ['book', 'children-wear', 'diapers'],
  PE: ['book', 'children-wear'],
  NL: ['book'],
  NT: [],
  NU: [],
  YT: [],
  ZZ: ['book', 'children-wear', 'diapers'],
} as const satisfies Record<Region, readonly TaxCategory[]>
