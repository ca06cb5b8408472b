import { OperationFact, paidBy, ReturnFact, SaleFact } from '../../contracts/store/facts.ts'
import type { Querying } from '../db/postgres.ts'
import type { FactsOf, Projection } from '../lanes/projection.ts'
import type { Fact } from '../../contracts/store/protocol.ts'

/** A return is the claim that it was, until its lane tells it: nothing of it can be claimed meanwhile. */
const FORGET = [
  'DELETE FROM receipt_line',
  'DELETE FROM receipt_payment',
  'DELETE FROM receipt_operation',
  'DELETE FROM receipt',
  "UPDATE receipt_return SET state = 'claimed', return_id = NULL, cashier_id = NULL WHERE state = 'returned'",
] as const

/** Receipts of the lanes, what came back of them, and how their calls that move miles stand. */
export const RECEIPTS: Projection = {
  kinds: ['sale', 'return', 'operation'],
  async anew(tx) {
    for (const statement of FORGET) await tx.query(statement)
    return null
  },
  async apply(tx, facts, of) {
    for (const fact of facts) {
      if (typeof fact.body['unreadable'] === 'string') continue
      if (fact.kind === 'sale') await applySale(tx, fact, of)
      else if (fact.kind === 'return') await applyReturn(tx, ReturnFact.parse(fact.body), of)
      else await applyOperation(tx, OperationFact.parse(fact.body), of)
    }
  },
}

async function applySale(tx: Querying, { seq, body }: Fact, { store, lane, stream }: FactsOf): Promise<void> {
  const sale = SaleFact.parse(body)
  if (sale.state !== 'completed') return
  const paid = paidBy(sale.tenders)
  const totalCents = [...paid.values()].reduce((sum, { cents }) => sum + cents, 0)
  const standing = sale.tenders.filter(({ amountCents }) => amountCents > 0)
  // A lane that came back from a copy tells what it had told: the first stands.
  const { count } = await tx.query(
    `INSERT INTO receipt (store, id, lane, stream, seq, at, total_cents, last4, cashier, tenders)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (store, id) DO NOTHING`,
    [
      store,
      sale.id,
      lane,
      stream,
      seq,
      sale.closedAt,
      totalCents,
      sale.memberLast4,
      sale.cashier.name,
      JSON.stringify([...new Set(standing.map(({ kind }) => kind))]),
    ],
  )
  if (count === 0) return
  for (const { number, quantity, voided } of sale.lines)
    if (voided === 0)
      await tx.query('INSERT INTO receipt_line (store, sale_id, number, sold) VALUES ($1, $2, $3, $4)', [
        store,
        sale.id,
        number,
        quantity,
      ])
  for (const [pool, { cents, coins }] of paid)
    await tx.query(
      'INSERT INTO receipt_payment (store, sale_id, paid_by, paid_cents, coin_cents) VALUES ($1, $2, $3, $4, $5)',
      [store, sale.id, pool, cents, coins],
    )
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

async function applyOperation(tx: Querying, operation: OperationFact, { store, lane }: FactsOf): Promise<void> {
  await tx.query(
    `INSERT INTO receipt_operation (store, id, lane, sale_id, body) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (store, id) DO UPDATE SET body = excluded.body`,
    [store, operation.id, lane, operation.saleId, JSON.stringify(operation)],
  )
}
