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

/** What INQUIRE said that bears on a redemption. A field that it did not return, or not sensibly, is absent. */
export interface InquiryFacts {
  readonly responseCode: string
  readonly availableOfferUnits?: number | undefined
  readonly availableCashMiles?: Miles | undefined
  readonly availableCents?: Cents | undefined
  /** What is available is what the day leaves of a balance that would pay more units. */
  readonly dayBinds?: boolean | undefined
  /** Units per 24 hours. */
  readonly dailyOfferLimit?: number | undefined
  readonly unitMiles?: Miles | undefined
  readonly unitCents?: Cents | undefined
  /** RGL regular, SPL special. */
  readonly offerType?: string | undefined
  readonly offerDesc?: Names | undefined
}

/**
 * Reads the facts of an INQUIRE answer. Negative amounts, fractions and text are treated as not returned. A unit of
 * zero is kept: it makes every redemption impossible, where leaving it out would offer the regular unit instead.
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

/** A third language would be one more field of the answer. Undefined without any. */
function descriptionsOf({ offerDescEn, offerDescFr }: CashResponse): Names | undefined {
  const said = [
    ['en-CA', offerDescEn?.trim()],
    ['fr-CA', offerDescFr?.trim()],
  ].filter(([, words]) => words)
  return said.length === 0 ? undefined : Object.fromEntries(said)
}

/**
 * `availableCashBalance` is "remaining daily redeemable miles or total miles balance, whichever is lower"
 * (specification 3 §2.4): where `cashBalance` holds more units than that, the day is the lower one. Only this yes or no
 * is kept of the balance.
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
  /** What gift cards are of the total: money kept for later, for which miles do not pay. */
  readonly giftCardCents: Cents
  readonly inquiry: InquiryFacts
}

/** How many whole units a value holds; a limit of nothing when the value is negative. */
const unitsIn = (value: number, unit: number): number => Math.max(0, Math.floor(value / unit))

interface Limit {
  readonly by: RedemptionLimit
  readonly units: number
  /** Bounded by the means of the collector. */
  readonly means: boolean
  /** A figure for every day, whatever of it is left today: told only where it decides. */
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
 * The largest redemption in units and what binds it. Limits that tie are named in the order in which a cashier can
 * explain them: the basket first, the offer last. Null when the unit itself is worth nothing.
 */
function largestRedemption({
  postTaxTotalCents,
  dueCents,
  giftCardCents,
  inquiry,
}: RedemptionQuestion): Largest | null {
  const unitCents = inquiry.unitCents ?? cents(REGULAR_UNIT.unitCents)
  const unitMiles = inquiry.unitMiles ?? miles(REGULAR_UNIT.unitMiles)
  if (!(unitCents > 0 && unitMiles > 0)) return null
  const available = inquiry.dayBinds ? 'daily-limit' : 'balance'
  const counted: readonly (readonly [RedemptionLimit, number | undefined, boolean])[] = [
    ['basket', unitsIn(postTaxTotalCents, unitCents), false],
    ['due', unitsIn(dueCents, unitCents), false],
    ['gift-card', giftCardCents === 0 ? undefined : unitsIn(postTaxTotalCents - giftCardCents, unitCents), false],
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
  // What bounds the means of a collector with private balances (0001) would tell the screen about them: what binds is
  // called the offer, the rest is not told.
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
 * The least of each kind, the least of all first; kinds that tie stay in the order in which a cashier can explain them.
 * What is still due, and what is no gift card, is told only where it is less than the basket. A daily limit that is
 * told is what today leaves: the $750 of every day, or the offer's units of 24 hours, only where they decide.
 */
function toldLimits({ limits, unitCents, units: most }: Largest): RedemptionChoice['limits'] {
  const least = new Map<RedemptionLimit, number>()
  for (const { by, units } of limits.filter(({ everyDay, units: daily }) => !everyDay || daily === most))
    least.set(by, Math.min(units, least.get(by) ?? units))
  for (const part of ['due', 'gift-card'] as const) if (least.get(part) === least.get('basket')) least.delete(part)
  return [...least].sort(([, a], [, b]) => a - b).map(([by, units]) => ({ by, amountCents: cents(units * unitCents) }))
}

/**
 * What the collector may redeem on this sale as it stands: whole units, the default the largest (specification 3 §4.5
 * rule 2: 43.35 offers 40, 9.99 offers nothing). Null when there is nothing to offer: then nobody is asked.
 * Miles do not pay for gift cards: the specification is silent, decision 15.
 * INQUIRE answers other than 0000 and 0001 offer nothing, whatever else they carry; nor do those without the
 * conditional fields, which are returned only when a redemption is possible (§2.4).
 */
export function redemptionChoice(question: RedemptionQuestion): RedemptionChoice | null {
  if (refusal(question.inquiry) !== null) return null
  const largest = largestRedemption(question)
  if (!largest || largest.units < 1) return null
  const { units, limitedBy, unitCents, unitMiles } = largest
  return { unitCents, unitMiles, maxUnits: units, defaultUnits: units, limitedBy, limits: toldLimits(largest) }
}

/** Why `redemptionChoice` is null, in the words of the member panel; null when there is a choice. */
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
  return meaningOfCode('inquire', code).noRedemption ?? (offersSomething(inquiry) ? null : whyNothing(inquiry))
}

/** Whether INQUIRE returned any of its conditional fields. */
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

/**
 * The conditional fields stay away where the card, the miles or the day forbid: the balances tell which, unless they
 * are private.
 */
function whyNothing({ responseCode, dayBinds: byDay, availableCashMiles }: InquiryFacts): NoRedemptionReason {
  if (hidesBalances(responseCode)) return 'nothing-offered'
  if (byDay) return 'daily-limit'
  return availableCashMiles !== undefined && availableCashMiles < REGULAR_UNIT.unitMiles
    ? 'insufficient-miles'
    : 'nothing-offered'
}
