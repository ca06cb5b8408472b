import { BusinessDay, ReconciliationRow } from '../../../contracts/loyalty/reconciliation.ts'
import { cents, miles } from '../../../contracts/core/money.ts'
import type { StoreReconciliation, StoreReconciliationDays } from '../../../contracts/store/overview.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import type { Caller } from '../lanes/caller.ts'
import { incompleteLanes, type Span } from './overview.sql.ts'

interface Approval {
  id: string
  day: string
  row: unknown
  state: string | null
}
interface Original {
  day: string
  madeAt: Date
  madeBy: string
  lane: string
  missing: string[]
  rows: unknown
  copies: number
}
type Totals = StoreReconciliation['totals']

/** Number of days in the list of reports: half a year, as on the lane's own page. */
const DAYS_SHOWN = 183
const DAY_MS = 86_400_000

const APPROVAL = `SELECT approval.operation_id AS id, approval.day, approval.row, call.state
  FROM overview_approval AS approval
  LEFT JOIN overview_call AS call ON call.store = approval.store AND call.id = approval.operation_id`
export const RECONCILIATION_SQL = {
  waiting: `${APPROVAL} WHERE approval.store = $1 AND approval.original IS NULL
    ORDER BY approval.approved_at, approval.operation_id`,
  reported: `${APPROVAL} WHERE approval.store = $1 AND approval.original = $2
    ORDER BY approval.approved_at, approval.operation_id`,
  originals: `SELECT day, made_at AS "madeAt", made_by AS "madeBy", lane, missing, rows, copies FROM overview_original
    WHERE store = $1 ORDER BY day DESC`,
} as const
const BEGIN = `INSERT INTO overview_original (store, day, made_by, lane, missing, rows)
  VALUES ($1, $2, $3, $4, $5, '[]'::jsonb) ON CONFLICT (store, day) DO NOTHING`
const MARK = `UPDATE overview_approval SET original = $2 WHERE store = $1 AND operation_id = ANY ($3)
  AND original IS NULL`
const SAVE = 'UPDATE overview_original SET rows = $3 WHERE store = $1 AND day = $2'
const COPY = 'UPDATE overview_original SET copies = copies + 1 WHERE store = $1 AND day = $2 RETURNING copies'

/**
 * Converts an approval to a row of the report. If the call's state is unknown here, because a later release sent it,
 * keeps the state that came with the approval.
 */
function rowOf({ row, state }: Approval): ReconciliationRow {
  const newest = ReconciliationRow.shape.state.safeParse(state)
  return ReconciliationRow.parse({ ...Object(row), ...(newest.success ? { state: newest.data } : {}) })
}

function totalsOf(rows: readonly ReconciliationRow[]): Totals {
  const sum = (field: 'units' | 'amountCents' | 'miles'): number => rows.reduce((total, row) => total + row[field], 0)
  return { rows: rows.length, units: sum('units'), amountCents: cents(sum('amountCents')), miles: miles(sum('miles')) }
}

/**
 * Returns the day whose original report contains an approval: the day of the approval, or the first later day without
 * an original report, so that an approval that arrives late changes no existing report.
 */
export function dayOfOriginal(recorded: string, reported: ReadonlySet<string>): string {
  let day = recorded
  while (reported.has(day)) day = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length)
  return day
}

/** Reads the reports of approvals that came on a retry, all lanes in one report (specification 3 §4.5 rule 6). */
const originalsOf = async (on: Querying, store: string): Promise<readonly Original[]> =>
  (await on.query<Original & Record<string, unknown>>(RECONCILIATION_SQL.originals, [store])).rows

async function waiting(on: Querying, store: string, originals: readonly Original[]) {
  const reported = new Set(originals.map(({ day }) => day))
  const { rows } = await on.query<Approval & Record<string, unknown>>(RECONCILIATION_SQL.waiting, [store])
  const days = new Map<string, Approval[]>()
  for (const approval of rows) {
    const day = dayOfOriginal(approval.day, reported)
    days.set(day, [...(days.get(day) ?? []), approval])
  }
  return days
}

async function reportedIn(on: Querying, store: string, day: string): Promise<ReconciliationRow[]> {
  const { rows } = await on.query<Approval & Record<string, unknown>>(RECONCILIATION_SQL.reported, [store, day])
  return rows.map(rowOf)
}

const isSame = (original: Original, rows: readonly ReconciliationRow[]): boolean =>
  JSON.stringify(ReconciliationRow.array().parse(original.rows)) === JSON.stringify(rows)

export async function reconciliationDays(
  db: Querying,
  { store }: Caller,
  today: BusinessDay,
): Promise<StoreReconciliationDays> {
  const originals = await originalsOf(db, store)
  const others = [...(await waiting(db, store, originals))].map(([day, approvals]) => {
    const { units: _units, ...totals } = totalsOf(approvals.map(rowOf))
    const state = day < today ? ('due' as const) : ('open' as const)
    const none = { exportedAt: null, exportedBy: null, copies: 0, missing: [] }
    return { businessDay: BusinessDay.parse(day), state, totals, ...none }
  })
  const exported = originals.map(({ day, madeAt, madeBy, copies, missing, rows }) => {
    const { units: _units, ...totals } = totalsOf(ReconciliationRow.array().parse(rows))
    const made = { exportedAt: madeAt.toISOString(), exportedBy: madeBy, copies, missing }
    return { businessDay: BusinessDay.parse(day), state: 'exported' as const, totals, ...made }
  })
  return {
    days: [...others, ...exported]
      .toSorted((one, other) => other.businessDay.localeCompare(one.businessDay))
      .slice(0, DAYS_SHOWN),
  }
}

/** Returns the content of a day's original report, or before it is created, the content that it would have now. */
export async function previewReconciliation(
  db: Querying,
  { store }: Caller,
  day: BusinessDay,
  span: Span,
): Promise<StoreReconciliation> {
  const originals = await originalsOf(db, store)
  const original = originals.find((one) => one.day === day)
  const rows = original
    ? await reportedIn(db, store, day)
    : ((await waiting(db, store, originals)).get(day) ?? []).map(rowOf)
  return {
    businessDay: day,
    status: 'preview',
    copy: 0,
    exportedAt: null,
    exportedBy: null,
    sameAsOriginal: original ? isSame(original, rows) : null,
    rows,
    totals: totalsOf(rows),
    missing: original?.missing ?? (await incompleteLanes(db, store, span)),
  }
}

export async function originalReconciliation(
  db: Querying,
  { store }: Caller,
  day: BusinessDay,
): Promise<StoreReconciliation | null> {
  const original = (await originalsOf(db, store)).find((one) => one.day === day)
  if (original === undefined) return null
  const rows = ReconciliationRow.array().parse(original.rows)
  return {
    businessDay: day,
    status: 'original',
    copy: 0,
    exportedAt: original.madeAt.toISOString(),
    exportedBy: original.madeBy,
    sameAsOriginal: null,
    rows,
    totals: totalsOf(rows),
    missing: original.missing,
  }
}

/**
 * Creates the original report on the first call, and copies on later calls; one of two concurrent lanes creates the
 * original. Throws EmptyReport when there is nothing to report.
 */
export const makeReconciliation = (
  db: Postgres,
  caller: Caller,
  day: BusinessDay,
  span: Span,
  by: string,
): Promise<StoreReconciliation | null> =>
  db.transaction(async (tx) => {
    const { store, lane } = caller
    const missing = await incompleteLanes(tx, store, span)
    const isNew = (await tx.query(BEGIN, [store, day, by, lane, missing])).count === 1
    const originals = await originalsOf(tx, store)
    const original = originals.find((one) => one.day === day)
    if (original === undefined) return null
    const made = { businessDay: day, exportedAt: new Date().toISOString(), exportedBy: by, missing: original.missing }
    if (isNew) {
      const rows = await markRows(tx, store, day, originals)
      return { ...made, status: 'original', copy: 0, sameAsOriginal: null, rows, totals: totalsOf(rows) }
    }
    const copied = await tx.query<{ copies: number }>(COPY, [store, day])
    const rows = await reportedIn(tx, store, day)
    const copy = copied.rows[0]?.copies ?? 1
    return { ...made, status: 'copy', copy, sameAsOriginal: isSame(original, rows), rows, totals: totalsOf(rows) }
  })

/**
 * Records which approvals an original report contains. Throws EmptyReport for a day without such approvals, which rolls
 * back the transaction.
 */
async function markRows(
  tx: Querying,
  store: string,
  day: BusinessDay,
  originals: readonly Original[],
): Promise<ReconciliationRow[]> {
  const others = originals.filter((one) => one.day !== day)
  const approvals = (await waiting(tx, store, others)).get(day) ?? []
  if (approvals.length === 0) throw new EmptyReport()
  const ids = approvals.map(({ id }) => id)
  if ((await tx.query(MARK, [store, day, ids])).count !== ids.length) throw new EmptyReport()
  const rows = approvals.map(rowOf)
  await tx.query(SAVE, [store, day, JSON.stringify(rows)])
  return rows
}

/** Error: no approval of the day needs an original report: the day has no approvals, or each is already in one. */
export class EmptyReport extends Error {
  override name = 'EmptyReport'
}
