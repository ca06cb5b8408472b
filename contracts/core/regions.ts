import { z } from 'zod'

/** Region codes of the offer service (specification 1 §2.1). */
export const Region = z.enum(['BC', 'AB', 'SK', 'MB', 'ON', 'QC', 'TB', 'NB', 'NS', 'PE', 'NL', 'NT', 'NU', 'YT', 'ZZ'])
export type Region = z.infer<typeof Region>

/**
 * HST-FEDERAL is the federal part of HST alone: what is left where the province rebates its part at the point of sale.
 */
export const TaxCode = z.enum(['GST', 'HST', 'HST-FEDERAL', 'PST', 'QST'])
export type TaxCode = z.infer<typeof TaxCode>

/**
 * What an item is to the tax office. What it means in each region stands in `PROVINCE_TAKES_NOTHING_ON`.
 * standard: all of the region's taxes. book: printed books. children-wear: children's clothing and footwear.
 * diapers: children's diapers. federal-only: the federal tax alone, wherever it is sold (anything else that the store
 * knows its province to relieve). zero-rated: no tax at all (basic groceries).
 */
export const TaxCategory = z.enum(['standard', 'book', 'children-wear', 'diapers', 'federal-only', 'zero-rated'])
export type TaxCategory = z.infer<typeof TaxCategory>

/**
 * Where the province takes nothing, and the federal tax alone is left: its point-of-sale rebate under HST (CRA info
 * sheets GI-063 and GI-065), its own list under PST and QST (BC bulletin PST 201, Manitoba bulletin 001, Revenu
 * Québec). Limits by price or by age (Manitoba: up to $150) are for the catalog to apply: an item beyond them is
 * `standard`.
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
