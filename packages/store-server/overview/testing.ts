import type { Postgres } from '../db/postgres.ts'

export interface StoreSize {
  readonly lanes: number
  readonly days: number
  readonly sales: number
  /** Start of the first day, in epoch milliseconds. */
  readonly from: number
}

const SALE = `INSERT INTO overview_sale
    (store, id, lane, kind, at, gross_cents, discount_cents, net_cents, total_cents)
  SELECT 'STORE', 'L' || lane || 'D' || day || 'S' || sale, lpad(lane::text, 2, '0'),
    CASE WHEN sale % 50 = 0 THEN 'return' ELSE 'sale' END, $4::bigint + day::bigint * 86400000 + sale * 100000,
    2000, 0, 2000, 2260
  FROM generate_series(1, $1::int) AS lane, generate_series(0, $2::int - 1) AS day,
    generate_series(1, $3::int) AS sale ORDER BY day, sale, lane`
const AMOUNT = `INSERT INTO overview_amount (store, sale_id, part, code, lane, at, count, cents)
  SELECT store, id, part, CASE part WHEN 'miles' THEN 'R' || id WHEN 'tax' THEN 'HST' ELSE 'card' END, lane, at, 1,
    CASE part WHEN 'tax' THEN 260 ELSE 2260 END
  FROM overview_sale, unnest(ARRAY['tender', 'tax', 'miles']) AS part
  WHERE part <> 'miles' OR total_cents > 0 AND right(id, 1) = '7' ORDER BY at`
const CALL = `INSERT INTO overview_call
    (store, id, lane, sale_id, kind, type, state, created_at, changed_at, amount_cents, miles)
  SELECT 'STORE', 'I' || id, lane, id, 'issuance', 'issue',
    CASE WHEN right(id, 4) = 'S123' THEN 'dead' ELSE 'confirmed' END, at, at, NULL, 20 FROM overview_sale
  UNION ALL SELECT 'STORE', 'R' || id, lane, id, 'redemption', 'redeem', 'approved', at, at, 2260, 95 FROM overview_sale
  WHERE right(id, 1) = '7' ORDER BY 9`
const SHIFT = `INSERT INTO overview_shift (stream, id, store, lane, opened_at, closed_at, closed_by, difference_cents)
  SELECT 'stream' || lane, day + 1, 'STORE', lpad(lane::text, 2, '0'), $3::bigint + day::bigint * 86400000 + 1,
    $3::bigint + day::bigint * 86400000 + 40000000, 'Sam Okafor', 0
  FROM generate_series(1, $1::int) AS lane, generate_series(0, $2::int - 1) AS day`
const Z = `INSERT INTO overview_z
    (stream, number, store, lane, at, opened_at, closed_by, sales, total_cents, difference_cents, report)
  SELECT stream, id, store, lane, closed_at, opened_at, closed_by, 300, 678000, 0, '{}' FROM overview_shift`
const ORIGINAL = `INSERT INTO overview_original (store, day, made_by, lane, missing, rows)
  SELECT 'STORE', to_char(day, 'YYYY-MM-DD'), 'Sam Okafor', '01', '{}', '[]'
  FROM generate_series(timestamp '2026-01-01', timestamp '2026-12-31', interval '1 day') AS day`
const APPROVED = `INSERT INTO overview_approval (store, operation_id, lane, day, approved_at, row, original)
  SELECT 'STORE', 'R' || id, lane, to_char(to_timestamp(at / 1000), 'YYYY-MM-DD'), at, '{}', $1 FROM overview_sale
  WHERE right(id, 3) = '007' OR right(id, 3) = 'S27'`

export async function fillStore(database: Postgres, { lanes, days, sales, from }: StoreSize): Promise<void> {
  await database.transaction(
    async (tx) => {
      await tx.query(SALE, [lanes, days, sales, from])
      await tx.query(AMOUNT)
      await tx.query(CALL)
      await tx.query(SHIFT, [lanes, days, from])
      await tx.query(Z)
      await tx.query(ORIGINAL)
      await tx.query(APPROVED, ['2026-12-31'])
      await tx.query('ANALYZE')
    },
    { unlimited: true },
  )
}
