import { z } from 'zod'

/** Region codes of the offer service (specification 1 §2.1). */
export const Region = z.enum(['BC', 'AB', 'SK', 'MB', 'ON', 'QC', 'TB', 'NB', 'NS', 'PE', 'NL', 'NT', 'NU', 'YT', 'ZZ'])
export type Region = z.infer<typeof Region>

export const TaxCode = z.enum(['GST', 'HST', 'PST', 'QST'])
export type TaxCode = z.infer<typeof TaxCode>

/**
 * Which taxes an item attracts.
 * standard: all of the region's taxes. federal-only: GST or HST but no PST/QST (books, children's clothes in some provinces).
 * zero-rated: none (basic groceries).
 */
export const TaxCategory = z.enum(['standard', 'federal-only', 'zero-rated'])
export type TaxCategory = z.infer<typeof TaxCategory>

/** A tax of a region: rate in parts per million, so that 9.975 % is exact (99 750). */
export interface RegionTax {
  readonly code: TaxCode
  readonly ratePpm: number
}

const gst: RegionTax = { code: 'GST', ratePpm: 50_000 }
const hst = (percent: number): readonly RegionTax[] => [{ code: 'HST', ratePpm: percent * 10_000 }]
const withPst = (percent: number): readonly RegionTax[] => [gst, { code: 'PST', ratePpm: percent * 10_000 }]

/** Sales tax by region as in force in 2026; a store profile may override it. */
export const REGION_TAXES = {
  BC: withPst(7),
  AB: [gst],
  SK: withPst(6),
  MB: withPst(7),
  ON: hst(13),
  TB: hst(13),
  QC: [gst, { code: 'QST', ratePpm: 99_750 }],
  NB: hst(15),
  NS: hst(14),
  PE: hst(15),
  NL: hst(15),
  NT: [gst],
  NU: [gst],
  YT: [gst],
  ZZ: hst(13),
} as const satisfies Record<Region, readonly RegionTax[]>
