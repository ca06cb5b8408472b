import type { SwitchAnswer } from '../program/repository.ts'

/** The people of the seed data. The table in README.md tells testers who they are; the numbers are a promise. */
export interface SeedCollector {
  readonly number: string
  readonly role: string
  readonly cash: number
  readonly dream: number
  readonly state?: 'closed' | 'deleted'
  readonly balancesSuppressed?: true
  readonly redemptionAllowed?: false
  readonly offerAvailable?: false
  readonly redemptionOfferId?: string
  readonly redeemedElsewhereCents?: number
  readonly issuanceDelayed?: true
  readonly switchAnswer?: SwitchAnswer
  /** A redemption of one regular unit, thirty days before the data was laid, under this confirmation number. */
  readonly oldRedemption?: string
  /** Share of issued miles that goes to cash; half when left out. */
  readonly cashSharePercent?: number
}

export const REGULAR_OFFER = 'RGL-95'
export const SPECIAL_OFFER = 'SPL-76'

export const SEED_REDEMPTION_OFFERS = [
  {
    id: REGULAR_OFFER,
    type: 'RGL',
    unitMiles: 95,
    unitCents: 1_000,
    dailyUnitLimit: 75,
    descEn: '$10 off for every 95 miles',
    descFr: '10 $ de rabais pour 95 milles',
  },
  {
    id: SPECIAL_OFFER,
    type: 'SPL',
    unitMiles: 76,
    unitCents: 1_000,
    dailyUnitLimit: 20,
    descEn: 'Member days: $10 off for only 76 miles',
    descFr: 'Jours des membres : 10 $ de rabais pour 76 milles seulement',
  },
] as const

/** 80000000099 is deliberately absent: the program does not know it. */
export const SEED_COLLECTORS: readonly SeedCollector[] = [
  { number: '80000000011', role: 'fine', cash: 4_750, dream: 12_300 },
  { number: '80000000022', role: 'balances suppressed', cash: 2_850, dream: 6_120, balancesSuppressed: true },
  {
    number: '80000000033',
    role: 'suppressed, may not redeem',
    cash: 1_900,
    dream: 4_400,
    balancesSuppressed: true,
    redemptionAllowed: false,
  },
  { number: '80000000044', role: 'may not redeem', cash: 1_330, dream: 900, redemptionAllowed: false },
  { number: '80000000055', role: 'poor', cash: 40, dream: 310 },
  { number: '80000000066', role: 'near the daily limit', cash: 9_500, dream: 2_075, redeemedElsewhereCents: 73_000 },
  { number: '80000000077', role: 'special offer', cash: 3_800, dream: 1_640, redemptionOfferId: SPECIAL_OFFER },
  { number: '80000000088', role: 'closed', cash: 0, dream: 0, state: 'closed' },
  { number: '80000000101', role: 'deleted', cash: 0, dream: 0, state: 'deleted' },
  { number: '80000000112', role: 'redemption offer unavailable', cash: 2_375, dream: 700, offerAvailable: false },
  { number: '80000000123', role: 'issuances wait', cash: 950, dream: 950, issuanceDelayed: true },
  { number: '80000000134', role: 'daily limit used up', cash: 5_000, dream: 100, redeemedElsewhereCents: 75_000 },
  { number: '80000000145', role: 'all miles to cash', cash: 1_045, dream: 0, cashSharePercent: 100 },
  { number: '80000000156', role: 'the switch times out', cash: 1_900, dream: 500, switchAnswer: '0008' },
  { number: '80000000167', role: 'the server fails', cash: 1_900, dream: 500, switchAnswer: '0096' },
  { number: '80000000178', role: 'redeemed a month ago', cash: 1_140, dream: 250, oldRedemption: '100000000001' },
  { number: '80000000189', role: 'the switch is away on purpose', cash: 1_900, dream: 500, switchAnswer: '0092' },
]
