import type { Db } from '../db/open.ts'
import type { Entry } from '../issuance/repository.ts'
import type { Operation } from '../ledger/ledger.ts'

/** One operation of the ledger that moved a collector's miles, with the balance (cash and dream) that it left. */
export interface Movement {
  readonly id: number
  readonly kind: Operation['kind']
  /** Epoch milliseconds. */
  readonly postedAt: number
  readonly sponsorCode: string
  readonly reference: string | null
  readonly undoes: number | null
  readonly cash: number
  readonly dream: number
  readonly balance: number
}

export interface IssuedFacts { readonly at: number, readonly entries: readonly Entry[], readonly checkoutTransactionId: string }
export interface RedeemedFacts { readonly confirmationNumber: string, readonly offerId: string, readonly descEn: string, readonly descFr: string, readonly state: 'applied' | 'reversed' | 'cancelled' }

export type HistoryRepository = ReturnType<typeof createHistoryRepository>

export function createHistoryRepository(db: Db) {
  const movements = db.prepare<[string], MovementRow>(`
    SELECT id, kind, at, sponsor_code, reference, undoes, cash, dream, sum(cash + dream) OVER (ORDER BY id) AS balance FROM (
      SELECT o.id, o.kind, o.at, o.sponsor_code, o.reference, o.undoes,
             coalesce(sum(p.miles) FILTER (WHERE a.name = 'cash'), 0) AS cash,
             coalesce(sum(p.miles) FILTER (WHERE a.name = 'dream'), 0) AS dream
        FROM operation o
        JOIN posting p ON p.operation_id = o.id
        JOIN account a ON a.id = p.account_id AND a.collector_number = o.collector_number
       WHERE o.collector_number = ?
       GROUP BY o.id) ORDER BY id`)
  const issued = db.prepare<[number], { at: number, entries: string, checkout_transaction_id: string }>('SELECT at, entries, checkout_transaction_id FROM issuance WHERE operation_id = ?')
  const redeemed = db.prepare<[number], RedeemedRow>(`
    SELECT r.confirmation_number, r.offer_id, r.state, f.desc_en, f.desc_fr FROM redemption r JOIN redemption_offer f ON f.id = r.offer_id WHERE r.operation_id = ?`)
  const offer = db.prepare<[string, string], { rule: string, description_en: string, description_fr: string }>('SELECT rule, description_en, description_fr FROM issuance_offer WHERE sponsor_code = ? AND code = ?')

  return {
    /** Everything that moved a collector's miles, oldest first. */
    movementsOf: (collectorNumber: string): Movement[] => movements.all(collectorNumber).map((row) => ({
      id: row.id, kind: row.kind, postedAt: row.at, sponsorCode: row.sponsor_code, reference: row.reference, undoes: row.undoes, cash: row.cash, dream: row.dream, balance: row.balance,
    })),
    issuedBy(operationId: number): IssuedFacts | undefined {
      const row = issued.get(operationId)
      return row && { at: row.at, entries: JSON.parse(row.entries) as Entry[], checkoutTransactionId: row.checkout_transaction_id }
    },
    redeemedBy(operationId: number): RedeemedFacts | undefined {
      const row = redeemed.get(operationId)
      return row && { confirmationNumber: row.confirmation_number, offerId: row.offer_id, descEn: row.desc_en, descFr: row.desc_fr, state: row.state }
    },
    /** What an offer code says in both languages, and whether it is the sponsor's base offer. */
    describeOffer(sponsorCode: string, code: string): { isBase: boolean, en: string, fr: string } | undefined {
      const row = offer.get(sponsorCode, code)
      return row && { isBase: (JSON.parse(row.rule) as { kind: string }).kind === 'base', en: row.description_en, fr: row.description_fr }
    },
  }
}

interface MovementRow { id: number, kind: Operation['kind'], at: number, sponsor_code: string, reference: string | null, undoes: number | null, cash: number, dream: number, balance: number }
interface RedeemedRow { confirmation_number: string, offer_id: string, state: RedeemedFacts['state'], desc_en: string, desc_fr: string }
