import { z } from 'zod'
import { ZReport } from '../../contracts/api/day-end.ts'
import { LaneAmount } from '../../contracts/store/bounds.ts'
import {
  FactTaxes,
  FactTotals,
  OperationFact,
  ReturnFact,
  type SaleFact,
  ShiftFact,
  ZReportFact,
} from '../../contracts/store/facts.ts'
import type { Fact } from '../../contracts/store/protocol.ts'
import type { Querying } from '../db/postgres.ts'
import type { FactsOf, Projection } from '../lanes/projection.ts'
import { readSale } from '../lanes/read-sale.ts'

/** Of what a shift was closed with. */
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
  readonly part: 'tender' | 'tax' | 'miles'
  readonly code: string
  readonly at: number
  count: number
  cents: number
}

/** A lane that came back from a copy cancels what was open then, and may have told as sold since: it was sold. */
const SALES = `INSERT INTO overview_sale
    (store, lane, id, kind, at, gross_cents, discount_cents, net_cents, total_cents)
  SELECT $1, $2, id, kind, at, gross_cents, discount_cents, net_cents, total_cents
  FROM jsonb_to_recordset($3::jsonb) AS told (id text, kind text, at bigint, gross_cents bigint, discount_cents bigint,
    net_cents bigint, total_cents bigint)
  ON CONFLICT (store, id) DO UPDATE SET kind = excluded.kind, at = excluded.at, gross_cents = excluded.gross_cents,
    discount_cents = excluded.discount_cents, net_cents = excluded.net_cents, total_cents = excluded.total_cents
    WHERE overview_sale.kind = 'cancelled'
  RETURNING id`
const AMOUNTS = `INSERT INTO overview_amount (store, lane, sale_id, part, code, at, count, cents)
  SELECT $1, $2, sale_id, part, code, at, count, cents FROM jsonb_to_recordset($3::jsonb)
    AS told (sale_id text, part text, code text, at bigint, count integer, cents bigint)
  ON CONFLICT (store, sale_id, part, code) DO UPDATE SET at = excluded.at, count = excluded.count,
    cents = excluded.cents`
const CALL = `INSERT INTO overview_call (store, lane, id, sale_id, kind, type, state, outcome, created_at, changed_at,
    amount_cents, miles, response_code, found)
  SELECT $1, $2, id, sale_id, kind, type, state, outcome, created_at, changed_at, amount_cents, miles, response_code,
    found
  FROM jsonb_to_recordset($3::jsonb) AS told (id text, sale_id text, kind text, type text, state text, outcome text,
    created_at bigint, changed_at bigint, amount_cents bigint, miles bigint, response_code text, found text)
  ON CONFLICT (store, id) DO UPDATE SET state = excluded.state, outcome = excluded.outcome,
    changed_at = excluded.changed_at, amount_cents = excluded.amount_cents, miles = excluded.miles,
    response_code = excluded.response_code, found = excluded.found`
// What was approved stays as it was approved, and in the original that it stands in.
const APPROVAL = `INSERT INTO overview_approval (store, lane, operation_id, day, approved_at, row)
  SELECT $1, $2, operation_id, day, approved_at, row FROM jsonb_to_recordset($3::jsonb)
    AS told (operation_id text, day text, approved_at bigint, row jsonb)
  ON CONFLICT (store, operation_id) DO NOTHING`
const SHIFT = `INSERT INTO overview_shift
    (stream, id, store, lane, drawer_of, opened_at, closed_at, closed_by, difference_cents)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (stream, id) DO NOTHING`
const Z_REPORT = `INSERT INTO overview_z
    (stream, number, store, lane, at, opened_at, closed_by, sales, total_cents, difference_cents, report)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (stream, number) DO NOTHING`

/** Adds up what one sale or return was paid or taxed by, once for each code. */
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

/** A sale in the figures of the lane's own reports: a cancelled one has none. */
function soldOf(fact: SaleFact): { sale: SaleRow; amounts: AmountRow[] } {
  const { id, closedAt: at } = fact
  const nothing = { gross_cents: 0, discount_cents: 0, net_cents: 0, total_cents: 0 }
  if (fact.state === 'cancelled') return { sale: { id, kind: 'cancelled', at, ...nothing }, amounts: [] }
  const { grossCents, discountCents, netCents, totalCents, taxes } = FactTotals.parse(fact.totals)
  const amounts = amountsOf(id, at)
  for (const { code, amountCents } of taxes) amounts.add('tax', code, 1, amountCents)
  const takenBack = new Set(fact.tenders.flatMap(({ takesBack }) => takesBack ?? []))
  for (const { kind, amountCents, number, takesBack, operationId } of fact.tenders) {
    amounts.add('tender', kind, Math.sign(amountCents), amountCents)
    if (operationId !== null && kind === 'miles' && takesBack === null && !takenBack.has(number))
      amounts.add('miles', operationId, 1, amountCents)
  }
  const sale = {
    id,
    kind: 'sale',
    at,
    gross_cents: grossCents,
    discount_cents: discountCents,
    net_cents: netCents,
    total_cents: totalCents,
  } as const
  return { sale, amounts: [...amounts.rows.values()] }
}

function returnedOf({ id, at, subtotalCents, totalCents, taxes, refunds }: ReturnFact) {
  const amounts = amountsOf(id, at)
  for (const { code, amountCents } of FactTaxes.parse(taxes)) amounts.add('tax', code, 0, -amountCents)
  for (const { kind, amountCents } of refunds) amounts.add('tender', kind, -1, -amountCents)
  const sums = { gross_cents: subtotalCents, discount_cents: 0, net_cents: subtotalCents, total_cents: totalCents }
  const sale: SaleRow = { id, kind: 'return', at, ...sums }
  return { sale, amounts: [...amounts.rows.values()] }
}

const told = (facts: readonly Fact[]): readonly Fact[] =>
  facts.filter(({ body }) => typeof body['unreadable'] !== 'string')

/** Tables that facts alone fill. */
function forgetting(...tables: readonly string[]): NonNullable<Projection['anew']> {
  return async (tx) => {
    for (const table of tables) await tx.query(`DELETE FROM ${table}`)
    return null
  }
}

/** Sales and returns, for the totals of a day. */
const SOLD: Projection = {
  kinds: ['sale', 'return'],
  anew: forgetting('overview_amount', 'overview_sale'),
  async apply(tx, facts, { store, lane }) {
    const read = told(facts).map(({ kind, body }) =>
      kind === 'sale' ? soldOf(readSale(body)) : returnedOf(ReturnFact.parse(body)),
    )
    // Of what one push tells twice one, as over two pushes: a statement touches a row once.
    const all = new Map<string, (typeof read)[number]>()
    for (const one of read)
      if ((all.get(one.sale.id)?.sale.kind ?? 'cancelled') === 'cancelled') all.set(one.sale.id, one)
    const sales = [...all.values()].map(({ sale }) => sale)
    const written = await tx.query<{ id: string }>(SALES, [store, lane, JSON.stringify(sales)])
    const amounts = written.rows.flatMap(({ id }) => all.get(id)?.amounts ?? [])
    await tx.query(AMOUNTS, [store, lane, JSON.stringify(amounts)])
  },
}

/** Calls that move miles, and among them the approvals that the operator is told of. */
const CALLS: Projection = {
  kinds: ['operation'],
  // Approvals stay: each stands in the original in which it was reported.
  anew: forgetting('overview_call'),
  async apply(tx, facts, { store, lane }) {
    const calls = told(facts).map(({ body }) => OperationFact.parse(body))
    // The newest of what one push tells twice: a statement touches a row once.
    const rows = [...new Map(calls.map((call) => [call.id, callRow(call)])).values()]
    await tx.query(CALL, [store, lane, JSON.stringify(rows)])
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

/** Shifts and Z reports. */
const CLOSED: Projection = {
  kinds: ['shift', 'z-report'],
  anew: forgetting('overview_shift', 'overview_z'),
  async apply(tx, facts, of) {
    for (const { kind, body } of told(facts))
      await (kind === 'shift' ? writeShift(tx, ShiftFact.parse(body), of) : writeZ(tx, ZReportFact.parse(body), of))
  },
}

async function writeShift(tx: Querying, shift: ShiftFact, { stream, store, lane }: FactsOf): Promise<void> {
  const closing = Closing.safeParse(shift.closing)
  const difference = closing.success ? closing.data.result.cash.differenceCents : null
  const { id, openedAt, closedAt, closedBy, drawerOf } = shift
  const row = [stream, id, store, lane, drawerOf?.name ?? null, openedAt, closedAt, closedBy.name, difference]
  await tx.query(SHIFT, row)
}

async function writeZ(tx: Querying, { number, at, staff, report }: ZReportFact, of: FactsOf): Promise<void> {
  const { shifts, totals } = ZReport.parse(report)
  const openedAt = Math.min(at, ...shifts.map((shift) => Date.parse(shift.openedAt)))
  const difference = LaneAmount.parse(shifts.reduce((sum, { differenceCents }) => sum + differenceCents, 0))
  const { count } = totals.sales
  const totalCents = LaneAmount.parse(totals.sales.totalCents)
  await tx.query(Z_REPORT, [
    of.stream,
    number,
    of.store,
    of.lane,
    at,
    openedAt,
    staff.name,
    count,
    totalCents,
    difference,
    JSON.stringify(report),
  ])
}

/** What a manager looks through of all lanes. */
export const OVERVIEW: readonly Projection[] = [SOLD, CALLS, CLOSED]
