import { cents, type Cents } from '../../contracts/money.ts'
import { REGION_TAXES, type Region, type RegionTax, type TaxCategory, type TaxCode } from '../../contracts/regions.ts'

export interface TaxableLine {
  /** Pre-tax amount of the whole line; negative on a return. */
  readonly amountCents: Cents
  readonly taxCategory: TaxCategory
}

export interface TaxAmount {
  readonly code: TaxCode
  readonly amountCents: Cents
  /** The sum that the tax was taken on. */
  readonly baseCents: Cents
}

const PPM = 1_000_000n
const FEDERAL: ReadonlySet<TaxCode> = new Set(['GST', 'HST'])

/** The taxes of a store: those of its profile when it states any, else those of its region. */
export function taxesOf(
  profileTaxes: readonly { readonly code: TaxCode; readonly percent: number }[] | undefined,
  region: Region,
): readonly RegionTax[] {
  if (!profileTaxes) return REGION_TAXES[region]
  return profileTaxes.map(({ code, percent }) => ({ code, ratePpm: Math.round(percent * 10_000) }))
}

const attracts = (category: TaxCategory, code: TaxCode): boolean => {
  switch (category) {
    case 'standard': return true
    case 'federal-only': return FEDERAL.has(code)
    case 'zero-rated': return false
  }
}

/** The codes of the taxes that an item of this category attracts, in the order of the store's taxes. */
export const taxCodesOf = (category: TaxCategory, taxes: readonly RegionTax[]): TaxCode[] =>
  taxes.filter(({ code }) => attracts(category, code)).map(({ code }) => code)

/** `base × rate`, rounded half up on the magnitude, in exact integers. Never negative zero. */
function taxOn(baseCents: Cents, ratePpm: number): Cents {
  const magnitude = BigInt(Math.abs(baseCents))
  const rounded = Number((magnitude * BigInt(ratePpm) + PPM / 2n) / PPM)
  return cents(baseCents < 0 && rounded !== 0 ? -rounded : rounded)
}

/**
 * One entry for each of the store's taxes, zero amounts included, in their order. Each tax is taken once on the
 * sum of the lines that attract it: rounding line by line would drift from what the customer can check by hand.
 */
export function taxBasket(lines: readonly TaxableLine[], taxes: readonly RegionTax[]): TaxAmount[] {
  return taxes.map(({ code, ratePpm }) => {
    let base = 0
    for (const line of lines) if (attracts(line.taxCategory, code)) base += line.amountCents
    const baseCents = cents(base)
    return { code, amountCents: taxOn(baseCents, ratePpm), baseCents }
  })
}
