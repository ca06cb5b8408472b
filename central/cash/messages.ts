import { CASH_RESPONSE_CODES, type CashResponseCode } from '../../contracts/central/cash.ts'

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
