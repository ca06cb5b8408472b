import type { TaxCode, Region } from './regions.ts'

/** A tax rate in parts per million, so that 9.975 % is exact (99 750). */
export interface TaxRate {
  readonly code: TaxCode
  readonly ratePpm: number
}

/** A rate with its later changes, oldest first; each applies from 00:00 of its day (YYYY-MM-DD) at the store. */
export interface DatedTaxRate extends TaxRate {
  readonly changes?: readonly { readonly from: string; readonly ratePpm: number }[]
}

/** Returns the rate on a day (YYYY-MM-DD). */
export const rateOn = ({ code, ratePpm, changes = [] }: DatedTaxRate, day: string): TaxRate => ({
  code,
  ratePpm: changes.findLast(({ from }) => from <= day)?.ratePpm ?? ratePpm,
})

/** The federal rate, collected as GST or as a part of HST. */
export const FEDERAL_PPM = 50_000

const gst: TaxRate = { code: 'GST', ratePpm: FEDERAL_PPM }

export const hst = (percent: number): readonly TaxRate[] => [{ code: 'HST', ratePpm: percent * 10_000 }]

const withPst = (percent: number): readonly TaxRate[] => [gst, { code: 'PST', ratePpm: percent * 10_000 }]

/** Nova Scotia lowered its part of the HST from 10 % to 9 % on 1 April 2025 (CRA GST/HST Notice 342). */
const NOVA_SCOTIA: readonly DatedTaxRate[] = [
  { code: 'HST', ratePpm: 150_000, changes: [{ from: '2025-04-01', ratePpm: 140_000 }] },
]

/** Sales taxes by region with announced changes; a store profile may override them. */
export const REGION_TAXES = {
  BC: withPst(7),
  AB: [gst],
  SK: withPst(6),
  MB: withPst(7),
  ON: hst(13),
  TB: hst(13),
  QC: [gst, { code: 'QST', ratePpm: 99_750 }],
  NB: hst(15),
  NS: NOVA_SCOTIA,
  PE: hst(15),
  NL: hst(15),
  NT: [gst],
  NU: [gst],
  YT: [gst],
  ZZ: hst(13),
} as const satisfies Record<Region, readonly DatedTaxRate[]>

/** Tax rules that look at the whole basket, after promotions, discounts and store coupons. */
export interface BasketTaxRules {
  /** Number of baked servings in a sale from which all of them are zero-rated. */
  readonly bakedServings: number
  /**
   * Highest total, before tax, of prepared food and drinks on which the province rebates its part of HST; null: no such
   * rebate.
   */
  readonly preparedFoodCents: number | null
}

/**
 * Six or more single servings of sweetened bakery goods, also as an assortment: Excise Tax Act, Schedule VI, Part III,
 * s. 1(m); CRA GST/HST Memorandum 4.3, Basic Groceries. Québec follows (Revenu Québec, Basic Groceries).
 */
const EVERYWHERE: BasketTaxRules = { bakedServings: 6, preparedFoodCents: null }
/**
 * Ontario rebates 8 % on qualifying prepared food and drinks sold for a total of $4.00 or less: CRA info sheet GI-064;
 * Deduction for Provincial Rebate (GST/HST) Regulations, SOR/2001-65; O. Reg. 262/10.
 */
const ONTARIO: BasketTaxRules = { ...EVERYWHERE, preparedFoodCents: 400 }

const BASKET_TAX_RULES: Readonly<Partial<Record<Region, BasketTaxRules>>> = { ON: ONTARIO, TB: ONTARIO }
export const basketTaxRulesOf = (region: Region): BasketTaxRules => BASKET_TAX_RULES[region] ?? EVERYWHERE

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
