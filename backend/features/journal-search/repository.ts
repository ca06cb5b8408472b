import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'

export type RowKind = 'sale' | 'return' | 'movement'

export interface Waiting {
  readonly id: number
  readonly kind: RowKind
  /** Sequence of a sale or a return, id of a cash movement. */
  readonly ref: number
}

export interface EntryRow {
  readonly id: number
  readonly kind: RowKind
  readonly ref: number
}

/** Entries of the list: from an id on, before another. */
export interface Bounds {
  readonly from: number
  readonly before: number
  readonly limit: number
}

/** A sale, a return or a cash movement, as the search finds it and the list shows it. */
export interface FactsRow {
  readonly id: string
  readonly at: number
  readonly person: string
  /** Of a sale; moved: it was on hold, and another lane resumed it. */
  readonly state: 'completed' | 'cancelled' | 'moved' | null
  readonly movedTo: string | null
  readonly last4: string | null
  readonly totalCents: number | null
  readonly ofSale: string | null
  readonly movement: string | null
  readonly reason: string | null
  readonly approvedBy: string | null
}

export interface LineFacts {
  readonly sku: string
  /** JSON of names by locale. */
  readonly names: string
  readonly quantity: number
}

const SALE = `SELECT sale.id, coalesce(closed_at, moved.at) AS at, coalesce(served_by, cashier_id) AS person,
  iif(moved.id IS NULL, sale.state, 'moved') AS state, moved.to_lane AS movedTo, member_last4 AS last4,
  json_extract(totals, '$.totalCents') AS totalCents, NULL AS ofSale, NULL AS movement, NULL AS reason,
  NULL AS approvedBy FROM sale
  LEFT JOIN store_hold AS moved ON moved.sale_id = sale.id AND moved.to_lane IS NOT NULL WHERE sequence = ?`
const RETURN = `SELECT id, at, cashier_id AS person, NULL AS state, NULL AS movedTo,
  (SELECT member_last4 FROM sale WHERE id = sale_return.sale_id) AS last4, total_cents AS totalCents,
  coalesce(sale_return.sale_id, elsewhere.sale_id) AS ofSale, NULL AS movement,
  iif(elsewhere.return_id IS NULL, sale_return.reason, elsewhere.reason) AS reason,
  iif(elsewhere.return_id IS NULL, sale_return.approved_by, elsewhere.approved_by) AS approvedBy
  FROM sale_return LEFT JOIN store_return AS elsewhere ON elsewhere.return_id = sale_return.id WHERE sequence = ?`
const MOVEMENT = `SELECT CAST(id AS TEXT) AS id, at, staff_id AS person, NULL AS state, NULL AS movedTo, NULL AS last4,
  abs(amount_cents) AS totalCents, NULL AS ofSale, kind AS movement, reason, approved_by AS approvedBy
  FROM cash_movement WHERE id = ?`

export const SEARCH_SQL = {
  found: `SELECT search_entry.id, search_entry.kind, search_entry.ref FROM search_words
    JOIN search_entry ON search_entry.id = search_words.rowid
    WHERE search_words MATCH @query AND search_words.rowid >= @from AND search_words.rowid < @before
    ORDER BY search_words.rowid DESC LIMIT @limit`,
  all: `SELECT id, kind, ref FROM search_entry WHERE id >= @from AND id < @before ORDER BY id DESC LIMIT @limit`,
  waiting: 'SELECT id, kind, ref FROM search_waiting ORDER BY id LIMIT ?',
  sale: SALE,
  return: RETURN,
  movement: MOVEMENT,
} as const

export type SearchRepository = ReturnType<typeof createSearchRepository>

export function createSearchRepository(db: Database) {
  const found = db.prepare<[Bounds & { query: string }], EntryRow>(SEARCH_SQL.found)
  const all = db.prepare<[Bounds], EntryRow>(SEARCH_SQL.all)
  const waiting = db.prepare<[number], Waiting>(SEARCH_SQL.waiting)
  const waitingCount = db.prepare<[], number>('SELECT count(*) FROM search_waiting').pluck()
  const facts = {
    sale: db.prepare<[number], FactsRow>(SEARCH_SQL.sale),
    return: db.prepare<[number], FactsRow>(SEARCH_SQL.return),
    movement: db.prepare<[number], FactsRow>(SEARCH_SQL.movement),
  }
  const soldLines = db.prepare<[string], LineFacts>(
    'SELECT sku, names, quantity FROM sale_line WHERE sale_id = ? AND voided = 0 ORDER BY number',
  )
  const returnedLines = db.prepare<[string], LineFacts>(
    'SELECT sku, names, quantity FROM return_line WHERE return_id = ? ORDER BY number',
  )
  const payments = db.prepare<[string], { kind: string; cents: number }>(
    'SELECT kind, abs(amount_cents) AS cents FROM tender WHERE sale_id = ? AND takes_back IS NULL ORDER BY number',
  )
  const refunds = db.prepare<[string], { kind: string; cents: number }>(
    `SELECT kind, cents FROM (SELECT return_id, number, kind, amount_cents AS cents FROM refund
      UNION ALL SELECT return_id, number, kind, amount_cents FROM store_refund) WHERE return_id = ? ORDER BY number`,
  )
  const people = db.prepare<[], { id: string; name: string }>('SELECT id, name FROM staff ORDER BY name, id')
  const last = db.prepare<[number, number], number>('SELECT max(id) FROM search_entry WHERE id >= ? AND id < ?').pluck()
  const insertEntry = db.prepare('INSERT INTO search_entry (id, kind, ref) VALUES (?, ?, ?)')
  const insertWords = db.prepare('INSERT INTO search_words (rowid, words) VALUES (?, ?)')
  const forget = db.prepare('DELETE FROM search_waiting WHERE id = ?')
  return {
    /** Newest first; `query` null: every entry. */
    entries: (query: string | null, bounds: Bounds): EntryRow[] =>
      query === null ? all.all(bounds) : found.all({ ...bounds, query }),
    waiting: (limit: number): Waiting[] => waiting.all(limit),
    waitingCount: (): number => waitingCount.get() ?? 0,
    facts: ({ kind, ref }: Pick<Waiting, 'kind' | 'ref'>): FactsRow | undefined => facts[kind].get(ref),
    lines: (kind: RowKind, id: string): LineFacts[] =>
      kind === 'sale' ? soldLines.all(id) : kind === 'return' ? returnedLines.all(id) : [],
    payments: (kind: RowKind, id: string): { kind: string; cents: number }[] =>
      kind === 'sale' ? payments.all(id) : kind === 'return' ? refunds.all(id) : [],
    people: () => people.all(),
    /** The highest id that is taken in a range. */
    last: (from: number, before: number): number | null => last.get(from, before) ?? null,
    /** Puts an entry into the search, and takes it off what waits. */
    insert(tx: Tx, id: number, { id: waitingId, kind, ref }: Waiting, words: string): void {
      tx.run(insertEntry, id, kind, ref)
      tx.run(insertWords, id, words)
      tx.run(forget, waitingId)
    },
    forget: (tx: Tx, waitingId: number): void => {
      tx.run(forget, waitingId)
    },
  }
}
