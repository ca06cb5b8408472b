import { CASH_RESPONSE_CODES, type CashResponseCode } from '../../../contracts/central/cash.ts'
import { DAILY_REDEMPTION_LIMIT_CENTS } from '../../../contracts/core/money.ts'
import { type Answer, type Flaw, type Shape, present, readableFields } from '../http/answer.ts'

export interface RedemptionOffer {
  readonly id: string
  readonly type: 'RGL' | 'SPL'
  readonly unitMiles: number
  readonly unitCents: number
  readonly dailyUnitLimit: number
  readonly descEn: string
  readonly descFr: string
}

export interface RedemptionStatus {
  readonly cashMiles: number
  readonly redeemedTodayCents: number
  /** Units of this redemption offer that the collector redeemed within the last 24 hours. */
  readonly redeemedUnits: number
  readonly offer: RedemptionOffer
}

export interface Availability {
  /**
   * Miles that can be redeemed: the lowest of the balance, what is left of the $750 per day, and what is left of the
   * redemption offer's units (specification 3 §2.4).
   */
  readonly miles: number
  readonly cents: number
  readonly units: number
}

export function availabilityOf({
  cashMiles,
  redeemedTodayCents,
  redeemedUnits,
  offer,
}: RedemptionStatus): Availability {
  const unitsByLimit = Math.max(0, Math.floor((DAILY_REDEMPTION_LIMIT_CENTS - redeemedTodayCents) / offer.unitCents))
  const unitsByOffer = Math.max(0, offer.dailyUnitLimit - redeemedUnits)
  const miles = Math.max(0, Math.min(cashMiles, Math.min(unitsByLimit, unitsByOffer) * offer.unitMiles))
  const units = Math.floor(miles / offer.unitMiles)
  return { miles, cents: units * offer.unitCents, units }
}

/** Returns the code why a collector may not redeem (specification 3 §7.2), before amounts are checked. */
export function refusalOf(collector: {
  readonly redemptionAllowed: boolean
  readonly balancesSuppressed: boolean
  readonly offerAvailable: boolean
}): CashResponseCode | undefined {
  if (!collector.redemptionAllowed) return collector.balancesSuppressed ? '0005' : '0006'
  return collector.offerAvailable ? undefined : '0067'
}

/**
 * Returns the code of an INQUIRE. It succeeds even when the daily limit is used up; then its conditional fields are
 * left out.
 */
export function inquiryCode(status: RedemptionStatus, balancesSuppressed: boolean): CashResponseCode {
  if (status.cashMiles < status.offer.unitMiles) return '0051'
  return balancesSuppressed ? '0001' : '0000'
}

export type RedeemDecision =
  | { readonly kind: 'apply'; readonly units: number }
  | { readonly kind: 'decline'; readonly code: CashResponseCode }

export function decideRedeem(status: RedemptionStatus, askedCents: number, basketCents: number): RedeemDecision {
  const { offer } = status
  if (askedCents <= 0 || askedCents % offer.unitCents !== 0) return { kind: 'decline', code: '0035' }
  if (askedCents > basketCents) return { kind: 'decline', code: '0066' }
  const units = askedCents / offer.unitCents
  if (units * offer.unitMiles > status.cashMiles) return { kind: 'decline', code: '0051' }
  if (status.redeemedTodayCents + askedCents > DAILY_REDEMPTION_LIMIT_CENTS) return { kind: 'decline', code: '0065' }
  if (status.redeemedUnits + units > offer.dailyUnitLimit) return { kind: 'decline', code: '0065' }
  return { kind: 'apply', units }
}

/**
 * Codes of refusals that are not stored under the idempotency key: the request changed nothing, so a repeat is
 * processed again.
 */
const TRY_AGAIN: ReadonlySet<CashResponseCode> = new Set(['0008', '0067', '0092', '0096'])

/** Builds an answer with the status of specification 3 §7.2 and the message in the language of `instantMessage`. */
export function cashAnswer(
  code: CashResponseCode,
  fields: Readonly<Record<string, unknown>>,
  cancel?: () => void,
): Answer {
  const { status } = CASH_RESPONSE_CODES[code]
  return {
    status,
    body: present({ ...fields, responseCode: code, message: messageOf(code, fields.instantMessage) }),
    final: !TRY_AGAIN.has(code),
    ...(cancel ? { cancel } : {}),
  }
}

/**
 * Answers a malformed request with its readable fields (specification 3 §2.4): 0025 if only the collector number is
 * bad, 0035 with every flaw otherwise. `now` is in epoch milliseconds.
 */
export function badCash(flaws: readonly Flaw[], body: unknown, shape: Shape, now: number): Answer {
  const read = readableFields(body, shape)
  const echoed = { ...read, transDateTime: new Date(now).toISOString() }
  const onlyNumber = typeof read.collectorNumber === 'string' && flaws.every((flaw) => flaw.path === 'collectorNumber')
  if (onlyNumber && flaws.length > 0) return cashAnswer('0025', echoed)
  return cashAnswer('0035', {
    ...echoed,
    errors: flaws.map(({ path, message }) => ({
      errorCode: '0035',
      errorReason: path === '' ? message : `${path}: ${message}`,
    })),
  })
}

/** French messages for `instantMessage: fr-CA`. The table of specification 3 §7.2 is in English only. */
export const FRENCH_MESSAGES: Readonly<Record<CashResponseCode, string>> = {
  '0000': 'Approuvé',
  '0001': 'Approuvé - solde masqué',
  '0002': 'Compte de l’adhérent inactif',
  '0005': 'Solde masqué, échange impossible',
  '0006': 'Échange impossible',
  '0008': 'Délai de la transaction dépassé',
  '0009': 'Carte ni glissée ni lue',
  '0025': 'Numéro d’adhérent non valide',
  '0035': 'Paramètre de requête non valide',
  '0051': 'Milles de récompense insuffisants',
  '0057': 'Numéro de confirmation de l’échange non valide',
  '0065': 'Limite quotidienne d’échange dépassée',
  '0066': 'Montant du panier insuffisant',
  '0067': 'Offre momentanément non disponible',
  '0080': 'Délai d’annulation dépassé',
  '0092': 'Interruption prévue',
  '0096': 'Erreur du serveur ou aucune réponse',
}

/**
 * Returns the message of a code. `instantMessage` is the "language for POS display messages, e.g. `en-CA`"
 * (specification 3 §2.4); English for unknown languages.
 */
export const messageOf = (code: CashResponseCode, instantMessage: unknown): string =>
  typeof instantMessage === 'string' && /^fr\b/i.test(instantMessage)
    ? FRENCH_MESSAGES[code]
    : CASH_RESPONSE_CODES[code].message
