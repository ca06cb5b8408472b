import type { Db } from '../db/database.ts'
import type { CollectorAccount } from '../ledger.ts'
import { EarningRule, type Basket, type IssuanceOffer } from './earning.ts'

export type IssuanceKind = 'ISSUE' | 'RETURN' | 'POST' | 'POST/EVENT' | 'PARTNER-REVERSE' | 'REVERSE/EVENT'
export type IssuanceStatus = 'PENDING' | 'CONFIRMED' | 'REJECTED'

/** One entry of an answer: an offer with its miles; negative miles are a withdrawal. */
export interface Entry {
  readonly issuanceOfferCode: string
  readonly offerId: string
  readonly offerDescription?: string
  readonly milesAmount: number
  readonly contributingItemIds?: readonly string[]
  readonly locationCode?: string
  readonly confirmationNumber: string
  readonly processedDateTime: string
  readonly status: IssuanceStatus
  readonly errors?: readonly { readonly errorCode: string; readonly errorReason: string }[]
  /**
   * True if the entry was decided after its call was answered as pending; its miles are then those of the settlement.
   * Stored, but never sent.
   */
  readonly settled?: true
}

export interface IssuanceRow {
  readonly id: number
  readonly transactionId: string
  readonly kind: IssuanceKind
  readonly at: number
  readonly sponsorCode: string
  readonly collectorNumber: string
  readonly checkoutTransactionId: string
  readonly originalId: number | null
  readonly status: IssuanceStatus
  readonly basket: Basket
  readonly entries: readonly Entry[]
  readonly idempotencyKey: string | null
}

export interface OfferTerms {
  readonly from: number
  readonly to: number
  readonly unitMiles: number | null
  readonly maxMiles: number | null
}

export type IssuanceRepository = ReturnType<typeof createIssuanceRepository>

const COLUMNS =
  'id, transaction_id, kind, at, sponsor_code, collector_number, checkout_transaction_id, original_id, status, ' +
  'basket, entries, idempotency_key'

const MOVED = `
  SELECT coalesce(sum(p.miles) FILTER (WHERE a.name = 'cash' AND i.id = @id), 0) AS cash,
         coalesce(sum(p.miles) FILTER (WHERE a.name = 'dream' AND i.id = @id), 0) AS dream,
         coalesce(-sum(p.miles) FILTER (WHERE a.name = 'cash' AND i.id <> @id), 0) AS cash_taken,
         coalesce(-sum(p.miles) FILTER (WHERE a.name = 'dream' AND i.id <> @id), 0) AS dream_taken
    FROM issuance i
    JOIN posting p ON p.operation_id IN (i.operation_id, i.settling_operation_id)
    JOIN account a ON a.id = p.account_id AND a.collector_number = i.collector_number
   WHERE i.id = @id OR i.original_id = @id`

export function createIssuanceRepository(db: Db) {
  const add = db.prepare<[object]>(`
    INSERT INTO issuance (transaction_id, kind, at, sponsor_code, collector_number, checkout_transaction_id,
      original_id, status, basket, entries, idempotency_key, operation_id)
    VALUES (@transactionId, @kind, @at, @sponsorCode, @collectorNumber, @checkoutTransactionId,
      @originalId, @status, @basket, @entries, @idempotencyKey, @operationId)`)
  const byPartnerId = db.prepare<[string, string, string], Row>(
    `SELECT ${COLUMNS} FROM issuance WHERE sponsor_code = ? AND kind = ? AND checkout_transaction_id = ?`,
  )
  const byTransactionId = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM issuance WHERE transaction_id = ?`)
  const byOriginal = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM issuance WHERE original_id = ? ORDER BY id`)
  const byId = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM issuance WHERE id = ?`)
  const pending = db.prepare<[number], Row>(
    `SELECT ${COLUMNS} FROM issuance WHERE status = 'PENDING' AND at <= ? ORDER BY id`,
  )
  const anyPending = db.prepare<[number], { id: number }>(
    "SELECT id FROM issuance WHERE status = 'PENDING' AND at <= ? LIMIT 1",
  )
  const settle = db.prepare(
    "UPDATE issuance SET status = ?, entries = ?, settling_operation_id = ? WHERE id = ? AND status = 'PENDING'",
  )
  const record = db.prepare(
    'INSERT INTO recorded_transaction (transaction_id, at, sponsor_code, body) VALUES (?, ?, ?, ?)',
  )
  const moved = db.prepare<[{ id: number }], MovedRow>(MOVED)

  return {
    ...issuanceOffers(db),
    add(made: Omit<IssuanceRow, 'id'>, operationId: number | null): void {
      const [basket, entries] = [JSON.stringify(made.basket), JSON.stringify(made.entries)]
      add.run({ ...made, basket, entries, operationId })
    },
    findByPartnerId(sponsorCode: string, kind: IssuanceKind, id: string): IssuanceRow | undefined {
      const row = byPartnerId.get(sponsorCode, kind, id)
      return row && toIssuance(row)
    },
    findByTransactionId(id: string): IssuanceRow | undefined {
      const row = byTransactionId.get(id)
      return row && toIssuance(row)
    },
    takenBackFrom: (originalId: number): IssuanceRow[] => byOriginal.all(originalId).map(toIssuance),
    /**
     * Returns the miles that an issuance credited to each balance, and the miles withdrawn from it; neither is
     * negative.
     */
    movedBy(originalId: number): Record<'put' | 'taken', Readonly<Record<CollectorAccount, number>>> {
      const row = moved.get({ id: originalId })
      return {
        put: { cash: row?.cash ?? 0, dream: row?.dream ?? 0 },
        taken: { cash: row?.cash_taken ?? 0, dream: row?.dream_taken ?? 0 },
      }
    },
    findById(id: number): IssuanceRow | undefined {
      const row = byId.get(id)
      return row && toIssuance(row)
    },
    /** Returns issuances that are pending since `until` (epoch milliseconds) or longer, oldest first. */
    pending: (until: number): IssuanceRow[] => pending.all(until).map(toIssuance),
    isPending: (until: number): boolean => anyPending.get(until) !== undefined,
    settle(id: number, status: IssuanceStatus, entries: readonly Entry[], operationId: number | null): void {
      settle.run(status, JSON.stringify(entries), operationId, id)
    },
    record(transactionId: string, at: number, sponsorCode: string, body: unknown): void {
      record.run(transactionId, at, sponsorCode, JSON.stringify(body))
    },
  }
}

function issuanceOffers(db: Db) {
  const offers = db.prepare<[string, number, number], OfferRow>(
    `SELECT code, offer_id, description_en, description_fr, rule FROM issuance_offer WHERE sponsor_code = ?
      AND valid_from <= ? AND valid_to > ? ORDER BY code`,
  )
  const offer = db.prepare<
    [string, string],
    { valid_from: number; valid_to: number; unit_miles: number | null; max_miles: number | null }
  >('SELECT valid_from, valid_to, unit_miles, max_miles FROM issuance_offer WHERE sponsor_code = ? AND code = ?')
  const parsedRules = new Map<string, EarningRule>()

  const ruleOf = (text: string): EarningRule => {
    const parsed = parsedRules.get(text) ?? EarningRule.parse(JSON.parse(text))
    parsedRules.set(text, parsed)
    return parsed
  }

  return {
    /** Returns the sponsor's offers that are valid at a time (epoch milliseconds), sorted by code. */
    offersAt: (sponsorCode: string, at: number): IssuanceOffer[] =>
      offers.all(sponsorCode, at, at).map((row) => ({
        code: row.code,
        offerId: row.offer_id,
        descriptionEn: row.description_en,
        descriptionFr: row.description_fr,
        rule: ruleOf(row.rule),
      })),
    /** Returns the terms of an offer code, with times in epoch milliseconds; undefined for an unknown code. */
    offerTerms(sponsorCode: string, code: string): OfferTerms | undefined {
      const row = offer.get(sponsorCode, code)
      return row && { from: row.valid_from, to: row.valid_to, unitMiles: row.unit_miles, maxMiles: row.max_miles }
    },
  }
}

interface MovedRow {
  cash: number
  dream: number
  cash_taken: number
  dream_taken: number
}
interface OfferRow {
  code: string
  offer_id: string
  description_en: string
  description_fr: string
  rule: string
}
interface Row {
  id: number
  transaction_id: string
  kind: IssuanceKind
  at: number
  sponsor_code: string
  collector_number: string
  checkout_transaction_id: string
  original_id: number | null
  status: IssuanceStatus
  basket: string
  entries: string
  idempotency_key: string | null
}

const toIssuance = (row: Row): IssuanceRow => ({
  id: row.id,
  transactionId: row.transaction_id,
  kind: row.kind,
  at: row.at,
  sponsorCode: row.sponsor_code,
  collectorNumber: row.collector_number,
  checkoutTransactionId: row.checkout_transaction_id,
  originalId: row.original_id,
  status: row.status,
  basket: JSON.parse(row.basket) as Basket,
  entries: JSON.parse(row.entries) as Entry[],
  idempotencyKey: row.idempotency_key,
})
