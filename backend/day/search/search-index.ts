import { setImmediate } from 'node:timers/promises'
import type { Tx } from '../../core/db/transact.ts'
import type { Database } from '../../core/db/database.ts'
import type { JournalFilter } from '../../../contracts/day/search.ts'
import { queryOf, termsOf } from '../../catalog/editions/search-terms.ts'
import { perLane, type Ctx } from '../../core/context.ts'
import { isStopping, onStart, runLater } from '../../core/lifecycle.ts'
import { plainTransactOf } from '../../core/record.ts'
import { salesOf } from '../../sales/sales.ts'
import { TENDER_KIND } from '../../sales/sale/sales.sql.ts'

const IDS_A_SECOND = 64
/** Returns the lowest id that an entry at or after a moment (epoch ms) can have. */
export const firstIdOf = (at: number): number => Math.floor(at / 1_000) * IDS_A_SECOND
/** Number of entries indexed per commit, which takes a few milliseconds. */
const AT_ONCE = 25
const LOOK_MS = 30_000
/**
 * Pause in ms between two commits while many entries wait, so that scans are not delayed. During a sale nothing is
 * indexed in the background.
 */
const BETWEEN_MS = 15

/** Indexes closed sales in the background while the lane is idle, and before a search answers. */
export const indexerOf = perLane((ctx: Ctx) => {
  const { log } = ctx
  const repository = searchRowsOf(ctx)
  const transact = plainTransactOf(ctx)
  const isQuiet = (): boolean => salesOf(ctx).currentId() === null
  let callOff: (() => void) | null = null

  function idFor(at: number): number {
    const first = firstIdOf(at)
    return (repository.last(first, first + IDS_A_SECOND) ?? first - 1) + 1
  }

  function indexEntry(tx: Tx, waiting: Waiting): void {
    const facts = repository.facts(waiting)
    if (!facts) {
      repository.forget(tx, waiting.id)
      return
    }
    const { kind } = waiting
    const words = termsOfEntry(kind, facts, repository.lines(kind, facts.id), repository.payments(kind, facts.id))
    repository.insert(tx, idFor(facts.at), waiting, words)
  }

  function step(): boolean {
    const rows = repository.waiting(AT_ONCE)
    if (rows.length === 0) return false
    transact((tx) => {
      for (const row of rows) indexEntry(tx, row)
    })
    return rows.length === AT_ONCE
  }

  function scheduleStep(ms: number): void {
    callOff = runLater(ctx, ms, () => {
      let more = false
      try {
        more = isQuiet() && step()
      } catch (error) {
        log.error({ err: error }, 'the search could not index new entries')
      }
      scheduleStep(more ? BETWEEN_MS : LOOK_MS)
    })
  }

  onStart(ctx, () => scheduleStep(LOOK_MS))
  return {
    async catchUp(withinMs: number): Promise<void> {
      const until = performance.now() + withinMs
      while (!isStopping(ctx) && step() && performance.now() < until) await setImmediate()
      if (!isStopping(ctx) && repository.waiting(1).length > 0) {
        // Entries are left, so indexing continues at once and not after the usual interval.
        callOff?.()
        scheduleStep(BETWEEN_MS)
      }
    },
  }
})

export type RowKind = 'sale' | 'return' | 'movement'

export interface Waiting {
  readonly id: number
  readonly kind: RowKind
  readonly ref: number
}

export interface EntryRow {
  readonly id: number
  readonly kind: RowKind
  readonly ref: number
}

/** Range of ids: from `from` up to, but not including, `before`, and at most `limit` of them. */
export interface Bounds {
  readonly from: number
  readonly before: number
  readonly limit: number
}

export interface FactsRow {
  readonly id: string
  readonly at: number
  readonly person: string
  /** State of a sale; null for other entries. `moved`: the sale was held, and another lane resumed it. */
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
    `SELECT ${TENDER_KIND} AS kind, abs(amount_cents) AS cents FROM tender
      WHERE sale_id = ? AND takes_back IS NULL ORDER BY number`,
  )
  const refunds = db.prepare<[string], { kind: string; cents: number }>(
    `SELECT kind, cents FROM (SELECT return_id, number, kind, amount_cents AS cents FROM refund
      UNION ALL SELECT return_id, number, kind, amount_cents FROM store_refund) WHERE return_id = ? ORDER BY number`,
  )
  const people = db.prepare<[], { id: string; name: string }>('SELECT id, name FROM staff ORDER BY name, id')
  const last = db.prepare<[number, number], number>('SELECT max(id) FROM search_entry WHERE id >= ? AND id < ?').pluck()
  const insertEntry = db.prepare('INSERT INTO search_entry (id, kind, ref) VALUES (?, ?, ?)')
  const insertTerms = db.prepare('INSERT INTO search_words (rowid, words) VALUES (?, ?)')
  const forget = db.prepare('DELETE FROM search_waiting WHERE id = ?')
  return {
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
    last: (from: number, before: number): number | null => last.get(from, before) ?? null,
    insert(tx: Tx, id: number, { id: waitingId, kind, ref }: Waiting, words: string): void {
      tx.run(insertEntry, id, kind, ref)
      tx.run(insertTerms, id, words)
      tx.run(forget, waitingId)
    },
    forget: (tx: Tx, waitingId: number): void => {
      tx.run(forget, waitingId)
    },
  }
}

/** Prefix for each kind of search term, so that an amount does not match a name. */
const OF = { item: 'i', amount: 'a', person: 'p', last4: 'm', receipt: 'r', kind: 'k' } as const
const MAX_ITEM_TERMS = 8
/**
 * Shortest and longest beginning of a term, in characters, for which the full-text index has an entry. `prefix` in
 * 0001_baseline.sql counts the prefix for the kind of term too.
 */
const SHORTEST_BEGINNING = 3
const LONGEST_BEGINNING = 8
/** Number of last characters of a receipt number in a search term. The whole search text is compared afterwards. */
const RECEIPT_END = 4

export const kindOf = (kind: RowKind, state: FactsRow['state']): NonNullable<JournalFilter['kind']> =>
  kind === 'sale' && (state === 'cancelled' || state === 'moved') ? state : kind

export function termsOfEntry(
  kind: RowKind,
  facts: FactsRow,
  lines: readonly LineFacts[],
  payments: readonly { readonly cents: number }[],
): string {
  const items = lines.flatMap(({ sku, names }) => [
    ...termsOf(sku),
    ...Object.values(JSON.parse(names) as Record<string, string>).flatMap(termsOf),
  ])
  const amounts = [facts.totalCents, ...payments.map(({ cents }) => cents)].filter((amount) => amount !== null)
  const people = [facts.person, facts.approvedBy].filter((person) => person !== null)
  return [
    ...new Set([
      ...items.map((word) => OF.item + word),
      ...amounts.map((amount) => OF.amount + String(amount)),
      ...people.map((person) => OF.person + person),
      ...(facts.last4 === null ? [] : [OF.last4 + facts.last4]),
      ...(kind === 'movement' ? [] : [OF.receipt + facts.id.slice(-RECEIPT_END).toLowerCase()]),
      OF.kind + kindOf(kind, facts.state),
    ]),
  ].join(' ')
}

/**
 * Returns the query for one item term: exact if it is short or has a digit, as item numbers have; otherwise by its
 * beginning. Terms have only letters and digits and need no escaping.
 */
const itemTerm = (_found: string, word: string): string =>
  word.length < SHORTEST_BEGINNING || /\p{N}/u.test(word)
    ? `"${OF.item}${word}"`
    : `"${OF.item}${word.slice(0, LONGEST_BEGINNING)}"*`

/**
 * Builds the full-text query; null when every entry matches. `item`: the search text, or the item's number (SKU) if the
 * text was a barcode.
 */
export function queryOfFilter({ receipt, item, amountCents, last4, person, kind }: JournalFilter): string | null {
  const items =
    item === undefined ? null : (queryOf(item, MAX_ITEM_TERMS)?.replaceAll(/"([^"]+)"\*/g, itemTerm) ?? null)
  const exactly = (of: string, value: string | number | undefined): string[] =>
    value === undefined ? [] : [`"${of}${value}"`]
  const asked = [
    ...exactly(OF.receipt, receipt?.slice(-RECEIPT_END).toLowerCase()),
    ...exactly(OF.last4, last4),
    ...exactly(OF.amount, amountCents),
    ...(items === null ? [] : [items]),
    ...exactly(OF.person, person),
    ...exactly(OF.kind, kind),
  ]
  return asked.length === 0 ? null : asked.join(' AND ')
}

export const searchRowsOf = perLane(({ db }) => createSearchRepository(db))
