import Database from 'better-sqlite3'

export const LINES = 5
const CENTS = LINES * 499
const TOTALS = JSON.stringify({
  grossCents: CENTS,
  discountCents: 0,
  netCents: CENTS,
  taxes: [],
  totalCents: CENTS,
  departments: { bench: CENTS },
})

/**
 * Inserts open drawers with the sales of a long day directly into the terminal's database. Each drawer belongs to
 * another person, so that all may be open at once. Half of the sales are paid in cash.
 */
export function insertOpenDrawers(
  file: string,
  days: {
    readonly drawers: number
    readonly sales: number
    readonly lane: string
    readonly locationCode: string
    readonly atMs: number
  },
): void {
  const db = new Database(file)
  try {
    db.pragma('synchronous = OFF')
    db.transaction(() => {
      const next = (column: string, table: string): number =>
        db.prepare<[], number>(`SELECT coalesce(max(${column}), 0) FROM ${table}`).pluck().get() ?? 0
      const sequence = next('sequence', 'sale')
      const shift = next('id', 'shift')
      for (let drawer = 1; drawer <= days.drawers; drawer += 1) {
        const of = {
          ...days,
          person: `drawer-${drawer}`,
          shift: shift + drawer,
          from: sequence + (drawer - 1) * days.sales,
          totals: TOTALS,
        }
        db.prepare(
          "INSERT INTO staff (id, name, role, locale, active) VALUES (@person, @person, 'cashier', 'en-CA', 0)",
        ).run(of)
        db.prepare(`INSERT INTO shift (id, lane, drawer_of, opened_at, opened_by, float_cents)
          VALUES (@shift, @lane, @person, @atMs, @person, 20000)`).run(of)
        db.prepare(`WITH RECURSIVE day (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM day WHERE n < @sales)
          INSERT INTO sale (id, sequence, version, state, lane, cashier_id, opened_at, closed_at, taxes, totals,
            shift_id)
          SELECT @locationCode || @lane || printf('%08dDAYS', @from + n), @from + n, ${LINES + 2}, 'completed', @lane,
            @person, @atMs, @atMs + n, '[]', @totals, @shift FROM day`).run(of)
      }
      db.prepare(`INSERT INTO sale_line (sale_id, number, sku, names, quantity, unit_price_cents, tax_category,
        department_id)
        SELECT sale.id, line.value, 'B1', '{"en-CA":"Sold","fr-CA":"Vendu"}', 1, 499, 'zero-rated', 'bench'
        FROM sale, json_each(@lines) AS line WHERE sale.shift_id > @shift`).run({
        lines: JSON.stringify(Array.from({ length: LINES }, (_, index) => index + 1)),
        shift,
      })
      db.prepare(`INSERT INTO tender (sale_id, number, kind, amount_cents, tendered_cents, reference, at, shift_id)
        SELECT id, 1, iif(sequence % 2 = 0, 'cash', 'card'), ${CENTS}, ${CENTS}, 'DAY', closed_at, shift_id FROM sale
        WHERE shift_id > ?`).run(shift)
    })()
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}
