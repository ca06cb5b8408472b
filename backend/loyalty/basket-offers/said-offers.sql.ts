import { Names } from '../../../contracts/core/locales.ts'
import { type Database, namesOf } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import type { Missing } from './offer-rules.ts'
import type { Paper, ReceiptWords } from '../../core/paper/layout.ts'
import { nameIn } from '../../../contracts/core/names.ts'
import { perLane } from '../../core/context.ts'

export interface SaidOffer extends ReceiptOffer {
  readonly offerId: string
}

interface Stored {
  offerId: string
  said: 'earned' | 'missed'
  awards: string
  qualifiers: string
  missingUnit: 'cents' | 'pieces' | null
  missing: number | null
}

/** What the receipt of a sale says of offers, as they stood when it closed: copies say the same. */
export function createSaidOffers(db: Database) {
  const select = db.prepare<[string], Stored>(
    `SELECT offer_id AS offerId, said, awards, qualifiers, missing_unit AS missingUnit, missing
      FROM sale_offer WHERE sale_id = ? ORDER BY number`,
  )
  // All at once: the end of a sale waits for it.
  const insert = db.prepare(
    `INSERT INTO sale_offer (sale_id, number, offer_id, said, awards, qualifiers, missing_unit, missing)
      SELECT @saleId, key + 1, value ->> 'offerId', value ->> 'said', value ->> 'awards', value ->> 'qualifiers',
        value ->> 'missingUnit', value ->> 'missing' FROM json_each(@offers)`,
  )
  return {
    ofSale: (saleId: string): SaidOffer[] =>
      select.all(saleId).map(({ offerId, said, awards, qualifiers, missingUnit, missing }) => ({
        offerId,
        said,
        award: namesOf(awards),
        qualifier: namesOf(qualifiers),
        missing: missingUnit === null || missing === null ? null : { unit: missingUnit, amount: missing },
      })),
    keep(tx: Tx, saleId: string, offers: readonly SaidOffer[]): void {
      const rows = offers.map(({ offerId, said, award, qualifier, missing }) => ({
        offerId,
        said,
        awards: JSON.stringify(Names.parse(award)),
        qualifiers: JSON.stringify(Names.parse(qualifier)),
        missingUnit: missing?.unit ?? null,
        missing: missing?.amount ?? null,
      }))
      tx.run(insert, { saleId, offers: JSON.stringify(rows) })
    },
  }
}

/** An offer that a receipt names: earned by this purchase, or missed, and by how little. Copy by language. */
export interface ReceiptOffer {
  readonly said: 'earned' | 'missed'
  readonly award: Names
  readonly qualifier: Names
  /** Of one that was missed. */
  readonly missing: Missing | null
}

/** The rows of the offers of a purchase; nothing where there are none. */
export function offerRows(offers: readonly ReceiptOffer[], words: ReceiptWords, paper: Paper): ReceiptBlock[] {
  const { say } = words
  const part = (said: ReceiptOffer['said']): ReceiptBlock[] => {
    const named = offers.filter((offer) => offer.said === said)
    if (named.length === 0) return []
    return [
      ...paper.text(say(`offers-${said}`), 'left', { bold: true }),
      ...named.flatMap((one) => rowsOf(one, words, paper)),
      ...(said === 'earned' ? paper.text(say('offers-note'), 'left') : []),
    ]
  }
  return [...part('earned'), ...part('missed')]
}

function rowsOf({ award, qualifier, missing }: ReceiptOffer, words: ReceiptWords, paper: Paper): ReceiptBlock[] {
  const { locale, say } = words
  const named = nameIn(award, locale)
  if (missing === null)
    return paper.text(say('offer-earned', { award: named, qualifier: nameIn(qualifier, locale) }), 'left')
  return paper.text(say('offer-missed', { missing: missingText(missing, words), award: named }), 'left')
}

const missingText = ({ unit, amount }: Missing, { say, money, count }: ReceiptWords): string =>
  unit === 'cents' ? money(amount) : say('offer-pieces', { count: amount, amount: count(amount) })

export const saidOffersOf = perLane(({ db }) => createSaidOffers(db))
