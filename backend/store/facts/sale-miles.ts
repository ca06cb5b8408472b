import { z } from 'zod'
import { GivenMiles, type FactIssuance, type FactRedemption } from '../../../contracts/store/facts.ts'
import { jsonOf } from '../../central/json.ts'
import type { Database } from '../../db/open.ts'
import type { Seal } from '../../outbox/seal.ts'
import { createStoredCalls, type CallPurpose } from '../../outbox/stored-calls.ts'

/** The redemption that paid, and was not given back while the sale was open. */
const REDEMPTION = `SELECT operation.id, state, units, operation.amount_cents AS amountCents, miles,
  confirmation_number AS confirmationNumber, trans_date_time AS transDateTime
  FROM tender JOIN operation ON operation.id = tender.operation_id
  WHERE tender.sale_id = ? AND tender.kind = 'miles' AND tender.amount_cents > 0
    AND NOT EXISTS (SELECT 1 FROM tender AS back WHERE back.sale_id = tender.sale_id
    AND back.takes_back = tender.number)`
// `+?`: see db/open.ts.
const ISSUANCE = `SELECT id, type FROM operation WHERE sale_id = +? AND kind = 'issuance'
  AND type IN ('issue', 'post') ORDER BY rowid DESC LIMIT 1`
const RULES = 'SELECT rules FROM sale JOIN partner_rules ON partner_rules.id = partner_rules_id WHERE sale.id = ?'
/** What a call that gave miles says of them; loose: ISSUE names none. */
const Given = z.looseObject({
  collectorNumber: z.string().optional(),
  issuances: z.array(GivenMiles).optional(),
})
const Rules = z.array(z.json())

export interface SaleMiles {
  readonly redemption: FactRedemption | null
  readonly issuance: FactIssuance | null
  /** What holds a collector number: for the sealed part alone. */
  readonly calls: { readonly redeem?: unknown; readonly earner?: string }
}

/** Reads of the calls of a sale what another lane needs to give its miles back, and to take back what it earned. */
export function createSaleMiles(db: Database, seal: Pick<Seal, 'open'>) {
  const redemptionOf = db.prepare<[string], FactRedemption>(REDEMPTION)
  const issuanceOf = db.prepare<[string], { id: string; type: 'issue' | 'post' }>(ISSUANCE)
  const rulesOf = db.prepare<[string], string>(RULES).pluck()
  const calls = createStoredCalls(db, seal)

  function requestOf(operationId: string, purpose: CallPurpose): unknown {
    const call = calls.find(operationId, purpose)
    return call?.draft === false ? jsonOf(call.request) : undefined
  }

  return {
    ofSale(saleId: string): SaleMiles {
      const redemption = redemptionOf.get(saleId) ?? null
      const issued = issuanceOf.get(saleId)
      const given = issued && Given.parse(requestOf(issued.id, issued.type))
      const rules = rulesOf.get(saleId)
      return {
        redemption,
        issuance: issued
          ? {
              ...issued,
              given: given?.issuances ?? [],
              rules: rules === undefined ? [] : Rules.parse(JSON.parse(rules)),
            }
          : null,
        calls: {
          ...(redemption ? { redeem: requestOf(redemption.id, 'redeem') } : {}),
          ...(given?.collectorNumber === undefined ? {} : { earner: given.collectorNumber }),
        },
      }
    },
    entriesOf: calls.entriesOf,
  }
}
