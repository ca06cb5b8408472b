import type { Region, TaxCode } from './regions.ts'

/** A tax at its rate, in parts per million, so that 9.975 % is exact (99 750). */
export interface TaxRate {
  readonly code: TaxCode
  readonly ratePpm: number
}

/** The federal tax, whether it is collected as GST or as a part of HST. */
export const FEDERAL_PPM = 50_000

const gst: TaxRate = { code: 'GST', ratePpm: FEDERAL_PPM }
const hst = (percent: number): readonly TaxRate[] => [{ code: 'HST', ratePpm: percent * 10_000 }]
const withPst = (percent: number): readonly TaxRate[] => [gst, { code: 'PST', ratePpm: percent * 10_000 }]

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
} as const satisfies Record<Region, readonly TaxRate[]>
