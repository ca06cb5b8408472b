import { z } from 'zod'
import {
  FACT_SCHEMAS,
  type FactIssuance,
  type FactKind,
  type FactRedemption,
  GivenMiles,
  type OperationFact,
  isFactKind,
} from '../../contracts/store/facts.ts'
import { Fact } from '../../contracts/store/protocol.ts'
import type { Database } from '../core/db/database.ts'
import { type Seal, placeOf } from '../core/integrity/seal.ts'
import type { StoreSeal } from './store-seal.ts'
import { secretPlace } from './changes.ts'
import type { FactRow } from './facts.sql.ts'
import { jsonOf } from '../core/central/wire.ts'
import { type CallPurpose, createStoredCalls } from '../core/outbox/stored-calls.ts'

type Row = Readonly<Record<string, unknown>>
type Read = (subject: string) => { readonly at: number; readonly body: unknown; readonly secret?: object } | null

const person = (id: string, name: string): string => `json_object('id', ${id}, 'name', ${name})`

const SALE = `SELECT sale.id, sequence, version, state, opened_at AS openedAt, closed_at AS closedAt,
  ${person('staff.id', 'staff.name')} AS cashier, member_last4 AS memberLast4, member_entry_mode AS memberEntryMode,
  member_sealed AS memberSealed, note, exemption, age_checked AS ageChecked, taxes, totals, shift_id AS shiftId
  FROM sale JOIN staff ON staff.id = coalesce(served_by, cashier_id) WHERE sale.id = ?`
/**
 * SQL for the category of a line without federal tax as `category/no-federal-tax`: a lane of the previous release,
 * which would refund that tax, then refuses its return.
 */
const TAX_CATEGORY = `tax_category || iif(coalesce(tax_rule, '') = 'no-federal-tax', '/no-federal-tax', '')
  AS taxCategory`
const SALE_LINES = `SELECT number, sku, names, quantity, unit_price_cents AS unitPriceCents,
  regular_price_cents AS regularPriceCents, ${TAX_CATEGORY}, department_id AS departmentId,
  category_id AS categoryId, note, minimum_age AS minimumAge, voided,
  pack_pieces AS packPieces, exemption, charges, charge_of AS chargeOf, measure, return_days AS returnDays
  FROM sale_line WHERE sale_id = ? ORDER BY number`
const SALE_DISCOUNTS = `SELECT number, reaches, target, off_cents AS offCents, off_ppm AS offPpm,
  minimum_cents AS minimumCents, reason, coupon, names, promotion, by_goods AS byGoods, removed
  FROM sale_discount
  WHERE sale_id = ? ORDER BY number`
const SALE_TENDERS = `SELECT number, kind, amount_cents AS amountCents, rounding_cents AS roundingCents,
  tendered_cents AS tenderedCents, change_cents AS changeCents, reference, operation_id AS operationId,
  voucher_id AS voucherId, voucher_balance_cents AS voucherBalanceCents, takes_back AS takesBack, at,
  coupon AS paidCoupon
  FROM tender WHERE sale_id = ? ORDER BY number`
const SALE_OFFERS = `SELECT offer_id AS offerId, said, awards AS award, qualifiers AS qualifier,
  iif(missing_unit IS NULL OR missing IS NULL, NULL, json_object('unit', missing_unit, 'amount', missing)) AS missing
  FROM sale_offer WHERE sale_id = ? ORDER BY number`
const RETURN = `SELECT sale_return.id, sequence, coalesce(sale_return.sale_id, elsewhere.sale_id) AS saleId,
  (SELECT id FROM store_claim WHERE return_id = sale_return.id) AS claimId,
  ${person('staff.id', 'staff.name')} AS cashier,
  iif(elsewhere.sale_id IS NULL, sale_return.approved_by, elsewhere.approved_by) AS approvedBy,
  iif(elsewhere.sale_id IS NULL, sale_return.reason, elsewhere.reason) AS reason, at,
  subtotal_cents AS subtotalCents, taxes, total_cents AS totalCents,
  shift_id AS shiftId FROM sale_return JOIN staff ON staff.id = cashier_id
  LEFT JOIN store_return AS elsewhere ON elsewhere.return_id = sale_return.id WHERE sale_return.id = ?`
const RETURN_LINES = `SELECT number, sale_line_number AS saleLineNumber, sku, names, quantity,
  unit_price_cents AS unitPriceCents, discount_cents AS discountCents, ${TAX_CATEGORY},
  department_id AS departmentId, category_id AS categoryId, measure FROM return_line
  WHERE return_id = ? ORDER BY number`
const REFUND = `SELECT number, kind, paid_by AS paidBy, amount_cents AS amountCents,
  rounding_cents AS roundingCents, reference, operation_id AS operationId, voucher_id AS voucherId`
const REFUNDS = `${REFUND} FROM (SELECT * FROM refund UNION ALL SELECT * FROM store_refund)
  WHERE return_id = ? ORDER BY number`
const VOUCHER_ENTRY = `SELECT entry.id, voucher_id AS voucherId, voucher.kind AS voucherKind, last4,
  code_sealed AS codeSealed, entry.at, entry.kind, amount_cents AS amountCents, return_id AS returnId,
  operation_id AS operationId, sale_id AS saleId
  FROM voucher_entry AS entry JOIN voucher ON voucher.id = entry.voucher_id WHERE entry.id = CAST(? AS INTEGER)`
const VOUCHER_USE = `SELECT used.id, voucher_id AS voucherId, voucher.kind AS voucherKind, last4,
  code_sealed AS codeSealed, used.at, used.kind, amount_cents AS amountCents, sale_id AS saleId
  FROM voucher_use AS used JOIN voucher ON voucher.id = used.voucher_id WHERE used.id = CAST(? AS INTEGER)`
const VOUCHER_TRANSFER = `SELECT moved.id, voucher_id AS voucherId, voucher.kind AS voucherKind, last4,
  code_sealed AS codeSealed, moved.at, direction, amount_cents AS amountCents
  FROM voucher_transfer AS moved JOIN voucher ON voucher.id = moved.voucher_id WHERE moved.id = ?`
const CASH_MOVEMENT = `SELECT cash_movement.id, shift_id AS shiftId, kind, amount_cents AS amountCents, at,
  ${person('staff.id', 'staff.name')} AS staff, approved_by AS approvedBy, reason
  FROM cash_movement JOIN staff ON staff.id = staff_id WHERE cash_movement.id = CAST(? AS INTEGER)`
const SHIFT = `SELECT shift.id, iif(drawer.id IS NULL, NULL, ${person('drawer.id', 'drawer.name')}) AS drawerOf,
  opened_at AS openedAt, ${person('opener.id', 'opener.name')} AS openedBy, float_cents AS floatCents,
  counted_at AS countedAt, closed_at AS closedAt, ${person('closer.id', 'closer.name')} AS closedBy, closing
  FROM shift JOIN staff AS opener ON opener.id = opened_by JOIN staff AS closer ON closer.id = closed_by
  LEFT JOIN staff AS drawer ON drawer.id = drawer_of WHERE shift.id = CAST(? AS INTEGER)`
const Z_REPORT = `SELECT number, at, ${person('staff.id', 'staff.name')} AS staff, report
  FROM z_report JOIN staff ON staff.id = staff_id WHERE number = CAST(? AS INTEGER)`
const OPERATION = `SELECT operation.id, kind, type, sale_id AS saleId, state, created_at AS createdAt,
  changed_at AS changedAt, approved_on_attempt AS approvedOnAttempt, units, amount_cents AS amountCents, miles,
  pending_miles AS pendingMiles, rejected_miles AS rejectedMiles, confirmation_number AS confirmationNumber,
  trans_date_time AS transDateTime, response_code AS responseCode, transaction_id AS transactionId, outcome, found
  FROM operation LEFT JOIN operation_resolution AS resolution ON resolution.operation_id = operation.id
  WHERE operation.id = ?`

const HELD_SALE = `SELECT held_sale AS sale, sale_id AS resumedAs, ${person('staff.id', 'staff.name')} AS by,
  resumed_at AS at FROM store_hold_claim JOIN staff ON staff.id = staff_id WHERE store_hold_claim.id = ?`
const CHANGE = `SELECT change.id, subject, clock, at, seen, value, secret,
  iif(by_id IS NULL, NULL, ${person('staff.id', 'staff.name')}) AS by
  FROM store_change AS change LEFT JOIN staff ON staff.id = by_id WHERE change.id = CAST(? AS INTEGER)`

const JSON_COLUMNS = [
  'cashier',
  'staff',
  'drawerOf',
  'openedBy',
  'closedBy',
  'names',
  'exemption',
  'charges',
  'measure',
  'taxes',
  'totals',
  'closing',
  'report',
  'by',
  'award',
  'qualifier',
  'missing',
  'paidCoupon',
  'seen',
  'value',
] as const

function plain(row: Row): Record<string, unknown> {
  const read: Record<string, unknown> = { ...row }
  for (const column of JSON_COLUMNS) {
    const text = read[column]
    if (typeof text === 'string') read[column] = JSON.parse(text)
  }
  return read
}

/** Returns the row of a redemption in the reconciliation report, or null. */
export type ApprovalOf = (operationId: string) => OperationFact['approval']
const Secret = z.record(z.string(), z.json())
const secretIn = (bytes: Buffer): object => Secret.parse(JSON.parse(bytes.toString()))

export type ReadFact = (row: FactRow) => Fact

export const unreadableFact = ({ seq, kind, subject }: FactRow, why: string): Fact => ({
  seq,
  kind,
  subject,
  at: 0,
  body: { unreadable: why },
  sealed: null,
})

/**
 * Reads facts from their tables. Never throws for what a row contains: a fact that cannot be read becomes a marker, so
 * that it does not block later ones.
 */
export function createReadFact(
  db: Database,
  seal: Pick<Seal, 'open'>,
  storeSeal: () => StoreSeal,
  approvalOf: ApprovalOf,
): ReadFact {
  const one = (sql: string) => {
    const statement = db.prepare<[string], Row>(sql)
    return (subject: string): Row | null => statement.get(subject) ?? null
  }
  const many = (sql: string) => {
    const statement = db.prepare<[string], Row>(sql)
    return (subject: string): Record<string, unknown>[] => statement.all(subject).map(plain)
  }
  const simple =
    (sql: string, time: string): ((row: ReturnType<typeof one>) => Read) =>
    (read) =>
    (subject) => {
      const row = read(subject)
      return row && { at: Number(row[time]), body: plain(row) }
    }
  const sale = one(SALE)
  const saleRows = {
    lines: many(SALE_LINES),
    discounts: many(SALE_DISCOUNTS),
    tenders: many(SALE_TENDERS),
    offers: many(SALE_OFFERS),
  }
  const returned = one(RETURN)
  const returnRows = { lines: many(RETURN_LINES), refunds: many(REFUNDS) }
  /**
   * Reads a row that moves voucher value. The voucher's code is sent as a hash under the key that the lanes of the
   * store share.
   */
  const ofVoucher =
    (read: ReturnType<typeof one>): Read =>
    (id) => {
      const row = read(id)
      if (row === null) return null
      const { codeSealed, ...rest } = row
      if (!Buffer.isBuffer(codeSealed)) return null
      const code = seal.open(codeSealed, placeOf('voucher', 'code_sealed', String(row['voucherId']))).toString()
      return {
        at: Number(row['at']),
        body: { ...plain(rest), codeHash: storeSeal().hash('voucher', code) },
        secret: { code },
      }
    }
  const miles = createSaleMiles(db, seal)

  const operation = one(OPERATION)
  const change = one(CHANGE)
  const changed: Read = (id) => {
    const row = change(id)
    if (row === null) return null
    const { id: number, secret, ...rest } = row
    return {
      at: Number(row['at']),
      body: plain(rest),
      ...(Buffer.isBuffer(secret) ? { secret: secretIn(seal.open(secret, secretPlace(Number(number)))) } : {}),
    }
  }

  const READS: Readonly<Record<FactKind, Read>> = {
    sale(id) {
      const row = sale(id)
      if (row === null) return null
      const { memberSealed, ...rest } = row
      const collector = Buffer.isBuffer(memberSealed)
        ? seal.open(memberSealed, placeOf('sale', 'member_sealed', id)).toString()
        : null
      const { redemption, issuance, calls } = miles.ofSale(id)
      const secret = { ...(collector === null ? {} : { collector }), ...calls }
      return {
        at: Number(row['closedAt']),
        body: {
          ...plain(rest),
          lines: saleRows.lines(id),
          discounts: saleRows.discounts(id),
          tenders: saleRows.tenders(id),
          redemption,
          issuance,
          offers: saleRows.offers(id),
        },
        ...(Object.keys(secret).length === 0 ? {} : { secret }),
      }
    },
    return(id) {
      const row = returned(id)
      return (
        row && {
          at: Number(row['at']),
          body: { ...plain(row), lines: returnRows.lines(id), refunds: returnRows.refunds(id) },
        }
      )
    },
    'voucher-entry': ofVoucher(one(VOUCHER_ENTRY)),
    'voucher-use': ofVoucher(one(VOUCHER_USE)),
    'voucher-transfer': ofVoucher(one(VOUCHER_TRANSFER)),
    'cash-movement': simple(CASH_MOVEMENT, 'at')(one(CASH_MOVEMENT)),
    shift: simple(SHIFT, 'closedAt')(one(SHIFT)),
    'z-report': simple(Z_REPORT, 'at')(one(Z_REPORT)),
    operation(id) {
      const row = operation(id)
      if (row === null) return null
      const body = { ...plain(row), approval: approvalOf(id), entries: miles.entriesOf(id) }
      return { at: Number(row['changedAt']), body }
    },
    'held-sale': simple(HELD_SALE, 'at')(one(HELD_SALE)),
    person: changed,
    'person-locale': changed,
    'person-pin': changed,
    'person-badge': changed,
    setting: changed,
    'quick-keys': changed,
    coupon: changed,
    'manufacturer-coupon': changed,
    promotion: changed,
    charge: changed,
    'catalog-item': changed,
    'planned-price': changed,
    'catalog-import': changed,
  }

  return ({ seq, kind, subject }) => {
    const unreadable = (why: string): Fact => unreadableFact({ seq, kind, subject }, why)
    if (!isFactKind(kind)) return unreadable('the kind is from a newer program')
    try {
      const read = READS[kind](subject)
      if (read === null) return unreadable('the row does not exist')
      const sealed = read.secret ? storeSeal().seal(JSON.stringify(read.secret), `${kind} ${subject}`) : null
      return Fact.parse({ seq, kind, subject, at: read.at, body: FACT_SCHEMAS[kind].parse(read.body), sealed })
    } catch (error) {
      return unreadable(error instanceof Error ? error.name : 'the row cannot be read')
    }
  }
}

/** SQL for the redemption that paid the sale, unless it was given back while the sale was open. */
const REDEMPTION = `SELECT operation.id, state, units, operation.amount_cents AS amountCents, miles,
  confirmation_number AS confirmationNumber, trans_date_time AS transDateTime
  FROM tender JOIN operation ON operation.id = tender.operation_id
  WHERE tender.sale_id = ? AND tender.kind = 'miles' AND tender.amount_cents > 0
    AND NOT EXISTS (SELECT 1 FROM tender AS back WHERE back.sale_id = tender.sale_id
    AND back.takes_back = tender.number)`
// core/db/database.ts explains `+?`.
const ISSUANCE = `SELECT id, type FROM operation WHERE sale_id = +? AND kind = 'issuance'
  AND type IN ('issue', 'post') ORDER BY rowid DESC LIMIT 1`
const RULES = 'SELECT rules FROM sale JOIN partner_rules ON partner_rules.id = partner_rules_id WHERE sale.id = ?'
/** Collector and miles of an ISSUE or POST request; an ISSUE request contains no miles. */
const Given = z.looseObject({
  collectorNumber: z.string().optional(),
  issuances: z.array(GivenMiles).optional(),
})
const Rules = z.array(z.json())

export interface SaleMiles {
  readonly redemption: FactRedemption | null
  readonly issuance: FactIssuance | null
  readonly calls: { readonly redeem?: unknown; readonly earner?: string }
}

/** Reads what another lane needs to give back the sale's redemption and take back its miles. */
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
