import { CASH_RESPONSE_CODES, type CashResponseCode } from '../../../contracts/central/cash.ts'
import { DAILY_REDEMPTION_LIMIT_CENTS } from '../../../contracts/core/money.ts'
import { type Answer, type Flaw, type Shape, present, readableFields } from '../http/answer.ts'

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
  if (askedCents > basketCents) return { kind: 'decline', code: '0066' }
  const units = askedCents / offer.unitCents
  if (units * offer.unitMiles > standing.cashMiles) return { kind: 'decline', code: '0051' }
  if (standing.redeemedTodayCents + askedCents > DAILY_REDEMPTION_LIMIT_CENTS) return { kind: 'decline', code: '0065' }
  if (standing.redeemedUnits + units > offer.dailyUnitLimit) return { kind: 'decline', code: '0065' }
  return { kind: 'apply', units }
}

/** Nothing was decided that a retry could double: the same request is tried anew. */
const TRY_AGAIN: ReadonlySet<CashResponseCode> = new Set(['0008', '0067', '0092', '0096'])

/**
 * An answer with the status that specification 3 §7.2 gives the code, and its words in the language of
 * `instantMessage`.
 */
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
 * The answer to a request that does not have the shape it must have. A collector number that is none is 0025;
 * everything else is 0035 and names each flaw. What could be read comes back (§2.4). `now` in epoch milliseconds.
 */
export function badCash(flaws: readonly Flaw[], body: unknown, shape: Shape, now: number): Answer {
  const read = readableFields(body, shape)
  const told = { ...read, transDateTime: new Date(now).toISOString() }
  const onlyNumber = typeof read.collectorNumber === 'string' && flaws.every((flaw) => flaw.path === 'collectorNumber')
  if (onlyNumber && flaws.length > 0) return cashAnswer('0025', told)
  return cashAnswer('0035', {
    ...told,
    errors: flaws.map(({ path, message }) => ({
      errorCode: '0035',
      errorReason: path === '' ? message : `${path}: ${message}`,
    })),
  })
}

/** The messages of specification 3 §7.2 in French, for `instantMessage: fr-CA`; the table has them in English only. */
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
 * `instantMessage` is the "language for POS display messages, e.g. `en-CA`" (§2.4); English where it names no other
 * that is known.
 */
export const messageOf = (code: CashResponseCode, instantMessage: unknown): string =>
  typeof instantMessage === 'string' && /^fr\b/i.test(instantMessage)
    ? FRENCH_MESSAGES[code]
    : CASH_RESPONSE_CODES[code].message
