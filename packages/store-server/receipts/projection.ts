import { OperationFact, paidBy, ReturnFact, type SaleFact } from '../../../contracts/store/facts.ts'
import type { Querying } from '../db/postgres.ts'
import { mayBeFromLostDatabase } from '../lanes/awaited.ts'
import { readSale, requireOwnId, requireSame } from '../lanes/guard.ts'
import type { FactsOf, Projection } from '../lanes/projection.ts'
import { TOO_MANY, TOO_MUCH } from './receipts.sql.ts'
import type { Fact } from '../../../contracts/store/protocol.ts'

/**
 * Resets returns for a rebuild: until its fact is read, each return is a reservation, which blocks other reservations.
 */
const FORGET = [
  'DELETE FROM receipt_line',
  'DELETE FROM receipt_payment',
  'DELETE FROM receipt_operation',
  'DELETE FROM receipt',
  "UPDATE receipt_return SET state = 'claimed', return_id = NULL, cashier_id = NULL WHERE state = 'returned'",
] as const

// Stores sales. A restored lane sends sales again: the first version stays, with its lines and payments.
const SALES = `WITH sent AS (
    SELECT * FROM jsonb_to_recordset($4::jsonb) AS sale (seq integer, id text, at bigint, total_cents integer,
      last4 text, cashier text, tenders jsonb, lines jsonb, paid jsonb)
  ), fresh AS (
    INSERT INTO receipt (store, id, lane, stream, seq, at, total_cents, last4, cashier, tenders)
      SELECT $1, id, $2, $3, seq, at, total_cents, last4, cashier, tenders FROM sent
      ON CONFLICT (store, id) DO NOTHING RETURNING id
  ), lines AS (
    INSERT INTO receipt_line (store, sale_id, number, sold) SELECT $1, sent.id, line.number, line.sold
      FROM sent JOIN fresh USING (id), jsonb_to_recordset(sent.lines) AS line (number integer, sold integer)
  ) INSERT INTO receipt_payment (store, sale_id, paid_by, paid_cents, coin_cents)
    SELECT $1, sent.id, pool.paid_by, pool.cents, pool.coins
      FROM sent JOIN fresh USING (id),
        jsonb_to_recordset(sent.paid) AS pool (paid_by text, cents integer, coins integer)`
const STORED_SALES = `SELECT id, lane, at, total_cents AS "totalCents", (
    SELECT coalesce(json_agg(json_build_array(number, sold) ORDER BY number), '[]') FROM receipt_line AS line
    WHERE line.store = $1 AND line.sale_id = receipt.id) AS lines
  FROM receipt WHERE store = $1 AND id = ANY ($2)`
const OPERATIONS = `INSERT INTO receipt_operation (store, id, lane, sale_id, body)
  SELECT $1, id, $2, sale_id, body FROM jsonb_to_recordset($3::jsonb) AS sent (id text, sale_id text, body jsonb)
  ON CONFLICT (store, id) DO UPDATE SET body = excluded.body
    WHERE receipt_operation.lane = excluded.lane AND receipt_operation.sale_id = excluded.sale_id`
/**
 * Finds calls that this lane may not send: those stored for another lane or sale, and those for a sale of another lane
 * of which this lane has no return.
 */
const NOT_OWN = `SELECT sent.id FROM jsonb_to_recordset($3::jsonb) AS sent (id text, sale_id text)
  JOIN receipt_operation AS call ON call.store = $1 AND call.id = sent.id
  LEFT JOIN receipt ON receipt.store = $1 AND receipt.id = sent.sale_id
  WHERE call.lane <> $2 OR call.sale_id <> sent.sale_id OR (receipt.lane <> $2 AND NOT EXISTS (
    SELECT 1 FROM receipt_return AS back WHERE back.store = $1 AND back.sale_id = sent.sale_id AND back.lane = $2))
  LIMIT 1`
/** Reads the reservation of a return. A row without lines is a reservation that was released before it was granted. */
const RETURN = `SELECT lane, state, sale_id AS "saleId", return_id AS "returnId", at,
  total_cents AS "totalCents", refunds, lines = '[]' AS "hasNoLines"
  FROM receipt_return WHERE store = $1 AND id = $2 FOR UPDATE`
/**
 * Completes a reservation by its return. Does not change the reserved lines and refunds, which the store checked when
 * it granted the reservation.
 */
const SET_RETURNED = `UPDATE receipt_return SET state = 'returned', return_id = $3, cashier_id = $4, at = $5,
    total_cents = $6
  WHERE store = $1 AND id = $2`
/** Completes a released reservation, which has no lines: takes the lines and refunds from the fact. */
const SET_RETURNED_LINES = `UPDATE receipt_return SET lines = $3, refunds = $4 WHERE store = $1 AND id = $2`
const INSERT_RETURN = `INSERT INTO receipt_return (store, id, return_id, cashier_id, at, lines, refunds, total_cents,
    sale_id, lane, state)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'returned')`

export const RECEIPTS: Projection = {
  kinds: ['sale', 'return', 'operation'],
  async beforeRebuild(tx) {
    for (const statement of FORGET) await tx.query(statement)
    return null
  },
  async apply(tx, facts, of) {
    const factsOf = (wanted: string): readonly Fact[] => facts.filter(({ kind }) => kind === wanted)
    for (const { subject, body } of facts)
      if (body['id'] !== subject) throw new Error(`${subject} was sent under another id`)
    await applySales(tx, factsOf('sale'), of)
    for (const { body } of factsOf('return')) await applyReturn(tx, ReturnFact.parse(body), of)
    await applyOperations(tx, factsOf('operation'), of)
  },
}

/** Stores all sales of a push in one statement, because a reconnected lane sends thousands. */
async function applySales(tx: Querying, facts: readonly Fact[], { store, lane, stream }: FactsOf): Promise<void> {
  for (const { body } of facts) requireOwnId(lane, readSale(body).id)
  const rows = facts.flatMap(({ seq, body }) => saleRow(seq, readSale(body)))
  if (rows.length === 0) return
  const once = [...new Map(rows.toReversed().map((row) => [row.id, row])).values()]
  await tx.query(SALES, [store, lane, stream, JSON.stringify(once)])
  const known = await tx.query<StoredSale>(STORED_SALES, [store, once.map(({ id }) => id)])
  const sent = new Map(known.rows.map((row) => [row.id, row]))
  for (const { id, at, total_cents: totalCents, lines } of rows) {
    const was = sent.get(id)
    if (was === undefined) continue
    const sold = lines.map((line) => [line.number, line.sold]).toSorted(([one = 0], [other = 0]) => one - other)
    const stored = { lane: was.lane, at: Number(was.at), totalCents: was.totalCents, lines: was.lines }
    requireSame(lane, id, stored, { lane, at, totalCents, lines: sold })
  }
}

interface StoredSale extends Record<string, unknown> {
  readonly id: string
  readonly lane: string
  readonly at: string
  readonly totalCents: number
  readonly lines: number[][]
}

function saleRow(seq: number, sale: SaleFact) {
  if (sale.state !== 'completed') return []
  const paid = [...paidBy(sale)].map(([pool, of]) => ({ paid_by: pool, ...of }))
  const payments = sale.tenders.filter(({ amountCents }) => amountCents > 0)
  return [
    {
      seq,
      id: sale.id,
      at: sale.closedAt,
      total_cents: paid.reduce((sum, { cents }) => sum + cents, 0),
      last4: sale.memberLast4,
      cashier: sale.cashier.name,
      tenders: [...new Set(payments.map(({ kind }) => kind))],
      lines: sale.lines.flatMap(({ number, quantity, voided }) => (voided === 0 ? [{ number, sold: quantity }] : [])),
      paid,
    },
  ]
}

interface StoredReturn extends Record<string, unknown> {
  readonly lane: string
  readonly state: 'claimed' | 'returned' | 'released'
  readonly saleId: string | null
  readonly returnId: string | null
  readonly at: string
  readonly totalCents: number
  readonly refunds: readonly { readonly amountCents: number }[]
  readonly hasNoLines: boolean
}

const sumOf = (refunds: readonly { readonly amountCents: number }[]): number =>
  refunds.reduce((sum, { amountCents }) => sum + amountCents, 0)

/**
 * Completes the reservation of a return. A return without a reservation counts too if it names no sale, if the sale is
 * the lane's own, or if a lost database may have granted the reservation.
 */
async function applyReturn(tx: Querying, returned: ReturnFact, of: FactsOf): Promise<void> {
  const { store, lane } = of
  const { id, saleId, claimId, cashier, at, totalCents } = returned
  requireOwnId(lane, id)
  // A lane may return its own sale even before the store has received that sale.
  if (claimId === null && saleId !== null) requireOwnId(lane, saleId)
  if (
    ![...returned.lines.map(({ quantity }) => quantity), ...returned.refunds.map((one) => one.amountCents)].every(
      (amount) => amount > 0,
    )
  )
    throw new Error(`${id} returns a negative quantity or amount`)
  const lines = returned.lines.map(({ saleLineNumber, quantity }) => ({ number: saleLineNumber ?? 0, quantity }))
  const refunds = returned.refunds.map(({ kind, paidBy: pool, amountCents, roundingCents }) => ({
    kind,
    paidBy: pool ?? kind,
    amountCents,
    roundingCents,
  }))
  // Locks rows in the same order as a reservation, which locks the sale first.
  const { rows } = await tx.query<{ lane: string; at: string }>(
    'SELECT lane, at FROM receipt WHERE store = $1 AND id = $2 FOR UPDATE',
    [store, saleId],
  )
  const [sale] = rows
  const key = claimId ?? id
  const [was] = (await tx.query<StoredReturn>(RETURN, [store, key])).rows
  const isGranted = was !== undefined && (was.state !== 'released' || !was.hasNoLines)
  if (claimId !== null && !isGranted && !(await mayBeFromLostDatabase(tx, of, Math.max(at, Number(sale?.at ?? 0)))))
    throw new Error(`${id} names reservation ${claimId}, which was not granted`)
  if (was === undefined) {
    if (claimId === null && sale && sale.lane !== lane)
      throw new Error(`${id} returns goods of lane ${sale.lane} without a reservation`)
    await tx.query(INSERT_RETURN, [
      store,
      key,
      id,
      cashier.id,
      at,
      JSON.stringify(lines),
      JSON.stringify(refunds),
      totalCents,
      saleId,
      lane,
    ])
  } else {
    if (was.lane !== lane) throw new Error(`reservation ${key} belongs to lane ${was.lane}`)
    if (was.saleId !== saleId) throw new Error(`reservation ${key} is of another sale`)
    if (was.state === 'returned') {
      const stored = { lane: was.lane, returnId: was.returnId, at: Number(was.at), totalCents: was.totalCents }
      requireSame(lane, id, stored, { lane, returnId: id, at, totalCents })
      return
    }
    if (was.state === 'claimed' && sumOf(refunds) > sumOf(was.refunds))
      throw new Error(`${id} refunds more than was reserved`)
    await tx.query(SET_RETURNED, [store, key, id, cashier.id, at, totalCents])
    if (was.state === 'released')
      await tx.query(SET_RETURNED_LINES, [store, key, JSON.stringify(lines), JSON.stringify(refunds)])
    if (was.state === 'claimed') return
  }
  if (sale === undefined) return
  for (const exceeds of [TOO_MANY, TOO_MUCH])
    if ((await tx.query(exceeds, [store, saleId])).rows.length > 0)
      throw new Error(`${id} returns more than was sold or paid`)
}

async function applyOperations(tx: Querying, facts: readonly Fact[], { store, lane }: FactsOf): Promise<void> {
  const read = facts.map(({ body }) => OperationFact.parse(body))
  if (read.length === 0) return
  // If a push contains an operation several times, only its newest version is stored.
  const rows = [...new Map(read.map((one) => [one.id, { id: one.id, sale_id: one.saleId, body: one }])).values()]
  await tx.query(OPERATIONS, [store, lane, JSON.stringify(rows)])
  const sent = JSON.stringify(read.map((one) => ({ id: one.id, sale_id: one.saleId })))
  const [other] = (await tx.query<{ id: string }>(NOT_OWN, [store, lane, sent])).rows
  if (other !== undefined) throw new Error(`call ${other.id} belongs to another lane`)
}
