import type { Fact } from '../../contracts/store/protocol.ts'
import type { Querying } from '../db/postgres.ts'
import { project, type Projection } from './projection.ts'

/** A rebuild holds it until it ends; each push that reads its facts shares it. */
const KEY = "hashtext('milepost rebuild')"
/** Waits for the pushes that are under way. */
export const BEGIN_REBUILD = `SELECT pg_advisory_xact_lock(${KEY})`
/** SQL: whether facts may be read now. If so, a rebuild waits until the transaction ends. */
export const MAY_READ = `pg_try_advisory_xact_lock_shared(${KEY})`

const UNREAD = `SELECT store, name, unread_from AS "unreadFrom", ${MAY_READ} AS "mayRead" FROM stream
  WHERE store = $1 AND unread_from IS NOT NULL ORDER BY name FOR UPDATE SKIP LOCKED`
const FACTS = `SELECT store, lane, fact.stream, seq, kind, subject, at, body, sealed, received_at::text AS "toldAt"
  FROM fact_all AS fact JOIN stream ON stream.name = fact.stream
  WHERE fact.stream = $1 AND seq >= $2 ORDER BY seq LIMIT 1000`
const ALL_READ = 'UPDATE stream SET unread_from = NULL WHERE name = $1'

/** A fact as it is stored, with the lane that told it. */
export interface ToldRow extends Fact, Record<string, unknown> {
  readonly store: string
  readonly lane: string
  readonly stream: string
  readonly toldAt: string
}

export interface UnreadStream {
  readonly name: string
  readonly unreadFrom: number
}

/** Reads stored facts in this order. Those that one call told are applied together, as they were. */
export async function readStored(
  tx: Querying,
  projections: readonly Projection[],
  rows: readonly ToldRow[],
): Promise<void> {
  for (const group of groupsOf(rows)) {
    const [first] = group
    if (first === undefined) continue
    const { store, lane, stream, toldAt } = first
    const facts = group.map(({ seq, kind, subject, at, body, sealed }) => ({
      seq,
      kind,
      subject,
      at: Number(at),
      body,
      sealed,
    }))
    await project(tx, projections, facts, { store, lane, stream, toldAt })
  }
}

function groupsOf(rows: readonly ToldRow[]): ToldRow[][] {
  const groups: ToldRow[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    const first = last?.[0]
    if (last && first?.stream === row.stream && first.toldAt === row.toldAt) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** Reads what a rebuild that failed has left of a stream, which the caller has locked. */
export async function readUnread(
  tx: Querying,
  projections: readonly Projection[],
  { name, unreadFrom }: UnreadStream,
): Promise<void> {
  for (let from = unreadFrom, isMore = true; isMore;) {
    const { rows } = await tx.query<ToldRow>(FACTS, [name, from])
    await readStored(tx, projections, rows)
    isMore = rows.length > 0
    from = (rows.at(-1)?.seq ?? from) + 1
  }
  await tx.query(ALL_READ, [name])
}

/**
 * The same of all streams of a store that no push holds; nothing while a rebuild runs, which reads them itself.
 */
export async function readUnreadOf(tx: Querying, projections: readonly Projection[], store: string): Promise<void> {
  const { rows } = await tx.query<UnreadStream & { mayRead: boolean } & Record<string, unknown>>(UNREAD, [store])
  if (rows.every(({ mayRead }) => mayRead)) for (const stream of rows) await readUnread(tx, projections, stream)
}
