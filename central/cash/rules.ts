import type { CashResponseCode } from '../../contracts/central/cash.ts'
import { DAILY_REDEMPTION_LIMIT_CENTS } from '../../contracts/miles.ts'

/** The price at which a collector redeems: what a unit costs and gives, and how many a day. */
export interface RedemptionOffer {
  readonly id: string
  readonly type: 'RGL' | 'SPL'
  readonly unitMiles: number
  readonly unitCents: number
  readonly dailyUnitLimit: number
  readonly descEn: string
  readonly descFr: string
}

/** A collector's means of today. */
export interface Standing {
  readonly cashMiles: number
  /** Since midnight at the store, over all sponsors, in cents. */
  readonly redeemedTodayCents: number
  /** Of this offer, within the last 24 hours. */
  readonly redeemedUnits: number
  readonly offer: RedemptionOffer
}

export interface Availability {
  /**
   * Remaining daily redeemable miles, by the day's $750 and by the offer's units, or the balance, whichever is lower
   * (specification 3 §2.4).
   */
  readonly miles: number
  readonly cents: number
  readonly units: number
}

export function availabilityOf({ cashMiles, redeemedTodayCents, redeemedUnits, offer }: Standing): Availability {
  const unitsByLimit = Math.max(0, Math.floor((DAILY_REDEMPTION_LIMIT_CENTS - redeemedTodayCents) / offer.unitCents))
  const unitsByOffer = Math.max(0, offer.dailyUnitLimit - redeemedUnits)
  const miles = Math.max(0, Math.min(cashMiles, Math.min(unitsByLimit, unitsByOffer) * offer.unitMiles))
  const units = Math.floor(miles / offer.unitMiles)
  return { miles, cents: units * offer.unitCents, units }
}

/** Whether a collector may redeem at all (specification 3 §7.2), before amounts are looked at. Undefined: yes. */
export function refusalOf(collector: {
  readonly redemptionAllowed: boolean
  readonly balancesSuppressed: boolean
  readonly offerAvailable: boolean
}): CashResponseCode | undefined {
  if (!collector.redemptionAllowed) return collector.balancesSuppressed ? '0005' : '0006'
  return collector.offerAvailable ? undefined : '0067'
}

/**
 * The code of an INQUIRE whose collector may redeem. A used-up day is no error of INQUIRE: its conditional fields stay
 * away.
 */
export function inquiryCode(standing: Standing, balancesSuppressed: boolean): CashResponseCode {
  if (standing.cashMiles < standing.offer.unitMiles) return '0051'
  return balancesSuppressed ? '0001' : '0000'
}

export type RedeemDecision =
  | { readonly kind: 'apply'; readonly units: number }
  | { readonly kind: 'decline'; readonly code: CashResponseCode }

/** Decides a REDEEM from the asked amount, the purchase and the collector's means. Amounts in cents. */
export function decideRedeem(standing: Standing, askedCents: number, basketCents: number): RedeemDecision {
  const { offer } = standing
  if (askedCents <= 0 || askedCents % offer.unitCents !== 0) return { kind: 'decline', code: '0035' }
  // mutant: whole-purchase-refused
  if (askedCents > basketCents) return { kind: 'decline', code: '0066' }
  const units = askedCents / offer.unitCents
  if (units * offer.unitMiles > standing.cashMiles) return { kind: 'decline', code: '0051' }
  // mutant: day-limit
  if (standing.redeemedTodayCents + askedCents > DAILY_REDEMPTION_LIMIT_CENTS) return { kind: 'decline', code: '0065' }
  // mutant: offer-units-uncounted
  if (standing.redeemedUnits + units > offer.dailyUnitLimit) return { kind: 'decline', code: '0065' }
  return { kind: 'apply', units }
}
