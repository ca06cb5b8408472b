import type { Postgres } from '../db/postgres.ts'
import { refused, translatorOf } from '../log.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { needNoOtherOwner, needOwner } from '../db/owner.ts'

export interface Archived {
  readonly facts: number
  /** Months with archived facts, as YYYY-MM (UTC), ascending. */
  readonly months: readonly string[]
}

/** Number of facts moved per transaction; small, so that pushes do not wait long. */
const AT_ONCE = 10_000
/**
 * Kinds of facts that are archived: those that lanes do not follow. Managers' changes are not archived: a new lane
 * reads all of them.
 */
const KINDS = [
  'sale',
  'return',
  'voucher-entry',
  'voucher-use',
  'voucher-transfer',
  'cash-movement',
  'shift',
  'z-report',
  'operation',
  'held-sale',
]
/**
 * SQL of the time before which facts are archived. It is read once per run: a later value, at the end of a month, would
 * select facts of a month without a table.
 */
const BEFORE = `SELECT ((date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => $1))
  AT TIME ZONE 'UTC')::text AS before`
const STREAMS = 'SELECT name, applied FROM stream ORDER BY name'
const MONTHS = `SELECT DISTINCT to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month FROM fact
  WHERE stream = $2 AND seq > $3 AND seq <= $4 AND kind = ANY ($5) AND received_at < $1::timestamptz ORDER BY month`
/** Finds facts that are in two tables: a month was restored twice, or its facts were also sent again. */
const TWICE = `SELECT store || '/' || lane AS lane, count(*)::integer AS facts FROM fact
  JOIN fact_archive AS archived USING (stream, seq) JOIN stream ON stream.name = fact.stream
  WHERE stream.name = $1 AND seq > $2 AND seq <= $3 AND archived.seq > $2 AND archived.seq <= $3 GROUP BY 1`
const MOVE = `WITH moved AS (DELETE FROM fact
    WHERE stream = $2 AND seq > $3 AND seq <= $4 AND kind = ANY ($5) AND received_at < $1::timestamptz RETURNING *)
  INSERT INTO fact_archive SELECT * FROM moved`
const EXISTS = 'SELECT 1 FROM pg_class WHERE oid = to_regclass($1)'

/**
 * Returns the statements that create the table of a month; only the owner may run them. They have no parameters, which
 * DDL does not take. The table is created first and attached later: `PARTITION OF` would wait for every reader of old
 * facts, such as a backup, and lanes would queue behind it.
 */
const makeMonth = (month: string): readonly string[] => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const next = new Date(Date.UTC(year, number)).toISOString().slice(0, 7)
  return [
    `CREATE TABLE ${tableOf(month)} (LIKE fact_archive INCLUDING ALL)`,
    `ALTER TABLE fact_archive ATTACH PARTITION ${tableOf(month)}
      FOR VALUES FROM ('${month}-01 00:00+00') TO ('${next}-01 00:00+00')`,
  ]
}
const REVOKE = (month: string): string => `DO $$ BEGIN IF to_regrole('milepost_server') IS NOT NULL THEN
  REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ${tableOf(month)} FROM milepost_server; END IF; END $$`
const tableOf = (month: string): string => `fact_${month.replace('-', '_')}`

/**
 * Moves facts older than the last `months` whole months to tables per month, in small transactions; the next run
 * continues an interrupted one. Queries for old facts use `fact_all`.
 */
export async function archive(
  postgres: Postgres,
  months: number,
  onProgress: (facts: number) => void,
): Promise<Archived> {
  const filled = new Set<string>()
  let facts = 0
  const before = (await postgres.query<{ before: string }>(BEFORE, [months])).rows[0]?.before
  const { rows: streams } = await postgres.query<{ name: string; applied: number }>(STREAMS)
  for (const { name, applied } of streams)
    for (let from = 0; from < applied; from += AT_ONCE) {
      await needOnce(postgres, name, from)
      const range = [before, name, from, from + AT_ONCE, KINDS]
      const found = await postgres.query<{ month: string }>(MONTHS, range)
      for (const { month } of found.rows) {
        if (!filled.has(month)) await provideMonth(postgres, month)
        filled.add(month)
      }
      if (found.rows.length > 0) facts += (await postgres.query(MOVE, range)).count
      onProgress(facts)
    }
  return { facts, months: [...filled].toSorted() }
}

/** Rejects when a fact is in two tables, because its copies are indistinguishable. */
async function needOnce(postgres: Postgres, stream: string, from: number): Promise<void> {
  const { rows } = await postgres.query<{ lane: string; facts: number }>(TWICE, [stream, from, from + AT_ONCE])
  const [twice] = rows
  if (twice === undefined) return
  throw refused(['factsTwice', 'factsIncompleteDo'], { lane: twice.lane, facts: `${twice.facts}` })
}

async function provideMonth(postgres: Postgres, month: string): Promise<void> {
  if ((await postgres.query(EXISTS, [tableOf(month)])).count > 0) return
  await postgres.transaction(async (tx) => {
    for (const statement of [...makeMonth(month), REVOKE(month)]) await tx.query(statement)
  })
}

const PROGRESS_MS = 2_000

/** Archives old facts and prints progress. Rejects with a readable error unless the database user owns the tables. */
export async function runArchive(
  postgres: Postgres,
  months: number,
  write: (line: string) => void,
  locale: Locale = FIRST_LOCALE,
): Promise<void> {
  await needOwner(postgres)
  await needNoOtherOwner(postgres)
  const translate = translatorOf(locale)
  let writtenAt = Date.now()
  const { facts, months: filled } = await archive(postgres, months, (moved) => {
    if (Date.now() - writtenAt < PROGRESS_MS) return
    writtenAt = Date.now()
    write(`${translate('archiving', { moved })}\n`)
  })
  const [first] = filled
  const last = filled.at(-1)
  write(
    first === undefined || last === undefined
      ? `${translate('nothingToArchive')}\n`
      : `${translate('archived', { facts, from: first, to: last })}\n`,
  )
}
