import Database from 'better-sqlite3'

export const PAST_LINES = 5
const PAST_CENTS = PAST_LINES * 499
const PAST_TOTALS = JSON.stringify({
  grossCents: PAST_CENTS,
  discountCents: 0,
  netCents: PAST_CENTS,
  taxes: [],
  totalCents: PAST_CENTS,
  departments: { bench: PAST_CENTS },
})
const PAST_CLOSING = JSON.stringify({
  result: {
    cash: { expectedCents: 0, countedCents: 0, differenceCents: 0 },
    cardSlips: { expectedCents: 0, countedCents: null, differenceCents: 0 },
    cheques: { expectedCents: 0, countedCents: null, differenceCents: 0 },
    number: 1,
    needsReason: false,
  },
  reason: null,
  leftCents: 0,
  takenCents: 0,
})

/**
 * Inserts completed sales of earlier days into the database of a stopped terminal. The database has its schema already.
 * The rows are written directly and without syncing to the disk, because this insertion is not measured.
 */
export function insertPastSales(
  file: string,
  sales: {
    readonly count: number
    readonly lane: string
    readonly cashierId: string
    readonly locationCode: string
    readonly beforeMs: number
  },
): void {
  if (sales.count === 0) return
  const db = new Database(file)
  try {
    db.pragma('synchronous = OFF')
    db.transaction(() => {
      db.prepare(
        `INSERT INTO shift (id, lane, opened_at, opened_by, float_cents) VALUES (1, @lane, 0, @cashierId, 0)`,
      ).run(sales)
      db.prepare(`WITH RECURSIVE past (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM past WHERE number < @count)
        INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at, taxes,
          totals, shift_id)
        SELECT @locationCode || @lane || printf('%08dPAST', number), number, ${PAST_LINES + 2}, 'completed', @lane,
        @cashierId,
          @beforeMs - (@count - number + 1) * 80000, @beforeMs - (@count - number + 1) * 80000 + 60000, '[]',
          @totals, 1
          FROM past`).run({ ...sales, totals: PAST_TOTALS })
      db.prepare(`INSERT INTO sale_line (sale_id, number, sku, names, quantity, unit_price_cents, tax_category,
        department_id)
        SELECT sale.id, line.value, printf('B%d', (sale.sequence * 7 + line.value * 13) % 100000),
        '{"en-CA":"Sold before","fr-CA":"Vendu avant"}', 1, 499, 'zero-rated', 'bench'
        FROM sale, json_each(?) AS line`).run(
        JSON.stringify(Array.from({ length: PAST_LINES }, (_, index) => index + 1)),
      )
      db.prepare(`INSERT INTO tender (sale_id, number, kind, amount_cents, tendered_cents, reference, at,
          shift_id)
        SELECT id, 1, 'card', ${PAST_CENTS}, ${PAST_CENTS}, 'PAST', closed_at, 1 FROM sale`).run()
      // The shift of the past sales is counted and closed, so that today’s shift does not contain them.
      db.prepare(
        `UPDATE shift SET counted_at = @beforeMs, closed_at = @beforeMs, closed_by = @cashierId, closing = @closing`,
      ).run({ ...sales, closing: PAST_CLOSING })
    })()
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}
