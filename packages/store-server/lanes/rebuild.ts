import { DatabaseError } from 'pg'
import type { Postgres, Querying } from '../db/postgres.ts'
import type { Projection } from './projection.ts'
import { BEGIN_REBUILD, type StoredRow, readStored } from './unread.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { needOwner } from '../db/owner.ts'
import { PROJECTIONS } from '../projections.ts'
import { refused, translatorOf } from '../log.ts'

export interface Rebuilt {
  readonly facts: number
  readonly quarantinedBefore: number
  readonly quarantined: number
}

const AT_ONCE = 1_000

/**
 * Locks the tables of vouchers, receipts, returns and held sales. Draws, reservations and resumes wait for the end of
 * the rebuild, but fail after the lock timeout of their connection. Readers see the old rows. Pushes store their facts
 * for the rebuild (`lanes/unread.ts`).
 */
const LOCK = 'LOCK TABLE voucher_account, voucher_ledger, receipt, receipt_return, held_sale IN EXCLUSIVE MODE'
const STOP_PUSHES = 'LOCK TABLE stream IN EXCLUSIVE MODE'
/**
 * How long a rebuild waits for the lock against pushes; below PostgreSQL's deadlock timeout of one second, so that the
 * rebuild is not chosen as the deadlock victim.
 */
const STOP_MS = 900
const LOCK_NOT_AVAILABLE = '55P03'
/** Reads all facts in the original order: by sequence within a stream, streams by time of receipt. */
const CURSOR = `DECLARE facts NO SCROLL CURSOR FOR
  SELECT stream, seq, max(received_at) OVER (PARTITION BY stream ORDER BY seq) AS sent_at FROM fact_all
  ORDER BY sent_at, stream, seq`
const NEXT = `FETCH ${AT_ONCE} FROM facts`
const COLUMNS = `stream.store, stream.lane, fact.stream, fact.seq, kind, subject, at, body, sealed,
    received_at::text AS "receivedAt"`
const READ = `SELECT ${COLUMNS}
  FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS next (stream, seq, place)
  JOIN fact_all AS fact ON fact.stream = next.stream AND fact.seq = next.seq
  JOIN stream ON stream.name = fact.stream ORDER BY place`
const SINCE = `SELECT ${COLUMNS}
  FROM stream LEFT JOIN jsonb_each_text($1::jsonb) AS read (name, seq) ON read.name = stream.name
  JOIN fact_all AS fact ON fact.stream = stream.name AND fact.seq > coalesce(read.seq::integer, 0)
  WHERE stream.applied > coalesce(read.seq::integer, 0)
  ORDER BY max(received_at) OVER (PARTITION BY fact.stream ORDER BY fact.seq), fact.stream, fact.seq`
const ALL_READ = 'UPDATE stream SET unread_from = NULL WHERE unread_from IS NOT NULL'
const FACTS = 'SELECT count(*)::integer AS count FROM fact_all'
const QUARANTINED = 'SELECT count(*)::integer AS count FROM fact_aside'

/**
 * Derives all tables from all facts again, for a new projection or for facts in quarantine. Uses one transaction and is
 * idempotent. `onProgress` receives the number of facts read and the total.
 */
export const rebuild = (
  postgres: Postgres,
  projections: readonly Projection[],
  onProgress: (facts: number, all: number) => void,
): Promise<Rebuilt> =>
  postgres.transaction(
    async (tx) => {
      await tx.query(BEGIN_REBUILD)
      await tx.query(LOCK)
      const [all, quarantinedBefore] = [await countOf(tx, FACTS), await countOf(tx, QUARANTINED)]
      const endings: (() => Promise<void>)[] = []
      for (const { beforeRebuild } of projections) {
        const end = (await beforeRebuild?.(tx)) ?? null
        if (end !== null) endings.push(end)
      }
      await tx.query(CURSOR)
      const read = new Map<string, number>()
      let facts = 0
      async function take(rows: readonly StoredRow[]): Promise<void> {
        await readStored(tx, projections, rows)
        for (const { stream, seq } of rows) read.set(stream, seq)
        facts += rows.length
        onProgress(facts, Math.max(facts, all))
      }
      for (let page = await next(tx); page.length > 0; page = await next(tx)) await take(page)
      await tx.query('CLOSE facts')
      const takeNewFacts = async (): Promise<void> => {
        const { rows } = await tx.query<StoredRow>(SINCE, [JSON.stringify(Object.fromEntries(read))])
        if (rows.length > 0) await take(rows)
      }
      do await takeNewFacts()
      while (!(await stopPushes(tx)))
      await takeNewFacts()
      for (const end of endings) await end()
      await tx.query(ALL_READ)
      return { facts, quarantinedBefore, quarantined: await countOf(tx, QUARANTINED) }
    },
    { unlimited: true },
  )

/**
 * Blocks pushes. Returns false when other transactions hold locks on the streams: they may wait for the rebuild's
 * tables and must finish first.
 */
async function stopPushes(tx: Querying): Promise<boolean> {
  await tx.query('SAVEPOINT stopping')
  await tx.query(`SET LOCAL lock_timeout = ${STOP_MS}`)
  try {
    await tx.query(STOP_PUSHES)
    await tx.query('SET LOCAL lock_timeout = 0')
    return true
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    await tx.query('ROLLBACK TO SAVEPOINT stopping')
    return false
  }
}

const isLockTimeout = (error: unknown): boolean => error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE

const countOf = async (tx: Querying, sql: string): Promise<number> =>
  (await tx.query<{ count: number }>(sql)).rows[0]?.count ?? 0

async function next(tx: Querying): Promise<readonly StoredRow[]> {
  const { rows: keys } = await tx.query<{ stream: string; seq: number }>(NEXT)
  if (keys.length === 0) return []
  return (await tx.query<StoredRow>(READ, [keys.map(({ stream }) => stream), keys.map(({ seq }) => seq)])).rows
}

/** Finds a lane with missing facts (an archived month is missing) or duplicate facts. */
const INCOMPLETE = `SELECT store || '/' || lane AS lane, applied, coalesce(stored.facts, 0) AS found
  FROM stream LEFT JOIN (SELECT stream, count(*)::integer AS facts FROM fact_all GROUP BY stream) AS stored
    ON stored.stream = stream.name
  WHERE applied <> coalesce(stored.facts, 0) ORDER BY 1, name LIMIT 1`

const PROGRESS_MS = 2_000

/**
 * Rebuilds the derived tables and prints progress. Rejects with a readable error if the database user does not own the
 * tables, or if facts are missing or in two tables.
 */
export async function runRebuild(
  postgres: Postgres,
  write: (line: string) => void,
  locale: Locale = FIRST_LOCALE,
): Promise<void> {
  await needOwner(postgres)
  await needAllFacts(postgres)
  const translate = translatorOf(locale)
  let writtenAt = Date.now()
  const { facts, quarantinedBefore, quarantined } = await rebuild(postgres, PROJECTIONS, (read, all) => {
    if (Date.now() - writtenAt < PROGRESS_MS) return
    writtenAt = Date.now()
    write(`${translate('rebuilding', { read, all })}\n`)
  })
  write(
    `${translate('rebuilt', { facts })} ${translate('unread', { unread: quarantined, before: quarantinedBefore })}\n`,
  )
}

/** Rejects when facts are missing or duplicate, because the rebuild would get wrong gift-card balances. */
async function needAllFacts(postgres: Postgres): Promise<void> {
  const { rows } = await postgres.transaction(
    (tx) => tx.query<{ lane: string; applied: number; found: number }>(INCOMPLETE),
    { unlimited: true },
  )
  const [lacking] = rows
  if (lacking === undefined) return
  const { lane, applied, found } = lacking
  throw refused(['factsIncomplete', 'factsIncompleteDo'], { lane, applied: `${applied}`, found: `${found}` })
}
