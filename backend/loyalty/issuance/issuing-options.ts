import { collectorOf } from '../../sales/collector.ts'
import { PartnerRule, type Profile } from '../../../contracts/core/profile.ts'
import { type IssuanceBasket, issuanceClientOf } from '../services/issuance.ts'
import type { Tx } from '../../core/db/transact.ts'
import { issuancesOf } from '../calls/issue.ts'
import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import { type BasketLine, saleLineOf } from '../../sales/sale/basket.ts'
import { isSent } from '../../sales/sale/charges.ts'
import { type EarningBasket, partnerMiles } from './partner-miles.ts'
import { type SaleParts, couponsOf, pricedLines } from '../../sales/sale/sale-parts.ts'
import type { CollectorNumber, SaleId } from '../../../contracts/core/ids.ts'
import { z } from 'zod'
import type { Database } from '../../core/db/database.ts'
import { dayAt } from '../../core/zone.ts'
import { perLane, type Ctx } from '../../core/context.ts'

export const earningOf = (lines: readonly BasketLine[], coupons: readonly string[]): EarningBasket => ({
  coupons,
  lines: lines
    .filter((line) => !line.voided && line.quantity > 0 && isSent(line))
    .map((line) => ({ ...line, amountCents: saleLineOf(line, []).amountCents })),
})

/** Returns the miles of a sale by the store's current rules for miles. `at`: epoch ms. */
export const partnerMilesOf = ({ issuance, timeZone }: Profile, now: SaleParts, at: number): GivenIssuance[] =>
  partnerMiles(issuance.rules, earningOf(pricedLines(now), couponsOf(now)), dayAt(at, timeZone))

export const earnedByRules =
  ({ timeZone }: Pick<Profile, 'timeZone'>, now: SaleParts, rules: readonly PartnerRule[]) =>
  (basket: readonly BasketLine[]): GivenIssuance[] =>
    partnerMiles(rules, earningOf(basket, couponsOf(now)), dayAt(now.sale.closedAt ?? now.sale.openedAt, timeZone))

interface Recorded {
  readonly id: SaleId
  readonly collectorHash: Uint8Array
  readonly collectorNumber: CollectorNumber | null
}

/** Sends RECORD, which reports a sale or return to the program, by the profile's policy (specification 3 §4.3). */
export const recordsOf = perLane((ctx: Ctx) => {
  const { profile, seal } = ctx
  const issuances = issuancesOf(ctx)
  const issuance = issuanceClientOf(ctx)
  const { record } = profile.issuance

  /**
   * Returns the hash that decides the queue of a sale: the keyed hash of the collector's eleven digits, or of a text
   * that is never only digits, so that a sale without a collector shares its queue with no other sale.
   */
  const queueHashOf = (now: SaleParts): Uint8Array => now.sale.memberHash ?? seal.keyedHash(`sale ${now.sale.id}`)

  return {
    /**
     * Whether RECORD is sent for a transaction. `isQueued`: another call already reports it. "Partners also use it for
     * transactions not qualifying for the partner-calculated calls" (specification 3 §4.3).
     */
    isDue: (isQueued: boolean): boolean => record === 'all' || (record === 'non-members' && !isQueued),

    ofSale: (now: SaleParts): Recorded => ({
      id: now.sale.id,
      collectorHash: queueHashOf(now),
      collectorNumber: collectorOf(ctx, now.sale),
    }),

    /** RECORD for a return of another lane's sale, or of a sale without a record on the lane (specification 3 §4.3). */
    ofReturn: (returnId: SaleId, collectorNumber: CollectorNumber | null): Recorded => ({
      id: returnId,
      collectorHash: seal.keyedHash(`return ${returnId}`),
      collectorNumber,
    }),

    enqueue(
      tx: Tx,
      { id, collectorHash, collectorNumber }: Recorded,
      basket: IssuanceBasket,
      kind: { transactionType: 'PURCHASE' | 'RETURN'; originalTransactionId?: string },
    ): void {
      const request = issuance.recordRequest(basket, { ...kind, collectorNumber })
      issuances.enqueue(tx, {
        type: 'record',
        saleId: id,
        collectorHash,
        expectedMiles: null,
        request,
        traceId: basket.saleId,
        dateTime: request.checkoutDateTime,
      })
    },
  }
})

const Rules = z.array(PartnerRule)

/**
 * The rules of store-calculated miles that applied to each sale. A return uses them even if the profile has changed
 * since.
 */
export function createRulesRepository(db: Database) {
  const insert = db.prepare('INSERT INTO partner_rules (rules) VALUES (?) ON CONFLICT (rules) DO NOTHING')
  const assign = db.prepare(
    'UPDATE sale SET partner_rules_id = (SELECT id FROM partner_rules WHERE rules = ?) WHERE id = ?',
  )
  const select = db.prepare<[string], { rules: string }>(
    `SELECT partner_rules.rules AS rules FROM sale JOIN partner_rules ON partner_rules.id = sale.partner_rules_id
      WHERE sale.id = ?`,
  )
  return {
    store(tx: Tx, saleId: string, rules: readonly PartnerRule[]): void {
      const text = JSON.stringify(rules)
      tx.run(insert, text)
      tx.run(assign, text, saleId)
    },
    ofSale(saleId: string): PartnerRule[] {
      const row = select.get(saleId)
      return row ? Rules.parse(JSON.parse(row.rules)) : []
    },
  }
}

export const rulesOf = perLane(({ db }) => createRulesRepository(db))
