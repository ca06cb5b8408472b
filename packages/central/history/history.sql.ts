import type { Db } from '../db/database.ts'
import type { Entry } from '../issuance/issuance.sql.ts'
import type { CollectorAccount, Operation } from '../ledger.ts'

export interface Movement {
  readonly id: number
  readonly kind: Operation['kind']
  /** Request time and posting time, in epoch milliseconds. */
  readonly transactedAt: number
  readonly postedAt: number
  readonly sponsorCode: string
  readonly reference: string | null
  readonly undoes: number | null
  readonly cash: number
  readonly dream: number
  readonly balance: number
}

/**
 * Range of a history by transaction time: from and to in epoch milliseconds, both inclusive. Without sponsors, all
 * sponsors.
 */
export interface HistoryRange {
  readonly from: number
  readonly to: number
  readonly sponsorList?: readonly string[]
}

export interface IssuedFacts {
  readonly entries: readonly Entry[]
  readonly checkoutTransactionId: string
}
export interface RedeemedFacts {
  readonly confirmationNumber: string
  readonly offerId: string
  readonly descEn: string
  readonly descFr: string
  readonly state: 'applied' | 'reversed' | 'cancelled'
}

const balanceOf = (account: '@cash' | '@dream'): string =>
  `coalesce((SELECT p.balance FROM posting p WHERE p.account_id = ${account} AND p.operation_id <= o.id
    ORDER BY p.operation_id DESC LIMIT 1), 0)`
/** Finds a collector's operations in a range by index, so that the cost does not depend on other rows. */
export const MOVEMENTS = `
  SELECT o.id, o.kind, o.transacted_at, o.at, o.sponsor_code, o.reference, o.undoes,
         coalesce((SELECT p.miles FROM posting p WHERE p.operation_id = o.id AND p.account_id = @cash), 0) AS cash,
         coalesce((SELECT p.miles FROM posting p WHERE p.operation_id = o.id AND p.account_id = @dream), 0) AS dream,
         ${balanceOf('@cash')} AS cash_balance, ${balanceOf('@dream')} AS dream_balance
    FROM operation o
   WHERE o.collector_number = @collectorNumber AND o.transacted_at BETWEEN @from AND @to AND o.kind <> 'OPENING'
     AND (@sponsors IS NULL OR o.sponsor_code IN (SELECT value FROM json_each(@sponsors)))
   ORDER BY o.id`

export function createHistoryRepository(db: Db) {
  const account = db.prepare<[string, CollectorAccount], { id: number }>(
    'SELECT id FROM account WHERE collector_number = ? AND name = ?',
  )
  const movements = db.prepare<
    [{ collectorNumber: string; from: number; to: number; sponsors: string | null; cash: number; dream: number }],
    MovementRow
  >(MOVEMENTS)
  const issued = db.prepare<[{ id: number }], { entries: string; checkout_transaction_id: string; settling: 0 | 1 }>(`
    SELECT entries, checkout_transaction_id, 0 AS settling FROM issuance WHERE operation_id = @id
    UNION ALL SELECT entries, checkout_transaction_id, 1 FROM issuance WHERE settling_operation_id = @id`)
  const redeemed = db.prepare<[number], RedeemedRow>(`
    SELECT r.confirmation_number, r.offer_id, r.state, f.desc_en, f.desc_fr FROM redemption r
    JOIN redemption_offer f ON f.id = r.offer_id WHERE r.operation_id = ?`)
  const offer = db.prepare<[string, string], { rule: string; description_en: string; description_fr: string }>(
    'SELECT rule, description_en, description_fr FROM issuance_offer WHERE sponsor_code = ? AND code = ?',
  )

  return {
    movementsOf(collectorNumber: string, { from, to, sponsorList }: HistoryRange): Movement[] {
      const idOf = (name: CollectorAccount): number => account.get(collectorNumber, name)?.id ?? 0
      const rows = movements.all({
        collectorNumber,
        from,
        to,
        sponsors: sponsorList ? JSON.stringify(sponsorList) : null,
        cash: idOf('cash'),
        dream: idOf('dream'),
      })
      return rows.filter((row) => row.cash !== 0 || row.dream !== 0).map(toMovement)
    },
    issuedBy(operationId: number): IssuedFacts | undefined {
      const row = issued.get({ id: operationId })
      if (!row) return undefined
      // Keep the entries whose miles this operation moved: those confirmed at once, or, if the operation is a
      // settlement, those settled later. Pending entries moved nothing.
      const entries = (JSON.parse(row.entries) as Entry[]).filter(
        ({ status, settled = false }) => status !== 'PENDING' && settled === (row.settling === 1),
      )
      return { entries, checkoutTransactionId: row.checkout_transaction_id }
    },
    redeemedBy(operationId: number): RedeemedFacts | undefined {
      const row = redeemed.get(operationId)
      return (
        row && {
          confirmationNumber: row.confirmation_number,
          offerId: row.offer_id,
          descEn: row.desc_en,
          descFr: row.desc_fr,
          state: row.state,
        }
      )
    },
    describeOffer(sponsorCode: string, code: string): { isBase: boolean; en: string; fr: string } | undefined {
      const row = offer.get(sponsorCode, code)
      return (
        row && {
          isBase: (JSON.parse(row.rule) as { kind: string }).kind === 'base',
          en: row.description_en,
          fr: row.description_fr,
        }
      )
    },
  }
}

interface MovementRow {
  id: number
  kind: Operation['kind']
  transacted_at: number
  at: number
  sponsor_code: string
  reference: string | null
  undoes: number | null
  cash: number
  dream: number
  cash_balance: number
  dream_balance: number
}
interface RedeemedRow {
  confirmation_number: string
  offer_id: string
  state: RedeemedFacts['state']
  desc_en: string
  desc_fr: string
}

const toMovement = (row: MovementRow): Movement => ({
  id: row.id,
  kind: row.kind,
  transactedAt: row.transacted_at,
  postedAt: row.at,
  sponsorCode: row.sponsor_code,
  reference: row.reference,
  undoes: row.undoes,
  cash: row.cash,
  dream: row.dream,
  balance: row.cash_balance + row.dream_balance,
})
