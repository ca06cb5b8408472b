import type { NoRedemptionReason, RedemptionChoice, RedemptionLimit } from '../../../contracts/sales/sales.ts'
import type { CashResponse } from '../../../contracts/central/cash.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import {
  type Cents,
  DAILY_REDEMPTION_LIMIT_CENTS,
  type Miles,
  REGULAR_UNIT,
  cents,
  miles,
} from '../../../contracts/core/money.ts'
import { hidesBalances, knownCode, meaningOfCode } from '../../core/central/response-codes.ts'
import { dollarAmount, wholeNumber } from '../../core/central/wire.ts'

/** Facts of an INQUIRE answer that decide a redemption. A missing or invalid field is absent. */
export interface InquiryFacts {
  readonly responseCode: string
  readonly availableOfferUnits?: number | undefined
  readonly availableCashMiles?: Miles | undefined
  readonly availableCents?: Cents | undefined
  /** Whether the daily limit, and not the balance, limits the available miles. */
  readonly dayBinds?: boolean | undefined
  readonly dailyOfferLimit?: number | undefined
  readonly unitMiles?: Miles | undefined
  readonly unitCents?: Cents | undefined
  readonly offerType?: string | undefined
  readonly offerDesc?: Names | undefined
}

/**
 * Reads the facts of an INQUIRE answer. Negative amounts, fractions and text count as absent. A unit of zero remains:
 * it prevents every redemption, while an absent one would mean the regular unit.
 */
export function inquiryFacts(response: CashResponse): InquiryFacts {
  const unitMiles = milesOf(response.unitValueLoyaltyCash)
  const availableCashMiles = milesOf(response.availableCashBalance)
  const facts = {
    availableOfferUnits: wholeNumber(response.availableOfferUnits),
    availableCashMiles,
    dayBinds:
      dayBinds(availableCashMiles, milesOf(response.cashBalance), unitMiles ?? miles(REGULAR_UNIT.unitMiles)) ||
      undefined,
    availableCents: dollarAmount(response.availableDollarAmount),
    dailyOfferLimit: wholeNumber(response.dailyOfferLimit),
    unitMiles,
    unitCents: dollarAmount(response.unitValueDollars),
    offerType: response.offerType?.trim().toUpperCase() || undefined,
    offerDesc: descriptionsOf(response),
  }
  const returned = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
  return { responseCode: response.responseCode.trim(), ...(returned as Partial<typeof facts>) }
}

function descriptionsOf({ offerDescEn, offerDescFr }: CashResponse): Names | undefined {
  const limits = [
    ['en-CA', offerDescEn?.trim()],
    ['fr-CA', offerDescFr?.trim()],
  ].filter(([, words]) => words)
  return limits.length === 0 ? undefined : Object.fromEntries(limits)
}

/**
 * Whether the day's limit caps the available miles. `availableCashBalance` is the lower of the remaining daily
 * redeemable miles and the total miles balance (specification 3 §2.4): if `cashBalance` has more units, the day's limit
 * is the lower one. Of the balance, only this boolean is stored.
 */
const dayBinds = (available: Miles | undefined, balance: Miles | undefined, unitMiles: Miles): boolean =>
  available !== undefined &&
  balance !== undefined &&
  unitMiles > 0 &&
  unitsIn(available, unitMiles) < unitsIn(balance, unitMiles)

function milesOf(text: string | undefined): Miles | undefined {
  const value = wholeNumber(text)
  return value === undefined ? undefined : miles(value)
}

export interface RedemptionQuestion {
  readonly postTaxTotalCents: Cents
  readonly dueCents: Cents
  /**
   * Amount that miles may pay of the total: without gift cards, deposits, and what miles, coupons or store credit have
   * paid.
   */
  readonly goodsCents: Cents
  readonly inquiry: InquiryFacts
}

const unitsIn = (value: number, unit: number): number => Math.max(0, Math.floor(value / unit))

interface Limit {
  readonly by: RedemptionLimit
  readonly units: number
  /** Whether the limit reveals the collector's balance, and so is hidden if balances are private. */
  readonly means: boolean
  /** Whether this is a daily limit that does not depend on the balance. It is listed only if it decides. */
  readonly everyDay: boolean
}
interface Largest {
  readonly units: number
  readonly limitedBy: RedemptionLimit
  readonly unitCents: Cents
  readonly unitMiles: Miles
  readonly limits: readonly Limit[]
}

/**
 * Returns the largest redemption in units and the limit that decides it. Of equal limits, the one that a cashier can
 * explain most easily is named: the basket first, the redemption offer last. Null for a unit of zero.
 */
function largestRedemption({ postTaxTotalCents, dueCents, goodsCents, inquiry }: RedemptionQuestion): Largest | null {
  const unitCents = inquiry.unitCents ?? cents(REGULAR_UNIT.unitCents)
  const unitMiles = inquiry.unitMiles ?? miles(REGULAR_UNIT.unitMiles)
  if (!(unitCents > 0 && unitMiles > 0)) return null
  const available = inquiry.dayBinds ? 'daily-limit' : 'balance'
  const counted: readonly (readonly [RedemptionLimit, number | undefined, boolean])[] = [
    ['basket', unitsIn(postTaxTotalCents, unitCents), false],
    ['due', unitsIn(dueCents, unitCents), false],
    [
      'gift-card',
      goodsCents >= Math.min(postTaxTotalCents, dueCents) ? undefined : unitsIn(goodsCents, unitCents),
      false,
    ],
    ['daily-limit', unitsIn(DAILY_REDEMPTION_LIMIT_CENTS, unitCents), false],
    ['daily-limit', inquiry.dailyOfferLimit, false],
    [
      available,
      inquiry.availableCashMiles === undefined ? undefined : unitsIn(inquiry.availableCashMiles, unitMiles),
      true,
    ],
    [available, inquiry.availableCents === undefined ? undefined : unitsIn(inquiry.availableCents, unitCents), true],
    ['offer', inquiry.availableOfferUnits, true],
  ]
  const known: Limit[] = counted.flatMap(([by, units, means]) =>
    units === undefined || Number.isNaN(units) || units < 0
      ? []
      : [{ by, units: Math.floor(units), means, everyDay: by === 'daily-limit' && !means }],
  )
  const least = known.reduce(
    (lowest: Limit | undefined, limit) => (lowest === undefined || limit.units < lowest.units ? limit : lowest),
    undefined,
  )
  if (!least) return null
  // Balances are private (response code 0001): do not name limits that reveal them. If such a limit decides, it is
  // named `offer`.
  const limits = hidesBalances(inquiry.responseCode)
    ? [...known.filter(({ means }) => !means), ...(least.means ? [{ ...least, by: 'offer' as const }] : [])]
    : known
  return {
    units: least.units,
    limitedBy: limits.find((limit) => limit.units === least.units)?.by ?? 'offer',
    unitCents,
    unitMiles,
    limits,
  }
}

/**
 * Returns the smallest limit of each kind, the smallest first; equal limits in the order in which a cashier can explain
 * them. The amount due and the gift card limit are listed only if below the basket. Daily limits are what is left
 * today; the general $750 a day and the redemption offer's units per 24 hours are listed only if they decide.
 */
function statedLimits({ limits, unitCents, units: most }: Largest): RedemptionChoice['limits'] {
  const least = new Map<RedemptionLimit, number>()
  for (const { by, units } of limits.filter(({ everyDay, units: daily }) => !everyDay || daily === most))
    least.set(by, Math.min(units, least.get(by) ?? units))
  for (const part of ['due', 'gift-card'] as const) if (least.get(part) === least.get('basket')) least.delete(part)
  return [...least].sort(([, a], [, b]) => a - b).map(([by, units]) => ({ by, amountCents: cents(units * unitCents) }))
}

/**
 * Returns the possible redemption on this sale, in whole units with the largest as default (specification 3 §4.5 rule
 * 2: 40 for a basket of 43.35, none for 9.99), or null. Miles do not pay for gift cards and deposits (not specified;
 * decision 15). Null for INQUIRE answers other than 0000 and 0001, and for those without the conditional fields, which
 * are returned only when a redemption is possible (specification 3 §2.4).
 */
export function redemptionChoice(question: RedemptionQuestion): RedemptionChoice | null {
  if (refusal(question.inquiry) !== null) return null
  const largest = largestRedemption(question)
  if (!largest || largest.units < 1) return null
  const { units, limitedBy, unitCents, unitMiles } = largest
  return { unitCents, unitMiles, maxUnits: units, defaultUnits: units, limitedBy, limits: statedLimits(largest) }
}

/** Returns the reason that the member panel shows if no redemption is possible; null if one is possible. */
export function noRedemptionReason(question: RedemptionQuestion): NoRedemptionReason | null {
  const refused = refusal(question.inquiry)
  if (refused !== null) return refused
  const largest = largestRedemption(question)
  if (!largest) return 'central-refused'
  if (largest.units >= 1) return null
  switch (largest.limitedBy) {
    case 'basket':
    case 'due':
      return 'basket-too-small'
    case 'gift-card':
      return 'gift-card'
    case 'daily-limit':
      return 'daily-limit'
    case 'balance':
      return 'insufficient-miles'
    case 'offer':
      return 'not-allowed'
  }
}

function refusal(inquiry: InquiryFacts): NoRedemptionReason | null {
  const code = knownCode(inquiry.responseCode)
  if (code === undefined) return 'central-refused'
  return meaningOfCode('inquire', code).noRedemption ?? (offersSomething(inquiry) ? null : reasonForNone(inquiry))
}

const offersSomething = ({
  availableOfferUnits,
  dailyOfferLimit,
  unitMiles,
  unitCents,
  offerType,
  offerDesc,
}: InquiryFacts): boolean =>
  [availableOfferUnits, dailyOfferLimit, unitMiles, unitCents, offerType, offerDesc].some(
    (value) => value !== undefined,
  )

function reasonForNone({ responseCode, dayBinds: byDay, availableCashMiles }: InquiryFacts): NoRedemptionReason {
  if (hidesBalances(responseCode)) return 'nothing-offered'
  if (byDay) return 'daily-limit'
  return availableCashMiles !== undefined && availableCashMiles < REGULAR_UNIT.unitMiles
    ? 'insufficient-miles'
    : 'nothing-offered'
}
