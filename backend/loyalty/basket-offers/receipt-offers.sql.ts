import { Names } from '../../../contracts/core/locales.ts'
import { type Database, namesOf } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import type { ReceiptBlock } from '../../../contracts/core/receipt.ts'
import type { Missing } from './offer-rules.ts'
import type { Paper, ReceiptTexts } from '../../core/paper/layout.ts'
import { nameIn } from '../../../contracts/core/names.ts'
import { perLane } from '../../core/context.ts'

export interface ReceiptOfferRow extends ReceiptOffer {
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

/** Offers on the receipt of a sale as they were when the sale closed, for copies of the receipt. */
export function createReceiptOfferRows(db: Database) {
  const select = db.prepare<[string], Stored>(
    `SELECT offer_id AS offerId, said, awards, qualifiers, missing_unit AS missingUnit, missing
      FROM sale_offer WHERE sale_id = ? ORDER BY number`,
  )
  // One statement inserts all rows, because the end of a sale waits for it.
  const insert = db.prepare(
    `INSERT INTO sale_offer (sale_id, number, offer_id, said, awards, qualifiers, missing_unit, missing)
      SELECT @saleId, key + 1, value ->> 'offerId', value ->> 'said', value ->> 'awards', value ->> 'qualifiers',
        value ->> 'missingUnit', value ->> 'missing' FROM json_each(@offers)`,
  )
  return {
    ofSale: (saleId: string): ReceiptOfferRow[] =>
      select.all(saleId).map(({ offerId, said, awards, qualifiers, missingUnit, missing }) => ({
        offerId,
        said,
        award: namesOf(awards),
        qualifier: namesOf(qualifiers),
        missing: missingUnit === null || missing === null ? null : { unit: missingUnit, amount: missing },
      })),
    insert(tx: Tx, saleId: string, offers: readonly ReceiptOfferRow[]): void {
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

/** An offer on a receipt: earned by this purchase, or missed, with the missing amount. Texts are by language. */
export interface ReceiptOffer {
  readonly said: 'earned' | 'missed'
  readonly award: Names
  readonly qualifier: Names
  readonly missing: Missing | null
}

export function offerRows(offers: readonly ReceiptOffer[], words: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  const { t } = words
  const section = (outcome: ReceiptOffer['said']): ReceiptBlock[] => {
    const named = offers.filter((offer) => offer.said === outcome)
    if (named.length === 0) return []
    return [
      ...paper.text(t(`offers-${outcome}`), 'left', { bold: true }),
      ...named.flatMap((one) => rowsOf(one, words, paper)),
      ...(outcome === 'earned' ? paper.text(t('offers-note'), 'left') : []),
    ]
  }
  return [...section('earned'), ...section('missed')]
}

function rowsOf({ award, qualifier, missing }: ReceiptOffer, words: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  const { locale, t } = words
  const named = nameIn(award, locale)
  if (missing === null)
    return paper.text(t('offer-earned', { award: named, qualifier: nameIn(qualifier, locale) }), 'left')
  return paper.text(t('offer-missed', { missing: missingText(missing, words), award: named }), 'left')
}

const missingText = ({ unit, amount }: Missing, { t, money, count }: ReceiptTexts): string =>
  unit === 'cents' ? money(amount) : t('offer-pieces', { count: amount, amount: count(amount) })

export const receiptOfferRowsOf = perLane(({ db }) => createReceiptOfferRows(db))
