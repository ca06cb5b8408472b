import { cents, type Cents } from '../../contracts/core/money.ts'
import {
  PROVINCE_TAKES_NOTHING_ON,
  type Region,
  TaxCategory,
  type TaxCode,
  type TaxRule,
} from '../../contracts/core/regions.ts'
import {
  type DatedTaxRate,
  FEDERAL_PPM,
  rateOn,
  REGION_TAXES,
  type TaxRate,
} from '../../contracts/core/region-taxes.ts'
import type { Profile } from '../../contracts/core/profile.ts'
import { perLane } from '../core/context.ts'
import { localDayAt } from '../core/zone.ts'

export interface TaxableLine {
  readonly amountCents: Cents
  readonly taxCategory: TaxCategory
  readonly taxRule?: TaxRule | null
}

export interface TaxAmount {
  readonly code: TaxCode
  readonly amountCents: Cents
  readonly baseCents: Cents
}

export interface StoreTax extends TaxRate {
  readonly on: ReadonlySet<TaxCategory>
}

export type StoreTaxes = () => readonly StoreTax[]

/** Taxes that a customer with an exemption certificate does not pay. */
export type Relief = 'all' | 'provincial'

const PPM = 1_000_000n
const LAST_DAY = '9999-12-31'

/**
 * Returns the taxes of the profile, else of the region, with their rates on a day (YYYY-MM-DD; by default after all
 * announced changes of rates). The region decides which items have a tax. HST is followed by its federal part, for
 * items of which the province gives back its part.
 */
export function taxesOf(
  profileTaxes: readonly ProfileTax[] | undefined,
  region: Region,
  day = LAST_DAY,
): readonly StoreTax[] {
  const dated: readonly DatedTaxRate[] = profileTaxes ? profileTaxes.map(datedOf) : REGION_TAXES[region]
  const rates = dated.map((rate) => rateOn(rate, day))
  const federal: TaxRate[] = rates.some(({ code }) => code === 'HST')
    ? [{ code: 'HST-FEDERAL', ratePpm: FEDERAL_PPM }]
    : []
  return [...rates, ...federal].map((tax) => ({
    ...tax,
    on: new Set(TaxCategory.options.filter((category) => isTaxed(category, tax.code, region))),
  }))
}

type ProfileTax = NonNullable<Profile['taxes']>[number]

const ppmOf = (percent: number): number => Math.round(percent * 10_000)

const datedOf = ({ code, percent, changes = [] }: ProfileTax): DatedTaxRate => ({
  code,
  ratePpm: ppmOf(percent),
  changes: changes.map((change) => ({ from: change.from, ratePpm: ppmOf(change.percent) })),
})

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
 * Returns the taxes for an exempt sale: none, or only the federal ones. If the store has HST, items then have only the
 * federal part of HST.
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

/**
 * Whether a tax of the store applies to a line. Under the rule `no-federal-tax` only PST and QST apply, as in the
 * GST/HST break of 14 December 2024 to 15 February 2025 (S.C. 2024, c. 30; Revenu Québec, GST/HST Break; Saskatchewan
 * IN 2024-03).
 */
const appliesTo = ({ code, on }: StoreTax, { taxCategory, taxRule }: Omit<TaxableLine, 'amountCents'>): boolean =>
  on.has(taxCategory) && (taxRule !== 'no-federal-tax' || code === 'PST' || code === 'QST')

export const taxCodesOf = (line: Omit<TaxableLine, 'amountCents'>, taxes: readonly StoreTax[]): TaxCode[] =>
  taxes.filter((tax) => appliesTo(tax, line)).map(({ code }) => code)

/** Returns `base × rate` in exact integers; half a cent is rounded by magnitude. Never returns negative zero. */
function taxOn(baseCents: Cents, ratePpm: number): Cents {
  const magnitude = BigInt(Math.abs(baseCents))
  const rounded = Number((magnitude * BigInt(ratePpm) + PPM / 2n) / PPM)
  return cents(baseCents < 0 && rounded !== 0 ? -rounded : rounded)
}

/**
 * Returns one entry per tax of the store, in their order, also with an amount of zero. Each tax is calculated once on
 * the sum of its lines: rounding per line would differ from a customer's calculation.
 */
export function taxBasket(lines: readonly TaxableLine[], taxes: readonly StoreTax[]): TaxAmount[] {
  return taxes.map((tax) => {
    const { code, ratePpm } = tax
    let base = 0
    for (const line of lines) if (appliesTo(tax, line)) base += line.amountCents
    const baseCents = cents(base)
    return { code, amountCents: taxOn(baseCents, ratePpm), baseCents }
  })
}

export const storeTaxesOf = perLane(({ profile, clock }): StoreTaxes => {
  let known: { readonly from: Profile['taxes']; readonly day: string; readonly taxes: ReturnType<StoreTaxes> } | null =
    null
  return () => {
    const from = profile.taxes
    const day = localDayAt(clock.now(), profile.timeZone)
    if (known === null || known.from !== from || known.day !== day)
      known = { from, day, taxes: taxesOf(from, profile.region, day) }
    return known.taxes
  }
})
