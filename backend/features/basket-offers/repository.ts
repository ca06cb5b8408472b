import { Names } from '../../../contracts/locales.ts'
import { namesOf } from '../../db/names.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'
import type { ReceiptOffer } from '../../domain/receipt-offers.ts'

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

export type SaidOffers = ReturnType<typeof createSaidOffers>

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
