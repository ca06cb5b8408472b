import type { TaxCode, Region } from './regions.ts'

/** A tax rate in parts per million, so that 9.975 % is exact (99 750). */
export interface TaxRate {
  readonly code: TaxCode
  readonly ratePpm: number
}

/** The federal rate, collected as GST or as a part of HST. */
export const FEDERAL_PPM = 50_000

const gst: TaxRate = { code: 'GST', ratePpm: FEDERAL_PPM }

export const hst = (percent: number): readonly TaxRate[] => [{ code: 'HST', ratePpm: percent * 10_000 }]

const withPst = (percent: number): readonly TaxRate[] => [gst, { code: 'PST', ratePpm: percent * 10_000 }]

/** Sales taxes by region as in force in 2026; a store profile may override them. */
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

/**
 * IANA time zones of the stores of a region. Another zone, or one without the region's daylight saving (EST,
 * Etc/GMT+5), would shift the end of the reversal window, 03:00 at the store, by an hour for half a year. The first
 * zone of a region is its main one; further zones are those of its north-west, its islands or a border town.
 */
export const REGION_ZONES = {
  BC: ['America/Vancouver', 'America/Edmonton', 'America/Creston', 'America/Dawson_Creek', 'America/Fort_Nelson'],
  AB: ['America/Edmonton'],
  SK: ['America/Regina', 'America/Swift_Current', 'America/Edmonton'],
  MB: ['America/Winnipeg'],
  ON: [
    'America/Toronto',
    'America/Winnipeg',
    'America/Thunder_Bay',
    'America/Nipigon',
    'America/Rainy_River',
    'America/Atikokan',
  ],
  TB: ['America/Toronto', 'America/Thunder_Bay'],
  QC: ['America/Toronto', 'America/Montreal', 'America/Halifax', 'America/Blanc-Sablon'],
  NB: ['America/Moncton', 'America/Halifax'],
  NS: ['America/Halifax', 'America/Glace_Bay'],
  PE: ['America/Halifax'],
  NL: ['America/St_Johns', 'America/Goose_Bay'],
  NT: ['America/Yellowknife', 'America/Edmonton', 'America/Inuvik'],
  NU: [
    'America/Iqaluit',
    'America/Pangnirtung',
    'America/Rankin_Inlet',
    'America/Resolute',
    'America/Cambridge_Bay',
    'America/Coral_Harbour',
    'America/Atikokan',
  ],
  YT: ['America/Whitehorse', 'America/Dawson'],
  // Region ZZ is reserved for automated tests and has no zone.
  ZZ: [],
} as const satisfies Record<Region, readonly string[]>
