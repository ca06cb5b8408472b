import { OperationFact, paidBy, ReturnFact, type SaleFact } from '../../contracts/store/facts.ts'
import type { Querying } from '../db/postgres.ts'
import type { FactsOf, Projection } from '../lanes/projection.ts'
import { readSale } from '../lanes/read-sale.ts'
import type { Fact } from '../../contracts/store/protocol.ts'

/** A return is the claim that it was, until its lane tells it: nothing of it can be claimed meanwhile. */
const FORGET = [
  'DELETE FROM receipt_line',
  'DELETE FROM receipt_payment',
  'DELETE FROM receipt_operation',
  'DELETE FROM receipt',
  "UPDATE receipt_return SET state = 'claimed', return_id = NULL, cashier_id = NULL WHERE state = 'returned'",
] as const

// A lane that came back from a copy tells what it had told: the first stands, with its lines and payments.
const SALES = `WITH told AS (
    SELECT * FROM jsonb_to_recordset($4::jsonb) AS sale (seq integer, id text, at bigint, total_cents integer,
      last4 text, cashier text, tenders jsonb, lines jsonb, paid jsonb)
  ), fresh AS (
    INSERT INTO receipt (store, id, lane, stream, seq, at, total_cents, last4, cashier, tenders)
      SELECT $1, id, $2, $3, seq, at, total_cents, last4, cashier, tenders FROM told
      ON CONFLICT (store, id) DO NOTHING RETURNING id
  ), lines AS (
    INSERT INTO receipt_line (store, sale_id, number, sold) SELECT $1, told.id, line.number, line.sold
      FROM told JOIN fresh USING (id), jsonb_to_recordset(told.lines) AS line (number integer, sold integer)
  ) INSERT INTO receipt_payment (store, sale_id, paid_by, paid_cents, coin_cents)
    SELECT $1, told.id, pool.paid_by, pool.cents, pool.coins
      FROM told JOIN fresh USING (id),
        jsonb_to_recordset(told.paid) AS pool (paid_by text, cents integer, coins integer)`
const OPERATIONS = `INSERT INTO receipt_operation (store, id, lane, sale_id, body)
  SELECT $1, id, $2, sale_id, body FROM jsonb_to_recordset($3::jsonb) AS told (id text, sale_id text, body jsonb)
  ON CONFLICT (store, id) DO UPDATE SET body = excluded.body`

/** Receipts of the lanes, what came back of them, and how their calls that move miles stand. */
export const RECEIPTS: Projection = {
  kinds: ['sale', 'return', 'operation'],
  async anew(tx) {
    for (const statement of FORGET) await tx.query(statement)
    return null
  },
  async apply(tx, facts, of) {
    const toldOf = (wanted: string): readonly Fact[] =>
      facts.filter(({ kind, body }) => kind === wanted && typeof body['unreadable'] !== 'string')
    await applySales(tx, toldOf('sale'), of)
    for (const { body } of toldOf('return')) await applyReturn(tx, ReturnFact.parse(body), of)
    await applyOperations(tx, toldOf('operation'), of)
  },
}

/** All sales of a push in one statement: lanes that come back have thousands of them. */
async function applySales(tx: Querying, facts: readonly Fact[], { store, lane, stream }: FactsOf): Promise<void> {
  const rows = facts.flatMap(({ seq, body }) => saleRow(seq, readSale(body)))
  // The first of what one push tells twice.
  const once = [...new Map(rows.toReversed().map((row) => [row.id, row])).values()]
  if (once.length > 0) await tx.query(SALES, [store, lane, stream, JSON.stringify(once)])
}

/** None for a sale that was cancelled. */
function saleRow(seq: number, sale: SaleFact) {
  if (sale.state !== 'completed') return []
  const paid = [...paidBy(sale.tenders)].map(([pool, of]) => ({ paid_by: pool, ...of }))
  const standing = sale.tenders.filter(({ amountCents }) => amountCents > 0)
  return [
    {
      seq,
      id: sale.id,
      at: sale.closedAt,
      total_cents: paid.reduce((sum, { cents }) => sum + cents, 0),
      last4: sale.memberLast4,
      cashier: sale.cashier.name,
      tenders: [...new Set(standing.map(({ kind }) => kind))],
      lines: sale.lines.flatMap(({ number, quantity, voided }) => (voided === 0 ? [{ number, sold: quantity }] : [])),
      paid,
    },
  ]
}

/** Settles the claim of a return. One that was never claimed has come back all the same, and counts from here on. */
async function applyReturn(tx: Querying, returned: ReturnFact, { store, lane }: FactsOf): Promise<void> {
  const { id, saleId, claimId, cashier, at, totalCents } = returned
  const lines = returned.lines.map(({ saleLineNumber, quantity }) => ({ number: saleLineNumber ?? 0, quantity }))
  const refunds = returned.refunds.map(({ kind, paidBy: pool, amountCents, roundingCents }) => ({
    kind,
    paidBy: pool ?? kind,
    amountCents,
    roundingCents,
  }))
  await tx.query(
    `INSERT INTO receipt_return (store, id, sale_id, lane, state, return_id, cashier_id, at, lines, refunds,
        total_cents)
      VALUES ($1, $2, $3, $4, 'returned', $5, $6, $7, $8, $9, $10)
      ON CONFLICT (store, id) DO UPDATE SET state = 'returned', return_id = excluded.return_id,
        cashier_id = excluded.cashier_id, at = excluded.at WHERE receipt_return.state <> 'returned'`,
    [
      store,
      claimId ?? id,
      saleId,
      lane,
      id,
      cashier.id,
      at,
      JSON.stringify(lines),
      JSON.stringify(refunds),
      totalCents,
    ],
  )
}

async function applyOperations(tx: Querying, facts: readonly Fact[], { store, lane }: FactsOf): Promise<void> {
  const read = facts.map(({ body }) => OperationFact.parse(body))
  // The newest of what one push tells twice.
  const rows = [...new Map(read.map((one) => [one.id, { id: one.id, sale_id: one.saleId, body: one }])).values()]
  if (rows.length > 0) await tx.query(OPERATIONS, [store, lane, JSON.stringify(rows)])
}
