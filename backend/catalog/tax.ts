import { cents, type Cents } from '../../contracts/core/money.ts'
import { PROVINCE_TAKES_NOTHING_ON, type Region, TaxCategory, type TaxCode } from '../../contracts/core/regions.ts'
import { FEDERAL_PPM, REGION_TAXES, type TaxRate } from '../../contracts/core/region-taxes.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import { perLane } from '../core/context.ts'

export interface TaxableLine {
  /** Pre-tax amount of the whole line; negative on a return. */
  readonly amountCents: Cents
  readonly taxCategory: TaxCategory
}

export interface TaxAmount {
  readonly code: TaxCode
  readonly amountCents: Cents
  /** Sum of the lines to which the tax applies. */
  readonly baseCents: Cents
}

/** A tax of the store, with the categories to which it applies. */
export interface StoreTax extends TaxRate {
  readonly on: ReadonlySet<TaxCategory>
}

/** Returns the current taxes of the store. */
export type StoreTaxes = () => readonly StoreTax[]

/** Taxes from which a customer with an exemption certificate is exempt. */
export type Relief = 'all' | 'provincial'

const PPM = 1_000_000n

/**
 * Returns the taxes of a store: those that the profile defines, else those of the region. The region decides to which
 * items a tax applies. After HST follows its federal part, for items on which the province rebates its part.
 */
export function taxesOf(
  profileTaxes: readonly { readonly code: TaxCode; readonly percent: number }[] | undefined,
  region: Region,
): readonly StoreTax[] {
  const rates: readonly TaxRate[] = profileTaxes
    ? profileTaxes.map(({ code, percent }) => ({ code, ratePpm: Math.round(percent * 10_000) }))
    : REGION_TAXES[region]
  const federal: TaxRate[] = rates.some(({ code }) => code === 'HST')
    ? [{ code: 'HST-FEDERAL', ratePpm: FEDERAL_PPM }]
    : []
  return [...rates, ...federal].map((tax) => ({
    ...tax,
    on: new Set(TaxCategory.options.filter((category) => isTaxed(category, tax.code, region))),
  }))
}

function isTaxed(category: TaxCategory, code: TaxCode, region: Region): boolean {
  if (category === 'zero-rated') return false
  const relieved: readonly TaxCategory[] = ['federal-only', ...PROVINCE_TAKES_NOTHING_ON[region]]
  switch (code) {
    case 'GST':
      return true
    case 'HST':
    case 'PST':
    case 'QST':
      return !relieved.includes(category)
    case 'HST-FEDERAL':
      return relieved.includes(category)
  }
}

/**
 * Returns the taxes of the store for an exempt sale: none, or only the federal ones. In a province with HST, items then
 * have the federal part of HST, if the store has one.
 */
export function exempt(taxes: readonly StoreTax[], relief: Relief): readonly StoreTax[] {
  const none: ReadonlySet<TaxCategory> = new Set()
  if (relief === 'all') return taxes.map((tax) => ({ ...tax, on: none }))
  const underHst = taxes.find(({ code }) => code === 'HST')?.on ?? none
  return taxes.map((tax) => {
    switch (tax.code) {
      case 'GST':
        return tax
      case 'HST-FEDERAL':
        return { ...tax, on: new Set([...tax.on, ...underHst]) }
      case 'HST':
      case 'PST':
      case 'QST':
        return { ...tax, on: none }
    }
  })
}

/** Codes of the taxes that apply to this category, in the order of the store's taxes. */
export const taxCodesOf = (category: TaxCategory, taxes: readonly StoreTax[]): TaxCode[] =>
  taxes.filter(({ on }) => on.has(category)).map(({ code }) => code)

/** Returns `base × rate`, rounded half up by magnitude, in exact integers. Never returns negative zero. */
function taxOn(baseCents: Cents, ratePpm: number): Cents {
  const magnitude = BigInt(Math.abs(baseCents))
  const rounded = Number((magnitude * BigInt(ratePpm) + PPM / 2n) / PPM)
  return cents(baseCents < 0 && rounded !== 0 ? -rounded : rounded)
}

/**
 * Returns one entry per tax of the store, in their order, including zero amounts. Each tax is calculated once on the
 * sum of its lines, because rounding per line would differ from a customer's calculation.
 */
export function taxBasket(lines: readonly TaxableLine[], taxes: readonly StoreTax[]): TaxAmount[] {
  return taxes.map(({ code, ratePpm, on }) => {
    let base = 0
    for (const line of lines) if (on.has(line.taxCategory)) base += line.amountCents
    const baseCents = cents(base)
    return { code, amountCents: taxOn(baseCents, ratePpm), baseCents }
  })
}

/** Taxes of the current profile, calculated once per profile. */
export const storeTaxesOf = perLane(({ profile }): StoreTaxes => {
  let known: { readonly from: Profile['taxes']; readonly taxes: ReturnType<StoreTaxes> } | null = null
  return () => {
    const from = profile.taxes
    if (known === null || known.from !== from) known = { from, taxes: taxesOf(from, profile.region) }
    return known.taxes
  }
})
