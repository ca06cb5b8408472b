import { cents, miles } from '../../../contracts/core/money.ts'
import { CASH_ROUNDING } from '../../../contracts/day/report-kinds.ts'
import { LaneHealth } from '../../../contracts/store/protocol.ts'
import {
  MAX_CALLS,
  SILENT_AFTER_MS,
  type LaneOfStore,
  type StoreDay,
  type StoreQueue,
  type StoreTotals,
} from '../../../contracts/store/overview.ts'
import type { Querying } from '../db/postgres.ts'
import { isPast, within } from '../db/connection.ts'
import type { Caller } from '../lanes/caller.ts'
import { revokedSql } from '../lanes/guard.ts'

export interface Span {
  readonly from: number
  readonly before: number
}

const IN_SPAN = 'store = $1 AND at >= $2 AND at < $3'
/** SQL of the overview, exported so that tests can check the query plans. */
export const OVERVIEW_SQL = {
  sales: `SELECT lane, kind, count(*)::int AS count, sum(gross_cents)::float8 AS gross,
    sum(discount_cents)::float8 AS discount, sum(net_cents)::float8 AS net, sum(total_cents)::float8 AS total
    FROM overview_sale WHERE ${IN_SPAN} GROUP BY lane, kind`,
  amounts: `SELECT lane, part, code AS id, sum(count)::int AS count, sum(cents)::float8 AS cents
    FROM overview_amount WHERE ${IN_SPAN} AND part <> 'miles' GROUP BY lane, part, code ORDER BY part, code`,
  redeemed: `SELECT amount.lane, count(DISTINCT amount.sale_id)::int AS sales, sum(amount.cents)::float8 AS cents,
    coalesce(sum(call.miles), 0)::float8 AS miles
    FROM overview_amount AS amount JOIN overview_call AS call ON call.store = amount.store AND call.id = amount.code
    WHERE amount.store = $1 AND amount.at >= $2 AND amount.at < $3 AND amount.part = 'miles' GROUP BY amount.lane`,
  issued: `SELECT sale.lane, coalesce(sum(call.miles), 0)::float8 AS miles
    FROM overview_sale AS sale JOIN overview_call AS call ON call.store = sale.store AND call.sale_id = sale.id
    WHERE sale.store = $1 AND sale.at >= $2 AND sale.at < $3 AND call.kind = 'issuance' AND call.state = 'confirmed'
    GROUP BY sale.lane`,
  zs: `SELECT stream, number, lane, at::float8 AS at, closed_by AS "closedBy", sales, total_cents::float8 AS total,
    difference_cents::float8 AS difference
    FROM overview_z WHERE store = $1 AND opened_at >= $2 AND opened_at < $3 ORDER BY lane, number`,
  shifts: `SELECT stream, id, lane, drawer_of AS "drawerOf", opened_at::float8 AS "openedAt",
    closed_at::float8 AS "closedAt", closed_by AS "closedBy", difference_cents::float8 AS difference
    FROM overview_shift WHERE store = $1 AND opened_at >= $2 AND opened_at < $3 ORDER BY lane, opened_at, id`,
  calls: `SELECT id, lane, sale_id AS "saleId", type, state, created_at::float8 AS "createdAt",
    changed_at::float8 AS "changedAt", amount_cents::float8 AS "amountCents", miles::float8 AS miles,
    response_code AS "responseCode" FROM overview_call WHERE store = $1 AND attention
    ORDER BY changed_at DESC, id LIMIT ${MAX_CALLS}`,
  attention: `SELECT lane, count(*)::int AS attention FROM overview_call WHERE store = $1 AND attention
    GROUP BY lane ORDER BY lane`,
} as const

const REVOKED = revokedSql('lane')
const SEEN = within('seen_at', SILENT_AFTER_MS)
const LANES = `SELECT lane, version, health, seen_at AS "seenAt",
  CASE WHEN ${REVOKED} IS NULL THEN refused ELSE 'revoked' END AS refused,
  (SELECT count(*)::int FROM fact_aside AS quarantined
    JOIN stream ON stream.name = quarantined.stream WHERE stream.store = lane.store AND stream.lane = lane.lane
      AND settled_at IS NULL) AS quarantined,
  ${SEEN} AS connected
  FROM lane WHERE store = $1 ORDER BY lane`
/**
 * SQL of the closing time of the last sale that the store has of a lane. Facts arrive in order, so all earlier sales of
 * the lane are stored.
 */
const LAST_SALE_AT = `(SELECT at FROM fact_all WHERE kind = 'sale' AND stream = (SELECT name FROM stream
    WHERE stream.store = lane.store AND stream.lane = lane.lane ORDER BY created_at DESC, epoch DESC LIMIT 1)
  ORDER BY seq DESC LIMIT 1)`
/**
 * Finds lanes last seen before the end of a day, or with unsent facts of it. Leaves out lanes in another mode and lanes
 * revoked before the day. A contact in the future counts as unknown: the database clock was set back.
 */
const INCOMPLETE = `SELECT lane FROM lane WHERE store = $1 AND refused IS DISTINCT FROM 'mode'
    AND coalesce(${REVOKED} >= $2, true)
    AND (coalesce((health ->> 'untold')::int, 1) > 0 AND coalesce(${LAST_SALE_AT} < $3::bigint, true)
    OR NOT ${SEEN} AND (seen_at < to_timestamp($3::bigint / 1000.0) OR NOT ${isPast('seen_at')}))
  ORDER BY lane`
const Z = 'SELECT report FROM overview_z WHERE store = $1 AND stream = $2 AND number = $3'

const isoOf = (ms: number): string => new Date(ms).toISOString()

const nothing = (): StoreTotals => ({
  summary: {
    sales: 0,
    grossCents: cents(0),
    discountCents: cents(0),
    netCents: cents(0),
    taxCents: cents(0),
    totalCents: cents(0),
    giftCardCents: cents(0),
    depositCents: cents(0),
    emptiesCents: cents(0),
    returns: 0,
    returnCents: cents(0),
  },
  tenders: [],
  taxes: [],
  miles: { issued: miles(0), redeemed: miles(0), redeemedCents: cents(0), redeemedSales: 0 },
})

export async function incompleteLanes(on: Querying, store: string, { from, before }: Span): Promise<string[]> {
  const { rows } = await on.query<{ lane: string }>(INCOMPLETE, [store, from, before])
  return rows.map(({ lane }) => lane)
}

async function totals(db: Querying, { store }: Caller, { from, before }: Span): Promise<Map<string, StoreTotals>> {
  const lanes = new Map<string, StoreTotals>()
  const at = (lane: string): StoreTotals => {
    const known = lanes.get(lane) ?? nothing()
    lanes.set(lane, known)
    return known
  }
  const span = [store, from, before]
  type Sold = {
    lane: string
    kind: string
    count: number
    gross: number
    discount: number
    net: number
    total: number
  }
  for (const row of (await db.query<Sold>(OVERVIEW_SQL.sales, span)).rows) {
    const { summary } = at(row.lane)
    if (row.kind === 'return') Object.assign(summary, { returns: row.count, returnCents: cents(row.total) })
    if (row.kind !== 'sale') continue
    Object.assign(summary, {
      sales: row.count,
      grossCents: cents(row.gross),
      discountCents: cents(row.discount),
      netCents: cents(row.net),
      taxCents: cents(row.total - row.net),
      totalCents: cents(row.total),
    })
  }
  type Amount = { lane: string; part: string; id: string; count: number; cents: number }
  for (const row of (await db.query<Amount>(OVERVIEW_SQL.amounts, span)).rows) {
    const { summary, tenders, taxes } = at(row.lane)
    if (row.part === 'deposit') summary.depositCents = cents(row.cents)
    if (row.part === 'empties') summary.emptiesCents = cents(row.cents)
    if (row.part === 'deposit' || row.part === 'empties') continue
    if (row.part === 'gift-card') {
      Object.assign(summary, {
        grossCents: cents(summary.grossCents - row.cents),
        netCents: cents(summary.netCents - row.cents),
        totalCents: cents(summary.totalCents - row.cents),
        giftCardCents: cents(row.cents),
      })
      continue
    }
    if (row.id === CASH_ROUNDING && row.cents === 0) continue
    const list = row.part === 'tax' ? taxes : tenders
    list.push({ id: row.id, count: row.count, cents: cents(row.cents) })
  }
  type Redeemed = { lane: string; sales: number; cents: number; miles: number }
  for (const row of (await db.query<Redeemed>(OVERVIEW_SQL.redeemed, span)).rows)
    Object.assign(at(row.lane).miles, {
      redeemed: miles(row.miles),
      redeemedCents: cents(row.cents),
      redeemedSales: row.sales,
    })
  for (const row of (await db.query<{ lane: string; miles: number }>(OVERVIEW_SQL.issued, span)).rows)
    at(row.lane).miles.issued = miles(row.miles)
  return lanes
}

export async function lanesOf(db: Querying, { store }: Caller): Promise<LaneOfStore[]> {
  type Row = Pick<LaneOfStore, 'lane' | 'version' | 'refused'> & { health: unknown; seenAt: Date | null }
  const { rows } = await db.query<Row & { quarantined: number; connected: boolean | null }>(LANES, [store])
  return rows.map(({ health, seenAt, quarantined, connected, ...row }) => ({
    ...row,
    aside: quarantined,
    connected: connected === true,
    heardAt: seenAt?.toISOString() ?? null,
    health: LaneHealth.safeParse(health).data ?? null,
  }))
}

export async function dayOf(db: Querying, caller: Caller, span: Span): Promise<StoreDay> {
  const sums = await totals(db, caller, span)
  const { store } = caller
  type Zs = { stream: string; number: number; lane: string; at: number; closedBy: string; sales: number }
  const zs = await db.query<Zs & { total: number; difference: number }>(OVERVIEW_SQL.zs, [
    store,
    span.from,
    span.before,
  ])
  type Shift = { stream: string; id: number; lane: string; drawerOf: string | null; closedBy: string }
  const shifts = await db.query<Shift & { openedAt: number; closedAt: number; difference: number | null }>(
    OVERVIEW_SQL.shifts,
    [store, span.from, span.before],
  )
  const worked = new Set([...sums.keys(), ...shifts.rows.map(({ lane }) => lane)])
  const closed = new Set(zs.rows.map(({ lane }) => lane))
  return {
    lanes: [...worked].toSorted().map((lane) => ({ lane, ...(sums.get(lane) ?? nothing()) })),
    zs: zs.rows.map(({ total, difference, at, ...row }) => ({
      ...row,
      at: isoOf(at),
      totalCents: total,
      differenceCents: difference,
    })),
    shifts: shifts.rows.map(({ difference, openedAt, closedAt, ...row }) => ({
      ...row,
      openedAt: isoOf(openedAt),
      closedAt: isoOf(closedAt),
      differenceCents: difference,
    })),
    withoutZ: [...worked].filter((lane) => !closed.has(lane)).toSorted(),
    incomplete: await incompleteLanes(db, store, span),
  }
}

export async function zOf(db: Querying, { store }: Caller, stream: string, number: number): Promise<unknown> {
  const { rows } = await db.query<{ report: unknown }>(Z, [store, stream, number])
  return rows[0]?.report ?? null
}

export async function queueOf(db: Querying, { store }: Caller): Promise<StoreQueue> {
  type Row = Omit<StoreQueue['calls'][number], 'createdAt' | 'changedAt'> & { createdAt: number; changedAt: number }
  const calls = await db.query<Row>(OVERVIEW_SQL.calls, [store])
  const counts = await db.query<{ lane: string; attention: number }>(OVERVIEW_SQL.attention, [store])
  return {
    lanes: [...counts.rows],
    calls: calls.rows.map((row) => ({
      ...row,
      createdAt: isoOf(row.createdAt),
      changedAt: isoOf(row.changedAt),
    })),
  }
}
