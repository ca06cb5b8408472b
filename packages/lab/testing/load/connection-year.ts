import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConnectionHistory, ConnectionPeriod } from '../../../../contracts/operations/connection.ts'
import { migrate, readMigrations } from '../../../../backend/core/db/migrate.ts'
import { openDatabase } from '../../../../backend/core/db/database.ts'
import { historyAt } from '../../../../backend/operations/connection/connection.ts'
import { addYear, YEAR } from '../../../../backend/operations/diagnostics/echo-year.fixture.ts'
import { createEchoRepository } from '../../../../backend/operations/diagnostics/diagnostics.sql.ts'

/** `node … connection-year.ts COUNT`: measures reads and writes of a database with a year of echo checks. */
const count = Number(process.argv[2] ?? 100)
const folder = mkdtempSync(join(tmpdir(), 'milepost-connection-'))
try {
  const db = openDatabase(join(folder, 'terminal.db'))
  await migrate(db, readMigrations())
  const bytes = (): number =>
    Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))
  const empty = bytes()
  const results = createEchoRepository(db)
  addYear(db, results)
  const timed = (work: (index: number) => void): number[] =>
    Array.from({ length: count }, (_, index) => {
      const from = performance.now()
      work(index)
      return performance.now() - from
    })
  const rows = Object.fromEntries(
    ['echo_result', 'echo_hour', 'echo_outage'].map((table) => [
      table,
      db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0,
    ]),
  )
  const [latest] = results.latest(1)
  if (!latest) throw new Error('the year is empty')
  db.exec('CREATE TABLE bare (at INTEGER)')
  const bare = db.prepare('INSERT INTO bare (at) VALUES (?)')
  process.stdout.write(
    JSON.stringify({
      bytes: bytes() - empty,
      rows,
      // The measured work is that of the local API: read, aggregate, validate and serialize.
      periods: Object.fromEntries(
        ConnectionPeriod.options.map((period) => [
          period,
          timed(() =>
            JSON.stringify(ConnectionHistory.parse(historyAt(results, period, YEAR.until, 'America/Toronto'))),
          ),
        ]),
      ),
      checks: timed((index) => {
        const at = YEAR.until + (index + 1) * 60_000
        results.add(latest, { at, knownMs: 60_000, wasFailing: false, offsetMs: -18_000_000 })
      }),
      commits: timed((index) => bare.run(index)),
    }),
  )
  db.close()
} finally {
  rmSync(folder, { recursive: true })
}
