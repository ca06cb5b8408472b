import type { MovementKind } from '../../../contracts/day/shifts.ts'
import { CHARGE_SKUS, EMPTIES_SKU, GIFT_CARD_DEPARTMENT, GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { TaxCode } from '../../../contracts/core/regions.ts'
import type { Names } from '../../../contracts/core/locales.ts'
import { ZReport } from '../../../contracts/day/day-end.ts'
import { readNamedCount } from '../../catalog/charges.ts'
import type { Database } from '../../core/db/database.ts'
import type { Tx } from '../../core/db/transact.ts'
import { perLane } from '../../core/context.ts'

interface Sum {
  readonly count: number
  readonly cents: number
}

export interface ZRow {
  readonly number: number
  readonly at: number
  readonly lastAudit: number
  readonly lastEntry: number
  readonly report: ZReport
}

export interface ZOpening {
  readonly number: number
  /** Time (epoch ms) at which the first drawer of the Z was opened. */
  readonly openedAt: number
}

/** Figures of a Z for the list of closings, read without the rest of its report. */
export interface ZFigures {
  readonly number: number
  readonly sales: number
  readonly totalCents: number
  readonly returnedCents: number
  readonly differenceCents: number
}

type StoredZ = Omit<ZRow, 'report'> & { readonly report: string }

const Z = 'SELECT number, at, last_audit AS lastAudit, last_entry AS lastEntry, report FROM z_report'
export const Z_NEWEST = `${Z} WHERE number < ? ORDER BY number DESC LIMIT ?`
/** Reads no reports: a lane has thousands of Zs, and a list of days starts with all of them. */
export const Z_OPENINGS = `SELECT z_number AS number, min(opened_at) AS openedAt FROM shift
  WHERE z_number IS NOT NULL GROUP BY z_number ORDER BY z_number`

/**
 * SQL for figures of the X report, the Z report and other reports, each of which selects its own rows. The first two
 * need the tables `tender` and `operation`, the third `refund`, the last `return_line`.
 */
export const REDEEMED_FIGURES = `coalesce(sum(sign(tender.amount_cents) * operation.miles), 0) AS miles,
  coalesce(sum(tender.amount_cents), 0) AS cents`
export const ISSUED_MILES = `coalesce(sum(operation.miles)
  FILTER (WHERE operation.kind = 'issuance' AND operation.state = 'confirmed'), 0)`
export const REFUND_FIGURES = `count(*) AS count, sum(refund.amount_cents) AS cents,
  sum(refund.rounding_cents) AS roundingCents`
export const RETURNED_NET = `sum(return_line.quantity * return_line.unit_price_cents - return_line.discount_cents)`

/**
 * Ids of shifts, or numbers of Zs, are passed as one JSON list. Every sum uses the index that begins with `shift_id`.
 */
const IN = 'IN (SELECT value FROM json_each(@ids))'

export const Z_FIGURES = `SELECT number, report ->> '$.totals.sales.count' AS sales,
  report ->> '$.totals.sales.totalCents' AS totalCents, report ->> '$.totals.returns.totalCents' AS returnedCents,
  (SELECT sum(value ->> '$.differenceCents') FROM json_each(report, '$.shifts')) AS differenceCents
  FROM z_report WHERE number ${IN}`
const Z_OF_NUMBERS = `${Z} WHERE number ${IN} ORDER BY number`

export const SALES = `SELECT count(*) AS count, coalesce(sum(json_extract(totals, '$.grossCents')), 0) AS grossCents,
  coalesce(sum(json_extract(totals, '$.discountCents')), 0) AS discountCents,
  coalesce(sum(json_extract(totals, '$.netCents')), 0) AS netCents,
  coalesce(sum(json_extract(totals, '$.totalCents')), 0) AS totalCents,
  min(sequence) AS firstSequence, max(sequence) AS lastSequence
  FROM sale WHERE shift_id ${IN} AND state = 'completed'`
export const SALE_TAXES = `SELECT json_extract(tax.value, '$.code') AS code,
  sum(json_extract(tax.value, '$.amountCents')) AS cents
  FROM sale, json_each(sale.totals, '$.taxes') AS tax WHERE sale.shift_id ${IN} AND sale.state = 'completed'
  GROUP BY 1 ORDER BY 1`
export const SOLD = `SELECT department.key AS id, sum(department.value) AS cents
  FROM sale, json_each(sale.totals, '$.departments') AS department
  WHERE sale.shift_id ${IN} AND sale.state = 'completed' AND department.key <> '${GIFT_CARD_DEPARTMENT}'
  GROUP BY 1 ORDER BY 1`
/** A gift card has neither tax nor discount, so its price is its gross, net and total amount. */
export const GIFT_CARDS = `SELECT count(*) AS count, coalesce(sum(line.unit_price_cents), 0) AS cents
  FROM sale JOIN sale_line AS line ON line.sale_id = sale.id AND line.sku = '${GIFT_CARD_SKU}' AND line.voided = 0
  WHERE sale.shift_id ${IN} AND sale.state = 'completed'`
export const EMPTIES = `SELECT coalesce(sum(line.quantity), 0) AS count,
  coalesce(sum(line.quantity * line.unit_price_cents), 0) AS cents
  FROM sale JOIN sale_line AS line ON line.sale_id = sale.id AND line.sku = '${EMPTIES_SKU}' AND line.voided = 0
  WHERE sale.shift_id ${IN} AND sale.state = 'completed'`
/** Groups deposits by name, because the name contains the number of containers of a piece. */
export const DEPOSITS = `SELECT line.names, sum(line.quantity) AS count,
  sum(line.quantity * line.unit_price_cents) AS cents
  FROM sale JOIN sale_line AS line ON line.sale_id = sale.id AND line.sku = '${CHARGE_SKUS.deposit}' AND line.voided = 0
  WHERE sale.shift_id ${IN} AND sale.state = 'completed' GROUP BY line.names`
export const DEPOSITS_RETURNED = `SELECT coalesce(sum(return_line.quantity * return_line.unit_price_cents), 0)
  FROM sale_return JOIN return_line ON return_line.return_id = sale_return.id
    AND return_line.sku = '${CHARGE_SKUS.deposit}'
  WHERE sale_return.shift_id ${IN}`
/**
 * Whether a payment was removed from its sale: by its own row, or with the cancelled sale. Cash paid out for empty
 * containers or for the balance of a gift card is also negative, but it is what its sale was closed with.
 */
const IS_BACK = `(tender.amount_cents < 0 AND (tender.takes_back IS NOT NULL
    OR EXISTS (SELECT 1 FROM sale WHERE sale.id = tender.sale_id AND sale.state = 'cancelled')
    AND NOT EXISTS (SELECT 1 FROM gift_card_cash_out AS paid WHERE paid.sale_id = tender.sale_id)))`
const tendersWhere = (condition: string): string => `SELECT kind, sum(NOT ${IS_BACK}) AS taken,
  sum(iif(${IS_BACK}, 0, amount_cents)) AS takenCents,
  sum(${IS_BACK}) AS back, sum(iif(${IS_BACK}, amount_cents, 0)) AS backCents,
  sum(rounding_cents) AS roundingCents FROM tender WHERE shift_id ${IN} ${condition} GROUP BY kind ORDER BY kind`
export const TENDERS = tendersWhere('')
/** Manufacturers' coupons, which `TENDERS` counts as cheques. */
const COUPONS = tendersWhere('AND coupon IS NOT NULL')
const refundsIn = (table: string): string => `SELECT refund.kind, refund.amount_cents, refund.rounding_cents
  FROM sale_return JOIN ${table} AS refund ON refund.return_id = sale_return.id WHERE sale_return.shift_id ${IN}`
export const REFUNDS = `SELECT kind, ${REFUND_FIGURES}
  FROM (${refundsIn('refund')} UNION ALL ${refundsIn('store_refund')}) AS refund GROUP BY kind ORDER BY 1`
export const RETURNS = `SELECT count(*) AS count, coalesce(sum(subtotal_cents), 0) AS netCents,
  coalesce(sum(total_cents), 0) AS totalCents FROM sale_return WHERE shift_id ${IN}`
export const RETURN_TAXES = `SELECT json_extract(tax.value, '$.code') AS code,
  sum(json_extract(tax.value, '$.amountCents')) AS cents
  FROM sale_return, json_each(sale_return.taxes) AS tax WHERE sale_return.shift_id ${IN} GROUP BY 1 ORDER BY 1`
export const RETURNED = `SELECT return_line.department_id AS id, ${RETURNED_NET} AS cents
  FROM sale_return JOIN return_line ON return_line.return_id = sale_return.id
  WHERE sale_return.shift_id ${IN} GROUP BY 1 ORDER BY 1`
export const MOVEMENTS = `SELECT kind, count(*) AS count, sum(amount_cents) AS cents FROM cash_movement
  WHERE shift_id ${IN} GROUP BY kind ORDER BY kind`
export const CANCELLED = `SELECT count(*) FROM sale WHERE shift_id ${IN} AND state = 'cancelled'
  AND id NOT IN (SELECT sale_id FROM gift_card_cash_out WHERE shift_id ${IN})`
export const CASH_OUTS = `SELECT count(*) AS count, coalesce(sum(amount_cents), 0) AS cents FROM gift_card_cash_out
  WHERE shift_id ${IN}`
export const REDEEMED = `SELECT ${REDEEMED_FIGURES}
  FROM tender JOIN operation ON operation.id = tender.operation_id
  WHERE tender.shift_id ${IN} AND tender.kind = 'miles'`
export const ISSUED = `SELECT ${ISSUED_MILES} FROM (
    SELECT id FROM sale WHERE shift_id ${IN} AND state = 'completed'
    UNION ALL SELECT id FROM sale_return WHERE shift_id ${IN}
  ) AS closed JOIN operation ON operation.sale_id = closed.id`
/**
 * Payments, up to the end of these shifts, on sales that were not closed by then: they are still open, or were closed
 * in a later shift.
 */
export const PAID_ON_OPEN = `SELECT coalesce(sum(tender.amount_cents), 0) FROM (
    SELECT id FROM sale WHERE state = 'open'
    UNION ALL SELECT sale.id FROM shift AS later JOIN sale ON sale.shift_id = later.id
    WHERE later.lane = @lane AND later.z_number IS NULL AND later.id NOT ${IN}
  ) AS unclosed JOIN tender ON tender.sale_id = unclosed.id JOIN shift ON shift.id = tender.shift_id
  WHERE shift.z_number IS NOT NULL OR shift.id ${IN}`
export const PRICE_CHANGES = `SELECT count(*) FROM audit_entry
  WHERE id > @after AND id <= @to AND kind = 'price-changed'`
/** Counts only copies: printing an original again after a failed print makes no copy. */
export const COPIES = `SELECT count(*) FROM audit_entry
  WHERE id > @after AND id <= @to AND kind = 'receipt-reprinted' AND detail ->> '$.copy' > 0`
/**
 * Selects the newest void entry of each line that is still void, so that an undone void does not count. Continues a
 * FROM clause with `audit_entry`.
 */
export const EFFECTIVE_VOID = `CROSS JOIN sale_line AS line ON line.sale_id = audit_entry.subject
    AND line.number = json_extract(audit_entry.detail, '$.line') AND line.voided = 1
    AND NOT EXISTS (SELECT 1 FROM audit_entry AS later INDEXED BY audit_entry_subject
      WHERE later.subject = audit_entry.subject AND later.kind = 'line-voided' AND later.id > audit_entry.id
      AND json_extract(later.detail, '$.line') = line.number)`
export const VOIDED_LINES = `SELECT count(*) FROM audit_entry ${EFFECTIVE_VOID}
  WHERE audit_entry.kind = 'line-voided' AND audit_entry.id > @after AND audit_entry.id <= @to`
/**
 * Selects manual discounts that were not removed, without compensations for a wrong shelf price, which have a report of
 * their own. Continues a FROM clause with `sale`.
 */
export const EFFECTIVE_DISCOUNT = `CROSS JOIN sale_discount AS discount ON discount.sale_id = sale.id
    AND discount.removed = 0 AND discount.reason IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM price_correction AS correction
      WHERE correction.sale_id = discount.sale_id AND correction.discount_number = discount.number)`
export const DISCOUNTS = `SELECT count(*) FROM sale ${EFFECTIVE_DISCOUNT}
  WHERE sale.shift_id ${IN} AND sale.state = 'completed'`

export type DayEndRepository = ReturnType<typeof createDayEndRepository>
const NOTHING = { count: 0, cents: 0 }
const withContainers = (sum: Sum, { names, count, cents }: Sum & { readonly names: string }): Sum => ({
  count: sum.count + count * readNamedCount(JSON.parse(names) as Names).containers,
  cents: sum.cents + cents,
})
const NO_SUMS = { count: 0, grossCents: 0, discountCents: 0, netCents: 0, totalCents: 0 }
const NO_SALES = { ...NO_SUMS, firstSequence: null, lastSequence: null }

function createShiftSums(db: Database, lane: string) {
  const sales = db.prepare<
    { ids: string },
    {
      count: number
      grossCents: number
      discountCents: number
      netCents: number
      totalCents: number
      firstSequence: number | null
      lastSequence: number | null
    }
  >(SALES)
  const idOf = db.prepare<[number], string>('SELECT id FROM sale WHERE sequence = ?').pluck()
  const saleTaxes = db.prepare<{ ids: string }, { code: TaxCode; cents: number }>(SALE_TAXES)
  const departments = db.prepare<{ ids: string }, { id: string; cents: number }>(SOLD)
  const tenders = db.prepare<
    { ids: string },
    {
      kind: TenderKind
      taken: number
      takenCents: number
      back: number
      backCents: number
      roundingCents: number
    }
  >(TENDERS)
  const coupons = db.prepare<{ ids: string }, { taken: number; takenCents: number; back: number; backCents: number }>(
    COUPONS,
  )
  const refunds = db.prepare<{ ids: string }, Sum & { kind: TenderKind; roundingCents: number }>(REFUNDS)
  const returns = db.prepare<{ ids: string }, { count: number; netCents: number; totalCents: number }>(RETURNS)
  const returnTaxes = db.prepare<{ ids: string }, { code: TaxCode; cents: number }>(RETURN_TAXES)
  const returned = db.prepare<{ ids: string }, { id: string; cents: number }>(RETURNED)
  const movements = db.prepare<{ ids: string }, Sum & { kind: MovementKind }>(MOVEMENTS)
  const cancelled = db.prepare<{ ids: string }, number>(CANCELLED).pluck()
  const redeemed = db.prepare<{ ids: string }, { miles: number; cents: number }>(REDEEMED)
  const issued = db.prepare<{ ids: string }, number>(ISSUED).pluck()
  const paidOnOpen = db.prepare<{ ids: string; lane: string }, number>(PAID_ON_OPEN).pluck()
  const giftCards = db.prepare<{ ids: string }, Sum>(GIFT_CARDS)
  const deposits = db.prepare<{ ids: string }, Sum & { names: string }>(DEPOSITS)
  const depositsReturned = db.prepare<{ ids: string }, number>(DEPOSITS_RETURNED).pluck()
  const empties = db.prepare<{ ids: string }, Sum>(EMPTIES)
  const cashOuts = db.prepare<{ ids: string }, Sum>(CASH_OUTS)
  const discounts = db.prepare<{ ids: string }, number>(DISCOUNTS).pluck()
  const priceChanges = db.prepare<{ after: number; to: number }, number>(PRICE_CHANGES).pluck()
  const copies = db.prepare<{ after: number; to: number }, number>(COPIES).pluck()
  const voidedLines = db.prepare<{ after: number; to: number }, number>(VOIDED_LINES).pluck()

  return {
    sums(shiftIds: readonly number[]) {
      const ids = { ids: JSON.stringify(shiftIds) }
      const { firstSequence, lastSequence, ...sum } = sales.get(ids) ?? NO_SALES
      const sold = giftCards.get(ids) ?? NOTHING
      const charged = deposits.all(ids).reduce<Sum>(withContainers, NOTHING)
      const taken = empties.get(ids) ?? NOTHING
      const noRevenue = sold.cents + charged.cents + taken.cents
      const back = depositsReturned.get(ids) ?? 0
      const returnSums = returns.get(ids) ?? { count: 0, netCents: 0, totalCents: 0 }
      return {
        sales: {
          ...sum,
          grossCents: sum.grossCents - noRevenue,
          netCents: sum.netCents - noRevenue,
          totalCents: sum.totalCents - noRevenue,
          taxes: saleTaxes.all(ids),
          firstId: firstSequence === null ? null : (idOf.get(firstSequence) ?? null),
          lastId: lastSequence === null ? null : (idOf.get(lastSequence) ?? null),
        },
        giftCards: sold,
        deposits: { ...charged, returnedCents: back },
        empties: taken,
        cashOuts: cashOuts.get(ids) ?? { count: 0, cents: 0 },
        departments: departments.all(ids),
        returned: returned.all(ids),
        returns: {
          count: returnSums.count,
          netCents: returnSums.netCents - back,
          totalCents: returnSums.totalCents - back,
          taxes: returnTaxes.all(ids),
        },
        tenders: tenders.all(ids),
        coupons: coupons.get(ids),
        refunds: refunds.all(ids),
        movements: movements.all(ids),
        cancelled: cancelled.get(ids) ?? 0,
        discounts: discounts.get(ids) ?? 0,
        redeemed: redeemed.get(ids) ?? { miles: 0, cents: 0 },
        issuedMiles: issued.get(ids) ?? 0,
        paidOnOpenCents: paidOnOpen.get({ ...ids, lane }) ?? 0,
      }
    },
    audited: (after: number, to: number) => ({
      voidedLines: voidedLines.get({ after, to }) ?? 0,
      priceChanges: priceChanges.get({ after, to }) ?? 0,
      copies: copies.get({ after, to }) ?? 0,
    }),
  }
}

function createZRows(db: Database, lane: string) {
  const lastAudit = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM audit_entry').pluck()
  const insert = db.prepare(`INSERT INTO z_report (number, lane, at, staff_id, last_audit, last_entry, report)
    VALUES (@number, @lane, @at, @staffId, @lastAudit, @lastEntry, @report)`)
  // After a restore, numbering continues after the last printed number: see the table lane_epoch.
  const next = db
    .prepare<[], number>(
      `SELECT max((SELECT coalesce(max(number), 0) FROM z_report) + 1,
      (SELECT coalesce(max(first_z), 1) FROM lane_epoch))`,
    )
    .pluck()
  const newest = db.prepare<[number, number], StoredZ>(Z_NEWEST)
  const byNumber = db.prepare<[number], StoredZ>(`${Z} WHERE number = ?`)
  const byNumbers = db.prepare<{ ids: string }, StoredZ>(Z_OF_NUMBERS)
  const openings = db.prepare<[], ZOpening>(Z_OPENINGS)
  const figures = db.prepare<{ ids: string }, ZFigures>(Z_FIGURES)
  const rowOf = ({ report, ...row }: StoredZ): ZRow => ({ ...row, report: ZReport.parse(JSON.parse(report)) })

  return {
    lastAudit: (): number => lastAudit.get() ?? 0,
    insert(tx: Tx, z: Omit<ZRow, 'report'> & { readonly staffId: string; readonly report: ZReport }): void {
      tx.run(insert, { ...z, lane, report: JSON.stringify(z.report) })
    },
    next: (): number => next.get() ?? 1,
    newest: (before: number, limit: number): ZRow[] => newest.all(before, limit).map(rowOf),
    byNumbers: (numbers: readonly number[]): ZRow[] => byNumbers.all({ ids: JSON.stringify(numbers) }).map(rowOf),
    openings: (): ZOpening[] => openings.all(),
    figures: (numbers: readonly number[]): ZFigures[] => figures.all({ ids: JSON.stringify(numbers) }),
    byNumber(number: number): ZRow | undefined {
      const row = byNumber.get(number)
      return row && rowOf(row)
    },
  }
}

export const createDayEndRepository = (db: Database, lane: string) => ({
  ...createShiftSums(db, lane),
  ...createZRows(db, lane),
})

export const dayEndRowsOf = perLane(({ db, lane }) => createDayEndRepository(db, lane.id))
