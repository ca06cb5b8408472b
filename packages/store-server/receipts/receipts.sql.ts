import type {
  Returned,
  ReserveReturnAnswer,
  ReservedReturn,
  ReservationRefusal,
  ReserveReturn,
  FoundReceipt,
  ReleaseRequest,
  StoreReceipt,
} from '../../../contracts/store/receipts.ts'
import { SaleFact, OperationFact } from '../../../contracts/store/facts.ts'
import type { Vector } from '../../../contracts/store/protocol.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import { awaitedLanes, detectRestore, noteAllSent } from '../lanes/awaited.ts'
import type { Caller } from '../lanes/caller.ts'
import { strandReplaced } from '../vouchers/sources.ts'

interface ReceiptRow {
  readonly lane: string
  readonly stream: string
  readonly seq: number
}

const FIND = `SELECT id, lane, at, total_cents AS "totalCents", last4, cashier, tenders FROM receipt
  WHERE store = $1 AND right(id, 4) = right($3, 4) AND right(id, length($3)) = $3 AND lane <> $2
  ORDER BY at DESC LIMIT $4`
const RETURNS_OF_SALE = `SELECT id, lane, return_id AS "returnId", at, lines, refunds, total_cents AS "totalCents"
  FROM receipt_return WHERE store = $1 AND sale_id = $2 AND state <> 'released' ORDER BY at, id`
/** Finds out whether more pieces of a line were returned than the sale has, or a line that the sale does not have. */
export const TOO_MANY = `SELECT 1 FROM (SELECT (line ->> 'number')::int AS number,
    sum((line ->> 'quantity')::int) AS pieces
    FROM receipt_return, jsonb_array_elements(lines) AS line
    WHERE store = $1 AND sale_id = $2 AND state <> 'released' GROUP BY 1) AS back
  LEFT JOIN receipt_line AS sold ON sold.store = $1 AND sold.sale_id = $2 AND sold.number = back.number
  WHERE back.pieces > coalesce(sold.sold, 0) LIMIT 1`
/**
 * Finds out whether the refunds of a sale exceed its payments of a kind, or the cash that the store received for it.
 */
export const TOO_MUCH = `SELECT 1 FROM (SELECT refund ->> 'paidBy' AS paid_by,
    sum((refund ->> 'amountCents')::int) AS cents,
    sum(CASE refund ->> 'kind' WHEN 'cash' THEN (refund ->> 'amountCents')::int + (refund ->> 'roundingCents')::int
      ELSE 0 END) AS coins
    FROM receipt_return, jsonb_array_elements(refunds) AS refund
    WHERE store = $1 AND sale_id = $2 AND state <> 'released' GROUP BY 1) AS back
  LEFT JOIN receipt_payment AS paid ON paid.store = $1 AND paid.sale_id = $2 AND paid.paid_by = back.paid_by
  WHERE back.cents > coalesce(paid.paid_cents, 0) OR back.coins > coalesce(paid.coin_cents, 0) LIMIT 1`
const RELEASE = `INSERT INTO receipt_return (store, id, sale_id, lane, state, at, lines, refunds, total_cents)
  VALUES ($1, $2, $3, $4, 'released', 0, '[]', '[]', 0)
  ON CONFLICT (store, id) DO UPDATE SET state = 'released'
  WHERE receipt_return.state = 'claimed' AND receipt_return.lane = excluded.lane`
const RESERVED = `SELECT id, sale_id AS "saleId" FROM receipt_return
  WHERE store = $1 AND lane = $2 AND state = 'claimed' ORDER BY at, id LIMIT 500`

class Refused extends Error {
  readonly answer: ReserveReturnAnswer
  constructor(refused: ReservationRefusal, awaitedLanes?: string[]) {
    super(refused)
    this.answer = { refused, awaitedLanes }
  }
}

async function returnsOfSale(on: Querying, store: string, saleId: string): Promise<Returned[]> {
  const { rows } = await on.query<Returned>(RETURNS_OF_SALE, [store, saleId])
  return rows.map((row) => ({ ...row, at: Number(row.at) }))
}

/** Decides a reservation. Locks the sale, so that its reservations are decided one at a time, also across servers. */
async function decideReservation(tx: Querying, { store, lane }: Caller, asked: ReserveReturn): Promise<void> {
  const { saleId, id } = asked
  await detectRestore(tx)
  const { rows } = await tx.query<ReceiptRow & Record<string, unknown>>(
    'SELECT lane, stream, seq FROM receipt WHERE store = $1 AND id = $2 FOR UPDATE',
    [store, saleId],
  )
  const [receipt] = rows
  if (receipt === undefined) throw new Refused('unknown')
  const earlier = await tx.query<{ state: string; sale_id: string; lane: string }>(
    'SELECT state, sale_id, lane FROM receipt_return WHERE store = $1 AND id = $2',
    [store, id],
  )
  const [known] = earlier.rows
  if (known?.state === 'released' || (known && (known.lane !== lane || known.sale_id !== saleId)))
    throw new Refused('released')
  if (known) return
  // Grant nothing while the store waits for lanes: one of them may have taken the goods back in the period that the
  // database lost.
  const awaited = await awaitedLanes(tx, store)
  if (awaited.length > 0) throw new Refused('not-settled', awaited)
  if (receipt.lane !== lane && !(await isStreamComplete(tx, receipt))) throw new Refused('not-settled')
  for (const other of asked.instead) await tx.query(RELEASE, [store, other, saleId, lane])
  const elsewhere = (await returnsOfSale(tx, store, saleId)).filter((one) => one.lane !== lane)
  const seen = new Set(asked.seen)
  if (elsewhere.length !== seen.size || elsewhere.some((one) => !seen.has(one.id))) throw new Refused('changed')
  await tx.query(
    `INSERT INTO receipt_return (store, id, sale_id, lane, state, at, lines, refunds, total_cents)
      VALUES ($1, $2, $3, $4, 'claimed', $5, $6, $7, $8)`,
    [store, id, saleId, lane, asked.at, JSON.stringify(asked.lines), JSON.stringify(asked.refunds), asked.totalCents],
  )
  const tooMany = await tx.query(TOO_MANY, [store, saleId])
  const tooMuch = await tx.query(TOO_MUCH, [store, saleId])
  if (tooMany.rows.length + tooMuch.rows.length > 0) throw new Refused('exceeds')
}

async function isStreamComplete(tx: Querying, { stream, seq }: ReceiptRow): Promise<boolean> {
  const { rows } = await tx.query('SELECT 1 FROM receipt_settled WHERE stream = $1 AND seq >= $2', [stream, seq])
  return rows.length > 0
}

export async function findReceipts(
  db: Querying,
  { store, lane }: Caller,
  q: string,
  limit: number,
): Promise<FoundReceipt[]> {
  const { rows } = await db.query<FoundReceipt>(FIND, [store, lane, q, limit])
  return rows.map((row) => ({ ...row, at: Number(row.at) }))
}

export async function readReceipt(db: Querying, { store }: Caller, id: string): Promise<StoreReceipt | null> {
  const { rows } = await db.query<{ lane: string; body: unknown; sealed: string | null }>(
    `SELECT receipt.lane, fact.body, fact.sealed FROM receipt
      JOIN fact_all AS fact ON fact.stream = receipt.stream AND fact.seq = receipt.seq
      WHERE receipt.store = $1 AND receipt.id = $2`,
    [store, id],
  )
  const [row] = rows
  if (row === undefined) return null
  const operations = await db.query<{ body: unknown }>(
    'SELECT body FROM receipt_operation WHERE store = $1 AND sale_id = $2',
    [store, id],
  )
  return {
    lane: row.lane,
    sale: SaleFact.parse(row.body),
    sealed: row.sealed,
    operations: operations.rows.map(({ body }) => OperationFact.parse(body)),
    returns: await returnsOfSale(db, store, id),
  }
}

/**
 * Returns the lanes that a restored database waits for; the store grants no return until they have sent their facts.
 */
export async function lanesAwaited(db: Querying, { store }: Caller): Promise<string[]> {
  await detectRestore(db)
  return awaitedLanes(db, store)
}

export async function reserveReturn(db: Postgres, caller: Caller, asked: ReserveReturn): Promise<ReserveReturnAnswer> {
  try {
    await db.transaction((tx) => decideReservation(tx, caller, asked))
    return { refused: null }
  } catch (error) {
    if (error instanceof Refused) return error.answer
    throw error
  }
}

/**
 * Releases a reservation. Leaves a row that refuses a later reservation with this id. Returns false if the return was
 * already received.
 */
export async function releaseReservation(
  db: Querying,
  { store, lane }: Caller,
  { id, saleId }: ReleaseRequest,
): Promise<boolean> {
  await db.query(RELEASE, [store, id, saleId, lane])
  const { rows } = await db.query<{ state: string }>('SELECT state FROM receipt_return WHERE store = $1 AND id = $2', [
    store,
    id,
  ])
  return rows[0]?.state === 'released'
}

export const reservedReturns = async (db: Querying, { store, lane }: Caller): Promise<ReservedReturn[]> => [
  ...(await db.query<ReservedReturn>(RESERVED, [store, lane])).rows,
]

/**
 * Records that the caller's streams were sent completely; only its own streams, and never beyond the applied number.
 * Also moves the value at the lane that the caller replaced.
 */
export async function completeStreams(db: Postgres, caller: Caller, streams: Vector): Promise<void> {
  const { store, lane } = caller
  await noteAllSent(db, caller, streams)
  await db.transaction((tx) => strandReplaced(tx, caller))
  for (const [name, seq] of Object.entries(streams))
    await db.query(
      `INSERT INTO receipt_settled (stream, seq)
        SELECT name, least($4, applied) FROM stream WHERE name = $1 AND store = $2 AND lane = $3
        ON CONFLICT (stream) DO UPDATE SET seq = greatest(receipt_settled.seq, excluded.seq)`,
      [name, store, lane, seq],
    )
}

export async function unrecordedCents(
  db: Querying,
  { store, lane }: Caller,
  cashierId: string,
  from: number,
): Promise<number> {
  const { rows } = await db.query<{ cents: string }>(
    `SELECT coalesce(sum(total_cents), 0) AS cents FROM receipt_return
      WHERE store = $1 AND cashier_id = $2 AND at >= $3 AND sale_id IS NULL AND lane <> $4 AND state = 'returned'`,
    [store, cashierId, from, lane],
  )
  return Number(rows[0]?.cents ?? 0)
}
