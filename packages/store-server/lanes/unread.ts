import type { Fact } from '../../../contracts/store/protocol.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import { type Projection, project } from './projection.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { needOwner } from '../db/owner.ts'
import { printable, refused, translatorOf } from '../log.ts'

/**
 * Lock that a rebuild holds until it ends. A push that reads its own facts shares the lock, so that a rebuild waits for
 * it.
 */
const KEY = "hashtext('milepost rebuild')"
export const BEGIN_REBUILD = `SELECT pg_advisory_xact_lock(${KEY})`
/**
 * SQL condition: no rebuild runs, so facts may be read now. A rebuild that begins later waits until this transaction
 * ends. A push that waited for a rebuild may still see it; the next push or heartbeat then reads its facts.
 */
export const MAY_READ = `pg_try_advisory_xact_lock_shared(${KEY})`

const UNREAD = `SELECT store, name, unread_from AS "unreadFrom", ${MAY_READ} AS "mayRead" FROM stream
  WHERE store = $1 AND unread_from IS NOT NULL ORDER BY name FOR UPDATE SKIP LOCKED`
const FACTS = `SELECT store, lane, fact.stream, seq, kind, subject, at, body, sealed, received_at::text AS "receivedAt"
  FROM fact_all AS fact JOIN stream ON stream.name = fact.stream
  WHERE fact.stream = $1 AND seq >= $2 ORDER BY seq LIMIT 1000`
const ALL_READ = 'UPDATE stream SET unread_from = NULL WHERE name = $1'

export interface StoredRow extends Fact, Record<string, unknown> {
  readonly store: string
  readonly lane: string
  readonly stream: string
  readonly receivedAt: string
}

export interface UnreadStream {
  readonly name: string
  readonly unreadFrom: number
}

/** Reads stored facts in the order of the rows. Facts of one push are applied together, as originally. */
export async function readStored(
  tx: Querying,
  projections: readonly Projection[],
  rows: readonly StoredRow[],
): Promise<void> {
  for (const group of groupsOf(rows)) {
    const [first] = group
    if (first === undefined) continue
    const { store, lane, stream, receivedAt } = first
    const facts = group.map(({ seq, kind, subject, at, body, sealed }) => ({
      seq,
      kind,
      subject,
      at: Number(at),
      body,
      sealed,
    }))
    await project(tx, projections, facts, { store, lane, stream, receivedAt })
  }
}

function groupsOf(rows: readonly StoredRow[]): StoredRow[][] {
  const groups: StoredRow[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    const first = last?.[0]
    if (last && first?.stream === row.stream && first.receivedAt === row.receivedAt) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** Reads the facts that a failed rebuild left unread. The caller must hold the stream's lock. */
export async function readUnread(
  tx: Querying,
  projections: readonly Projection[],
  { name, unreadFrom }: UnreadStream,
): Promise<void> {
  for (let from = unreadFrom, isMore = true; isMore;) {
    const { rows } = await tx.query<StoredRow>(FACTS, [name, from])
    await readStored(tx, projections, rows)
    isMore = rows.length > 0
    from = (rows.at(-1)?.seq ?? from) + 1
  }
  await tx.query(ALL_READ, [name])
}

/**
 * Reads unread facts of all streams of a store that have no push in progress. Does nothing during a rebuild, which
 * reads them itself.
 */
export async function readUnreadOf(tx: Querying, projections: readonly Projection[], store: string): Promise<void> {
  const { rows } = await tx.query<UnreadStream & { mayRead: boolean } & Record<string, unknown>>(UNREAD, [store])
  if (rows.every(({ mayRead }) => mayRead)) for (const stream of rows) await readUnread(tx, projections, stream)
}

export type QuarantineAction =
  | { readonly kind: 'list' }
  | {
      readonly kind: 'dismiss'
      readonly stream: string
      readonly seq: number
      readonly by: string
      readonly why: string
    }

const OPEN = `SELECT stream, seq, store, lane, kind, subject, reason FROM fact_aside
  JOIN fact_all USING (stream, seq) JOIN stream ON stream.name = stream
  WHERE settled_at IS NULL ORDER BY fact_aside.at, stream, seq`
const DISMISS = `UPDATE fact_aside SET settled_by = $3, settled_why = $4, settled_at = now()
  WHERE stream = $1 AND seq = $2 AND settled_at IS NULL`

type Row = Record<'stream' | 'store' | 'lane' | 'kind' | 'subject' | 'reason', string> & { seq: number }

/**
 * Lists the quarantined facts, or dismisses one (`settle` on the command line). Rejects with a readable error if the
 * database user is not the owner, or the fact is not in quarantine.
 */
export async function runQuarantine(
  postgres: Postgres,
  action: QuarantineAction,
  locale: Locale = FIRST_LOCALE,
): Promise<string> {
  await needOwner(postgres)
  const translate = translatorOf(locale)
  if (action.kind === 'list') return listed((await postgres.query<Row>(OPEN)).rows, translate)
  const { stream, seq, by, why } = action
  const fact = `${stream}/${seq}`
  if ((await postgres.query(DISMISS, [stream, seq, by, why])).count > 0)
    return `${translate('aside.settled', { fact })}\n`
  throw refused('notAside', { fact })
}

function listed(rows: readonly Row[], translate: ReturnType<typeof translatorOf>): string {
  if (rows.length === 0) return `${translate('aside.none')}\n`
  const lines = rows.map(({ stream, seq, store, lane, ...row }) => {
    const fact = `${stream}/${seq}`
    const [kind, subject, reason] = [printable(row.kind), printable(row.subject), printable(row.reason)]
    return translate('aside.line', { fact, kind, subject, lane: `${store}/${lane}`, reason })
  })
  const advice = [translate('aside.rebuild'), translate('aside.look'), translate('aside.settle')]
  return `${[...lines, '', ...advice].join('\n')}\n`
}
