import Database from 'better-sqlite3'

/** Lines of each past sale. */
export const PAST_LINES = 5

/**
 * Lays completed sales of earlier days into the terminal's database, as a store that has been open for a while has
 * them. The terminal must be stopped, its schema standing. Written past the program, without waiting for the disk: how
 * the sales came there is not what is measured.
 */
export function layPastSales(
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
      db.prepare(`WITH RECURSIVE past (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM past WHERE number < @count)
        INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at, taxes)
        SELECT @locationCode || @lane || printf('%08dPAST', number), number, ${PAST_LINES + 2}, 'completed', @lane,
        @cashierId,
          @beforeMs - (@count - number + 1) * 80000, @beforeMs - (@count - number + 1) * 80000 + 60000, '[]'
          FROM past`).run(sales)
      db.prepare(`INSERT INTO sale_line (sale_id, number, sku, names, quantity, unit_price_cents, tax_category,
        department_id)
        SELECT sale.id, line.value, printf('B%d', (sale.sequence * 7 + line.value * 13) % 100000),
        '{"en-CA":"Sold before","fr-CA":"Vendu avant"}', 1, 499, 'zero-rated', 'bench'
        FROM sale, json_each(?) AS line`).run(
        JSON.stringify(Array.from({ length: PAST_LINES }, (_, index) => index + 1)),
      )
      db.prepare(`INSERT INTO tender (sale_id, number, kind, amount_cents, tendered_cents, reference, at)
        SELECT id, 1, 'card', ${PAST_LINES * 499}, ${PAST_LINES * 499}, 'PAST', closed_at FROM sale`).run()
    })()
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}
