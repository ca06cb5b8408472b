import { z } from 'zod'
import { ZReport } from '../../../contracts/day/day-end.ts'
import { CHARGE_SKUS, EMPTIES_SKU, GIFT_CARD_SKU } from '../../../contracts/catalog/goods.ts'
import { CASH_ROUNDING, returnedTax } from '../../../contracts/day/report-kinds.ts'
import { LaneAmount } from '../../../contracts/store/bounds.ts'
import {
  FactTaxes,
  FactTotals,
  OperationFact,
  ReturnFact,
  type SaleFact,
  ShiftFact,
  ZReportFact,
} from '../../../contracts/store/facts.ts'
import type { Querying } from '../db/postgres.ts'
import { readSale, requireOwnId, requireSame } from '../lanes/guard.ts'
import type { FactsOf, Projection } from '../lanes/projection.ts'

const Closing = z.object({ result: z.object({ cash: z.object({ differenceCents: z.int() }) }) })

interface SaleRow {
  readonly id: string
  readonly kind: 'sale' | 'cancelled' | 'return'
  readonly at: number
  readonly gross_cents: number
  readonly discount_cents: number
  readonly net_cents: number
  readonly total_cents: number
}
interface AmountRow {
  readonly sale_id: string
  readonly part: 'tender' | 'tax' | 'miles' | 'gift-card' | 'deposit' | 'empties'
  readonly code: string
  readonly at: number
  count: number
  cents: number
}

/**
 * Stores sales. A restored lane cancels the sales that were open in its backup; a sale that the store already has as
 * completed stays completed.
 */
const SALES = `INSERT INTO overview_sale
    (store, lane, id, kind, at, gross_cents, discount_cents, net_cents, total_cents)
  SELECT $1, $2, id, kind, at, gross_cents, discount_cents, net_cents, total_cents
  FROM jsonb_to_recordset($3::jsonb) AS sent (id text, kind text, at bigint, gross_cents bigint, discount_cents bigint,
    net_cents bigint, total_cents bigint)
  ON CONFLICT (store, id) DO UPDATE SET kind = excluded.kind, at = excluded.at, gross_cents = excluded.gross_cents,
    discount_cents = excluded.discount_cents, net_cents = excluded.net_cents, total_cents = excluded.total_cents
    WHERE overview_sale.kind = 'cancelled' AND overview_sale.lane = excluded.lane
  RETURNING id`
const STORED_SALES =
  'SELECT id, lane, kind, at, total_cents AS "totalCents" FROM overview_sale WHERE store = $1 AND id = ANY ($2)'
const AMOUNTS = `INSERT INTO overview_amount (store, lane, sale_id, part, code, at, count, cents)
  SELECT $1, $2, sale_id, part, code, at, count, cents FROM jsonb_to_recordset($3::jsonb)
    AS sent (sale_id text, part text, code text, at bigint, count integer, cents bigint)
  ON CONFLICT (store, sale_id, part, code) DO UPDATE SET at = excluded.at, count = excluded.count,
    cents = excluded.cents`
const CALL = `INSERT INTO overview_call (store, lane, id, sale_id, kind, type, state, outcome, created_at, changed_at,
    amount_cents, miles, response_code, found)
  SELECT $1, $2, id, sale_id, kind, type, state, outcome, created_at, changed_at, amount_cents, miles, response_code,
    found
  FROM jsonb_to_recordset($3::jsonb) AS sent (id text, sale_id text, kind text, type text, state text, outcome text,
    created_at bigint, changed_at bigint, amount_cents bigint, miles bigint, response_code text, found text)
  ON CONFLICT (store, id) DO UPDATE SET state = excluded.state, outcome = excluded.outcome,
    changed_at = excluded.changed_at, amount_cents = excluded.amount_cents, miles = excluded.miles,
    response_code = excluded.response_code, found = excluded.found
  WHERE overview_call.lane = excluded.lane`
const OTHER_CALL = `SELECT id FROM overview_call WHERE store = $1 AND lane <> $2 AND id = ANY ($3)
  UNION ALL SELECT operation_id FROM overview_approval WHERE store = $1 AND lane <> $2 AND operation_id = ANY ($3)
  LIMIT 1`
// Stores an approval once: a repeated fact changes neither the approval nor the original report that contains it.
const APPROVAL = `INSERT INTO overview_approval (store, lane, operation_id, day, approved_at, row)
  SELECT $1, $2, operation_id, day, approved_at, row FROM jsonb_to_recordset($3::jsonb)
    AS sent (operation_id text, day text, approved_at bigint, row jsonb)
  ON CONFLICT (store, operation_id) DO NOTHING`
const SHIFT = `INSERT INTO overview_shift
    (stream, id, store, lane, drawer_of, opened_at, closed_at, closed_by, difference_cents)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (stream, id) DO NOTHING`
const STORED_SHIFT = `SELECT lane, closed_at AS "closedAt", difference_cents AS difference FROM overview_shift
  WHERE stream = $1 AND id = $2`
const Z_REPORT = `INSERT INTO overview_z
    (stream, number, store, lane, at, opened_at, closed_by, sales, total_cents, difference_cents, report)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (stream, number) DO NOTHING`
const STORED_Z = `SELECT lane, at, total_cents AS "totalCents", difference_cents AS difference FROM overview_z
  WHERE stream = $1 AND number = $2`

function amountsOf(id: string, at: number) {
  const rows = new Map<string, AmountRow>()
  return {
    rows,
    add(part: AmountRow['part'], code: string, count: number, cents: number): void {
      const key = `${part} ${code}`
      const row = rows.get(key) ?? { sale_id: id, part, code, at, count: 0, cents: 0 }
      row.count += count
      row.cents += cents
      rows.set(key, row)
    },
  }
}

const addRounding = (amounts: Pick<ReturnType<typeof amountsOf>, 'add'>, cents: number): void => {
  if (cents !== 0) amounts.add('tender', CASH_ROUNDING, 0, cents)
}

/** Returns the figures of a sale as in the lane's own reports: zero for a cancelled sale. */
function soldOf(fact: SaleFact): { sale: SaleRow; amounts: AmountRow[] } {
  const { id, closedAt: at } = fact
  const nothing = { gross_cents: 0, discount_cents: 0, net_cents: 0, total_cents: 0 }
  if (fact.state === 'cancelled') return { sale: { id, kind: 'cancelled', at, ...nothing }, amounts: [] }
  const { grossCents, discountCents, netCents, totalCents, taxes } = FactTotals.parse(fact.totals)
  const amounts = amountsOf(id, at)
  for (const { code, amountCents } of taxes) if (amountCents !== 0) amounts.add('tax', code, 1, amountCents)
  let noRevenue = 0
  for (const { sku, quantity, unitPriceCents, voided } of fact.lines) {
    if (voided !== 0) continue
    if (sku === GIFT_CARD_SKU) amounts.add('gift-card', '', 1, unitPriceCents)
    if (sku === CHARGE_SKUS.deposit) amounts.add('deposit', '', quantity, quantity * unitPriceCents)
    if (sku === EMPTIES_SKU) amounts.add('empties', '', quantity, 0 - quantity * unitPriceCents)
    if (sku === CHARGE_SKUS.deposit || sku === EMPTIES_SKU) noRevenue += quantity * unitPriceCents
  }
  const takenBack = new Set(fact.tenders.flatMap(({ takesBack }) => takesBack ?? []))
  for (const { kind, paidCoupon, amountCents, roundingCents, number, takesBack, operationId } of fact.tenders) {
    amounts.add(
      'tender',
      paidCoupon ? 'manufacturer-coupon' : kind,
      takesBack === null ? Number(amountCents !== 0) : -1,
      amountCents,
    )
    addRounding(amounts, roundingCents)
    if (operationId !== null && kind === 'miles' && takesBack === null && !takenBack.has(number))
      amounts.add('miles', operationId, 1, amountCents)
  }
  const sale = {
    id,
    kind: 'sale',
    at,
    gross_cents: grossCents - noRevenue,
    discount_cents: discountCents,
    net_cents: netCents - noRevenue,
    total_cents: totalCents - noRevenue,
  } as const
  return { sale, amounts: [...amounts.rows.values()] }
}

function returnedOf({ id, at, taxes, refunds, lines, ...fact }: ReturnFact) {
  const amounts = amountsOf(id, at)
  const depositCents = lines.reduce(
    (sum, line) => (line.sku === CHARGE_SKUS.deposit ? sum + line.quantity * line.unitPriceCents : sum),
    0,
  )
  if (depositCents !== 0) amounts.add('deposit', '', 0, -depositCents)
  const [subtotalCents, totalCents] = [fact.subtotalCents - depositCents, fact.totalCents - depositCents]
  for (const { code, amountCents } of FactTaxes.parse(taxes))
    if (amountCents !== 0) amounts.add('tax', returnedTax(code), 1, -amountCents)
  for (const { kind, amountCents, roundingCents } of refunds) {
    amounts.add('tender', kind, 0, -amountCents)
    addRounding(amounts, -roundingCents)
  }
  const sums = { gross_cents: subtotalCents, discount_cents: 0, net_cents: subtotalCents, total_cents: totalCents }
  const sale: SaleRow = { id, kind: 'return', at, ...sums }
  return { sale, amounts: [...amounts.rows.values()] }
}

function emptyTables(...tables: readonly string[]): NonNullable<Projection['beforeRebuild']> {
  return async (tx) => {
    for (const table of tables) await tx.query(`DELETE FROM ${table}`)
    return null
  }
}

const SOLD: Projection = {
  kinds: ['sale', 'return'],
  beforeRebuild: emptyTables('overview_amount', 'overview_sale'),
  async apply(tx, facts, { store, lane }) {
    const read = facts.map(({ kind, body }) =>
      kind === 'sale' ? soldOf(readSale(body)) : returnedOf(ReturnFact.parse(body)),
    )
    // Selects one fact per sale of a push, because a statement can update a row only once: the first completed one,
    // else the last cancellation. Two pushes would have the same result.
    const all = new Map<string, (typeof read)[number]>()
    for (const one of read)
      if ((all.get(one.sale.id)?.sale.kind ?? 'cancelled') === 'cancelled') all.set(one.sale.id, one)
    const sales = [...all.values()].map(({ sale }) => sale)
    const written = await tx.query<{ id: string }>(SALES, [store, lane, JSON.stringify(sales)])
    const amounts = written.rows.flatMap(({ id }) => all.get(id)?.amounts ?? [])
    await tx.query(AMOUNTS, [store, lane, JSON.stringify(amounts)])
    const own = read.map(({ sale }) => sale)
    await requireSales(tx, own, { store, lane })
  },
}

interface StoredSale extends Record<string, unknown> {
  readonly id: string
  readonly lane: string
  readonly kind: SaleRow['kind']
  readonly at: string
  readonly totalCents: string
}

/** Throws for a sale or return of another lane, and for one that its lane sent earlier with other figures. */
async function requireSales(
  tx: Querying,
  sales: readonly SaleRow[],
  { store, lane }: Pick<FactsOf, 'store' | 'lane'>,
): Promise<void> {
  const { rows } = await tx.query<StoredSale>(STORED_SALES, [store, sales.map(({ id }) => id)])
  const known = new Map(rows.map((row) => [row.id, row]))
  for (const { id, kind, at, total_cents: totalCents } of sales) {
    requireOwnId(lane, id)
    const was = known.get(id)
    if (was === undefined) continue
    const stored = { lane: was.lane, kind: was.kind, at: Number(was.at), totalCents: Number(was.totalCents) }
    requireSame(lane, id, stored, kind === 'cancelled' ? { ...stored, lane } : { lane, kind, at, totalCents })
  }
}

const CALLS: Projection = {
  kinds: ['operation'],
  // A rebuild keeps the approvals, because each belongs to the original report that contains it.
  beforeRebuild: emptyTables('overview_call'),
  async apply(tx, facts, { store, lane }) {
    const calls = facts.map(({ body }) => OperationFact.parse(body))
    // If a push contains a call several times, only its newest version is applied: a statement can update a row only
    // once.
    const rows = [...new Map(calls.map((call) => [call.id, callRow(call)])).values()]
    await tx.query(CALL, [store, lane, JSON.stringify(rows)])
    for (const { id, approval } of calls)
      if (approval !== null && (approval.row.lane !== lane || approval.row.operationId !== id))
        throw new Error(`the approval of ${id} names another lane or call`)
    const approved = calls.flatMap(({ id, approval }) =>
      approval === null
        ? []
        : [
            {
              operation_id: id,
              day: approval.businessDay,
              approved_at: Date.parse(approval.row.approvedAt),
              row: approval.row,
            },
          ],
    )
    if (approved.length > 0) await tx.query(APPROVAL, [store, lane, JSON.stringify(approved)])
    const [other] = (await tx.query<{ id: string }>(OTHER_CALL, [store, lane, rows.map(({ id }) => id)])).rows
    if (other !== undefined) throw new Error(`call ${other.id} belongs to another lane`)
  },
}

const callRow = (call: OperationFact) => ({
  id: call.id,
  sale_id: call.saleId,
  kind: call.kind,
  type: call.type,
  state: call.state,
  outcome: call.outcome,
  created_at: call.createdAt,
  changed_at: call.changedAt,
  amount_cents: call.amountCents,
  miles: call.miles,
  response_code: call.responseCode,
  found: call.found,
})

const CLOSED: Projection = {
  kinds: ['shift', 'z-report'],
  beforeRebuild: emptyTables('overview_shift', 'overview_z'),
  async apply(tx, facts, of) {
    for (const { kind, body } of facts)
      await (kind === 'shift' ? writeShift(tx, ShiftFact.parse(body), of) : writeZ(tx, ZReportFact.parse(body), of))
  },
}

async function writeShift(tx: Querying, shift: ShiftFact, { stream, store, lane }: FactsOf): Promise<void> {
  const closing = Closing.safeParse(shift.closing)
  const difference = closing.success ? closing.data.result.cash.differenceCents : null
  const { id, openedAt, closedAt, closedBy, drawerOf } = shift
  const row = [stream, id, store, lane, drawerOf?.name ?? null, openedAt, closedAt, closedBy.name, difference]
  if ((await tx.query(SHIFT, row)).count > 0) return
  const [was] = (await tx.query<StoredClosing>(STORED_SHIFT, [stream, id])).rows
  if (was) requireSame(lane, `shift ${id}`, numbersOf(was), { lane, closedAt, difference })
}

interface StoredClosing extends Record<string, unknown> {
  readonly lane: string
}
const numbersOf = ({ lane, ...figures }: StoredClosing): { lane: string } & Record<string, string | number | null> => ({
  lane,
  ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value === null ? null : Number(value)])),
})

async function writeZ(tx: Querying, { number, at, staff, report }: ZReportFact, of: FactsOf): Promise<void> {
  const { lane, shifts, totals } = ZReport.parse(report)
  if (lane !== of.lane) throw new Error(`Z ${number} is of lane ${lane}`)
  const openedAt = Math.min(at, ...shifts.map((shift) => Date.parse(shift.openedAt)))
  const difference = LaneAmount.parse(shifts.reduce((sum, { differenceCents }) => sum + differenceCents, 0))
  const { count } = totals.sales
  const totalCents = LaneAmount.parse(totals.sales.totalCents)
  const row = [of.stream, number, of.store, lane, at, openedAt, staff.name, count, totalCents, difference]
  if ((await tx.query(Z_REPORT, [...row, JSON.stringify(report)])).count > 0) return
  const [was] = (await tx.query<StoredClosing>(STORED_Z, [of.stream, number])).rows
  if (was) requireSame(lane, `Z ${number}`, numbersOf(was), { lane, at, totalCents, difference })
}

export const OVERVIEW: readonly Projection[] = [SOLD, CALLS, CLOSED]
