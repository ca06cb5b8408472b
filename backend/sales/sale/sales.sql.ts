import { PaidCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { BuyerGroup } from '../../../contracts/sales/sale-changes.ts'
import { LineMeasure } from '../../../contracts/catalog/measure.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import { LineCharge } from '../../../contracts/catalog/charges.ts'
import { Exemption } from '../../../contracts/sales/sale-changes.ts'
import { Names } from '../../../contracts/core/locales.ts'
import type { TaxCategory, TaxRule } from '../../../contracts/core/regions.ts'
import { measuredNames } from '../../catalog/measured.ts'
import { type Database, namesOf } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import {
  type SaleChange,
  createCardRows,
  createCorrectionRows,
  createDiscountRows,
  createUndoRows,
} from './sale-rows.sql.ts'
import { perLane } from '../../core/context.ts'
import { z } from 'zod'

export interface SaleRow {
  readonly id: SaleId
  readonly version: number
  /** `held` is stored as open, with the time when the sale was put on hold. */
  readonly state: 'open' | 'held' | 'completed' | 'cancelled'
  readonly lane: string
  /** The person who last held the sale, took a payment or closed it; before that, the person who opened it. */
  readonly servedBy: string
  readonly openedAt: number
  readonly closedAt: number | null
  readonly memberLast4: string | null
  readonly memberEntryMode: 'SWIPE' | 'SCAN' | 'KEYED' | null
  readonly memberSealed: Buffer | null
  readonly memberHash: Buffer | null
  readonly memberState: 'pending' | 'known' | 'unknown' | null
  readonly inquiry: string | null
  readonly taxes: string | null
  readonly exemption: string | null
  readonly note: string | null
  readonly ageChecked: number | null
  /** Buyers whose promotions apply, or null. */
  readonly buyers: BuyerGroup | null
  /** JSON of the promotions and buyers that apply while the sale is partly paid; null: the current ones. */
  readonly promotionRules: string | null
}

export interface LineRow {
  readonly number: number
  readonly sku: string
  readonly name: Names
  readonly quantity: number
  readonly unitPriceCents: number
  readonly regularPriceCents: number | null
  readonly taxCategory: TaxCategory
  /** Tax rule of the item while the sale is open; a completed sale has its result in `taxCategory`. */
  readonly taxRule: TaxRule | null
  readonly departmentId: string
  readonly categoryId: string | null
  readonly voided: 0 | 1
  readonly note: string | null
  readonly minimumAge: number | null
  /** Time when the line was rung (epoch ms); null if rung by an older program or at another lane. */
  readonly rungAt: number | null
  /** Number of pieces in one unit of a pack with its own price; null: single pieces. */
  readonly packPieces: number | null
  /** Tax exemption of this line alone. */
  readonly exemption: Exemption | null
  /** Deposits and fees of one unit, as they were when the line was rung. */
  readonly charges: readonly LineCharge[]
  /** Number of the line that this deposit or fee belongs to; null: goods, gift cards or empty containers. */
  readonly chargeOf: number | null
  /** Measured quantity of a line with quantity 1; null: sold by the piece, or by an older program. */
  readonly measure: LineMeasure | null
  /** Days within which the goods can be returned, by the rules when the line was rung; 0: final sale. */
  readonly returnDays: number | null
}

export interface TenderRow {
  readonly number: number
  readonly kind: TenderKind
  readonly amountCents: number
  readonly roundingCents: number
  readonly tenderedCents: number
  readonly changeCents: number
  readonly reference: string | null
  readonly operationId: string | null
  readonly voucherId: VoucherId | null
  readonly voucherBalanceCents: number | null
  readonly shiftId: number
  /** Number of the payment that this row gives back; null for a payment. */
  readonly takesBack?: number | null
  /** The manufacturer's coupon that paid. */
  readonly coupon?: PaidCoupon | null
}

/**
 * SQL of the kind of a payment. A manufacturer's coupon is stored as a cheque with a coupon, so that the previous
 * release counts its paper in the drawer.
 */
export const TENDER_KIND = "iif(tender.coupon IS NULL, tender.kind, 'manufacturer-coupon')"

export type NewLine = Omit<LineRow, 'number' | 'voided' | 'regularPriceCents' | 'note' | 'exemption' | 'chargeOf'>
export type LineState = NonNullable<Extract<SaleChange['before'], { of: 'line' }>['row']>
export const stateOf = ({
  quantity,
  unitPriceCents,
  regularPriceCents,
  voided,
  note,
  exemption,
}: LineRow): LineState => ({
  quantity,
  unitPriceCents,
  regularPriceCents,
  voided,
  note,
  exemption,
})
/** A payment to insert. Only a payment by voucher has a `voucherId`. */
export type NewTender = Omit<TenderRow, 'number' | 'voucherId' | 'voucherBalanceCents' | 'shiftId'> &
  Partial<Pick<TenderRow, 'voucherId' | 'voucherBalanceCents'>>

export type SaleClosing = { readonly at: number; readonly taxes: string; readonly shiftId: number } & (
  | { readonly state: 'completed'; readonly totals: string }
  | { readonly state: 'cancelled'; readonly totals: null }
)

export type MemberColumns = Pick<
  SaleRow,
  'memberLast4' | 'memberEntryMode' | 'memberSealed' | 'memberHash' | 'memberState' | 'inquiry'
>

const SALE = `SELECT id, version, CASE WHEN held_at IS NULL THEN state
  ELSE 'held' END AS state, lane, coalesce(served_by, cashier_id) AS servedBy, opened_at AS openedAt,
  closed_at AS closedAt,
  member_last4 AS memberLast4, member_entry_mode AS memberEntryMode, member_sealed AS memberSealed,
  member_hash AS memberHash,
  member_state AS memberState, inquiry, taxes, exemption, note, age_checked AS ageChecked,
  buyer_group AS buyers, promotion_rules AS promotionRules FROM sale`

function createSaleRows(db: Database) {
  // For the unary plus in `+?` and `+@saleId`, see core/db/database.ts.
  const byId = db.prepare<[string], SaleRow>(`${SALE} WHERE id = ?`)
  const open = db.prepare<[string], SaleRow>(`${SALE} WHERE lane = ? AND state = 'open' AND held_at IS NULL`)
  const nextSequence = db.prepare<[], { next: number }>(
    `SELECT max((SELECT coalesce(max(sequence), 0) FROM sale),
      (SELECT coalesce(max(sequence), 0) FROM sale_return),
      (SELECT coalesce(max(first_sequence), 1) - 1 FROM lane_epoch)) + 1 AS next`,
  )
  const earlierEpoch = db
    .prepare<[string], number>(
      `SELECT 1 FROM sale WHERE id = ? AND sequence < (SELECT coalesce(max(first_sequence), 0) FROM lane_epoch)`,
    )
    .pluck()
  const insert = db.prepare(
    "INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at) VALUES (?, ?, 1, 'open', ?, ?, ?)",
  )
  const serve = db.prepare(
    'UPDATE sale SET served_by = @staffId WHERE id = @id AND coalesce(served_by, cashier_id) <> @staffId',
  )
  const touch = db.prepare('UPDATE sale SET version = version + 1 WHERE id = ?')
  const close = db.prepare(`UPDATE sale SET state = @state, closed_at = @at, taxes = @taxes, totals = @totals,
    shift_id = @shiftId WHERE id = @id`)
  const setMember = db.prepare(`UPDATE sale SET member_last4 = @memberLast4, member_entry_mode = @memberEntryMode,
    member_sealed = @memberSealed, member_hash = @memberHash, member_state = @memberState, inquiry = @inquiry
    WHERE id = @id`)
  const setInquiring = db.prepare(
    "UPDATE sale SET member_state = 'pending', inquiry = NULL WHERE id = ? AND member_sealed IS NOT NULL",
  )
  const setInquiry = db.prepare('UPDATE sale SET member_state = ?, inquiry = ? WHERE id = ?')
  const setNote = db.prepare('UPDATE sale SET note = ? WHERE id = ?')
  const setAgeChecked = db.prepare('UPDATE sale SET age_checked = ? WHERE id = ?')
  const setPromotionRules = db.prepare('UPDATE sale SET promotion_rules = ? WHERE id = ?')
  const setBuyers = db.prepare('UPDATE sale SET buyer_group = ? WHERE id = ?')
  const setExemption = db.prepare('UPDATE sale SET exemption = ? WHERE id = ?')

  const undo = createUndoRows(db)

  return {
    undo,
    byId: (id: string): SaleRow | undefined => byId.get(id),
    openOn: (lane: string): SaleRow | undefined => open.get(lane),
    /**
     * Whether the sale was opened before the newest restore. It may have been closed since, in the database that was
     * lost.
     */
    isOfEarlierEpoch: (id: string): boolean => earlierEpoch.get(id) !== undefined,
    /** Returns the next number of the sequence that sales and returns share, so that their ids never collide. */
    nextSequence: (): number => nextSequence.get()?.next ?? 1,
    insert(tx: Tx, sale: { id: SaleId; sequence: number; lane: string; cashierId: string; openedAt: number }): void {
      tx.run(insert, sale.id, sale.sequence, sale.lane, sale.cashierId, sale.openedAt)
    },
    serve: (tx: Tx, id: string, staffId: string): void => void tx.run(serve, { id, staffId }),
    raise: (tx: Tx, id: string): void => void tx.run(touch, id),
    /**
     * Raises the version of a sale after a change that ties it to its collector or cannot be undone, and removes former
     * collectors from the undo stack.
     */
    touch(tx: Tx, id: string): void {
      tx.run(touch, id)
      undo.forgetCollectors(tx, id)
    },
    /**
     * Closes a sale. `taxes` are stored for later returns and copies of the receipt, because the profile may change;
     * `totals` of a completed sale are for reports.
     */
    close(tx: Tx, id: string, closing: SaleClosing): void {
      tx.run(close, { id, ...closing })
      undo.forget(tx, id)
    },
    setMember: (tx: Tx, id: string, member: MemberColumns): void => void tx.run(setMember, { ...member, id }),
    setInquiring: (tx: Tx, id: string): void => void tx.run(setInquiring, id),
    setInquiry: (tx: Tx, id: string, state: 'known' | 'unknown', inquiry: string): void =>
      void tx.run(setInquiry, state, inquiry, id),
    setNote: (tx: Tx, id: string, note: string | null): void => void tx.run(setNote, note, id),
    setAgeChecked: (tx: Tx, id: string, age: number): void => void tx.run(setAgeChecked, age, id),
    setPromotionRules: (tx: Tx, id: string, rules: string | null): void => void tx.run(setPromotionRules, rules, id),
    setBuyers: (tx: Tx, id: string, buyers: BuyerGroup | null): void => void tx.run(setBuyers, buyers, id),
    setExemption: (tx: Tx, id: string, exemption: string | null): void => void tx.run(setExemption, exemption, id),
  }
}

const LineCharges = z.array(LineCharge)

/**
 * Names of a line as stored. Those of a measured line contain the measure, for the previous release; the names without
 * it are in the JSON of the measure.
 */
export const storedNames = ({ name, measure }: Pick<LineRow, 'name' | 'measure'>) => ({
  names: JSON.stringify(measure === null ? name : measuredNames(name, measure)),
  measure: measure === null ? null : JSON.stringify({ ...measure, name }),
})

const StoredMeasure = LineMeasure.extend({ name: Names })
/** Reads the stored measure of a line, and the names of the line without the measure. */
export function storedMeasure(json: unknown): { readonly measure: LineMeasure; readonly name: Names } | null {
  if (json == null) return null
  const { name, ...measure } = StoredMeasure.parse(typeof json === 'string' ? JSON.parse(json) : json)
  return { measure, name }
}

function createLineRows(db: Database) {
  const lines = db.prepare<
    [string],
    Omit<LineRow, 'name' | 'exemption' | 'charges' | 'measure'> & {
      names: string
      exemption: string | null
      charges: string | null
      measure: string | null
    }
  >(`SELECT number, sku, names, quantity, unit_price_cents AS unitPriceCents,
    regular_price_cents AS regularPriceCents, tax_category AS taxCategory, tax_rule AS taxRule, exemption,
    department_id AS departmentId, category_id AS categoryId, voided, note, minimum_age AS minimumAge,
    rung_at AS rungAt, pack_pieces AS packPieces, charges, charge_of AS chargeOf, measure,
    return_days AS returnDays FROM sale_line WHERE sale_id = +? ORDER BY number`)
  const insertLine =
    db.prepare(`INSERT INTO sale_line (sale_id, number, sku, names, quantity, unit_price_cents, tax_category,
      tax_rule, department_id, category_id, minimum_age, rung_at, pack_pieces, charges, measure, return_days)
    VALUES (@saleId, (SELECT coalesce(max(number), 0) + 1 FROM sale_line WHERE sale_id = +@saleId), @sku, @names,
    @quantity, @unitPriceCents, @taxCategory, @taxRule, @departmentId, @categoryId,
    @minimumAge, @rungAt, @packPieces, @charges, @measure, @returnDays)`)
  const insertCharge =
    db.prepare(`INSERT INTO sale_line (sale_id, number, sku, names, quantity, unit_price_cents, tax_category,
      tax_rule, exemption, department_id, category_id, rung_at, charge_of)
    VALUES (@saleId, @number, @sku, @names, @quantity, @unitPriceCents, @taxCategory, @taxRule, @exemption,
    @departmentId, @categoryId, @rungAt, @chargeOf)`)
  const setQuantity = db.prepare('UPDATE sale_line SET quantity = ? WHERE sale_id = ? AND number = ? AND voided = 0')
  const setMinimumAge = db.prepare('UPDATE sale_line SET minimum_age = ? WHERE sale_id = ? AND number = ?')
  const voidLine = db.prepare('UPDATE sale_line SET voided = 1 WHERE sale_id = ? AND number = ? AND voided = 0')
  const setLine = db.prepare(
    `UPDATE sale_line
      SET quantity = @quantity, unit_price_cents = @unitPriceCents, regular_price_cents = @regularPriceCents,
      voided = @voided, note = @note, exemption = @exemption WHERE sale_id = @saleId AND number = @number`,
  )

  const setTaxCategory = db.prepare(
    `UPDATE sale_line SET tax_category = @category, tax_rule = iif(tax_rule = 'no-federal-tax', tax_rule, NULL)
      WHERE sale_id = @saleId AND number = @number`,
  )

  return {
    lines: (id: string): LineRow[] =>
      lines.all(id).map(({ names, exemption, charges, measure, ...line }) => ({
        ...line,
        name: namesOf(names),
        measure: null,
        ...storedMeasure(measure),
        exemption: exemption === null ? null : Exemption.parse(JSON.parse(exemption)),
        charges: charges === null ? [] : LineCharges.parse(JSON.parse(charges)),
      })),
    insertLine(tx: Tx, saleId: string, { name, charges, measure, ...line }: NewLine): void {
      tx.run(insertLine, {
        saleId,
        ...line,
        ...storedNames({ name, measure }),
        charges: charges.length === 0 ? null : JSON.stringify(charges),
      })
    },
    /** Stores a deposit or fee of a completed sale. */
    insertCharge(tx: Tx, saleId: string, { name, exemption, charges: _charges, ...line }: LineRow): void {
      tx.run(insertCharge, {
        saleId,
        ...line,
        names: JSON.stringify(name),
        exemption: exemption && JSON.stringify(exemption),
      })
    },
    setQuantity: (tx: Tx, saleId: string, number: number, quantity: number): boolean =>
      tx.run(setQuantity, quantity, saleId, number).changes === 1,
    setMinimumAge: (tx: Tx, saleId: string, number: number, age: number): void =>
      void tx.run(setMinimumAge, age, saleId, number),
    voidLine: (tx: Tx, saleId: string, number: number): boolean => tx.run(voidLine, saleId, number).changes === 1,
    setLine: (tx: Tx, saleId: string, number: number, state: LineState): void =>
      void tx.run(setLine, {
        saleId,
        number,
        ...state,
        exemption: state.exemption && JSON.stringify(state.exemption),
      }),
    /** Stores the category whose taxes a line of a completed sale has; only the rule `no-federal-tax` remains. */
    setTaxCategory: (tx: Tx, saleId: string, number: number, category: TaxCategory): void =>
      void tx.run(setTaxCategory, { saleId, number, category }),
  }
}

const couponIn = (text: string | null): PaidCoupon | null => (text === null ? null : PaidCoupon.parse(JSON.parse(text)))

function createTenderRows(db: Database) {
  const tenders = db.prepare<
    [string],
    Omit<TenderRow, 'coupon'> & { readonly coupon: string | null }
  >(`SELECT number, ${TENDER_KIND} AS kind, coupon, amount_cents AS amountCents,
    rounding_cents AS roundingCents, tendered_cents AS tenderedCents, change_cents AS changeCents, reference,
    operation_id AS operationId, voucher_id AS voucherId,
    voucher_balance_cents AS voucherBalanceCents, shift_id AS shiftId FROM tender WHERE sale_id = +?
    AND takes_back IS NULL
    AND NOT EXISTS (SELECT 1 FROM tender AS back WHERE back.sale_id = tender.sale_id
    AND back.takes_back = tender.number) ORDER BY number`)
  // Search by `sale_id`, which few rows share: there is no index by operation.
  const paidBy = db
    .prepare<[string, string], number>(
      'SELECT coalesce(sum(amount_cents), 0) FROM tender WHERE sale_id = +? AND operation_id = ? AND amount_cents > 0',
    )
    .pluck()
  const insertTender =
    db.prepare(`INSERT INTO tender (sale_id, number, kind, amount_cents, rounding_cents, tendered_cents, change_cents,
      reference, operation_id, voucher_id, voucher_balance_cents, takes_back, coupon, at, shift_id)
    VALUES (@saleId, (SELECT coalesce(max(number), 0) + 1 FROM tender WHERE sale_id = +@saleId), @kind, @amountCents,
    @roundingCents, @tenderedCents, @changeCents, @reference, @operationId, @voucherId, @voucherBalanceCents,
    @takesBack, @coupon, @at, @shiftId)`)

  return {
    /** Returns the payments of a sale that were not given back. */
    tenders: (id: string): TenderRow[] =>
      tenders.all(id).map(({ coupon, ...tender }) => ({ ...tender, coupon: couponIn(coupon) })),
    paidBy: (id: string, operationId: string): number => paidBy.get(id, operationId) ?? 0,
    insertTender(tx: Tx, saleId: string, tender: NewTender, taken: Pick<TenderRow, 'shiftId'> & { at: number }): void {
      const { kind, coupon, ...row } = tender
      tx.run(insertTender, {
        saleId,
        voucherId: null,
        voucherBalanceCents: null,
        takesBack: null,
        ...row,
        kind: kind === 'manufacturer-coupon' ? 'cheque' : kind,
        coupon: coupon ? JSON.stringify(coupon) : null,
        ...taken,
      })
    },
  }
}

export type SalesRepository = ReturnType<typeof createSalesRepository>

export const createSalesRepository = (db: Database) => ({
  ...createSaleRows(db),
  ...createLineRows(db),
  ...createTenderRows(db),
  discounts: createDiscountRows(db),
  corrections: createCorrectionRows(db),
  cards: createCardRows(db),
})

export const saleRowsOf = perLane(({ db }) => createSalesRepository(db))
