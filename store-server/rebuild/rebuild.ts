import type { Fact } from '../../contracts/store/protocol.ts'
import type { Postgres, Querying } from '../db/postgres.ts'
import { project, type Projection } from '../lanes/projection.ts'

export interface Rebuilt {
  readonly facts: number
  /** How many could not be read, before and now. */
  readonly asideBefore: number
  readonly aside: number
}

/** So many facts are read at once. */
const AT_ONCE = 1_000

/**
 * Who tells, draws, claims or resumes meanwhile waits, and is answered like one whose server is away; whoever only
 * looks sees what was there before.
 */
const LOCK = 'LOCK TABLE stream, voucher_account, voucher_ledger, receipt, receipt_return, held_sale IN EXCLUSIVE MODE'
/** As they were applied: each stream in its order, the streams by when they told. */
const CURSOR = `DECLARE told NO SCROLL CURSOR FOR
  SELECT stream, seq, max(received_at) OVER (PARTITION BY stream ORDER BY seq) AS told_at FROM fact_all
  ORDER BY told_at, stream, seq`
const NEXT = `FETCH ${AT_ONCE} FROM told`
const READ = `SELECT stream.store, stream.lane, fact.stream, fact.seq, kind, subject, at, body, sealed,
    received_at::text AS "toldAt"
  FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS next (stream, seq, place)
  JOIN fact_all AS fact ON fact.stream = next.stream AND fact.seq = next.seq
  JOIN stream ON stream.name = fact.stream ORDER BY place`
const COUNT = `SELECT (SELECT count(*) FROM fact_all)::integer AS facts,
  (SELECT count(*) FROM fact_aside)::integer AS aside`

interface ToldRow extends Fact, Record<string, unknown> {
  store: string
  lane: string
  stream: string
  toldAt: string
}

/**
 * Makes what the parts of the store made of all facts once more: for a part that did not exist when they were told, or
 * facts that it could not read. One transaction: whatever ends it leaves everything as it was. The same comes of it
 * however often it is done. `onProgress` is called with how many facts were read, of how many.
 */
export const rebuild = (
  postgres: Postgres,
  projections: readonly Projection[],
  onProgress: (facts: number, all: number) => void,
): Promise<Rebuilt> =>
  postgres.transaction(
    async (tx) => {
      await tx.query(LOCK)
      const before = await counted(tx)
      const endings: (() => Promise<void>)[] = []
      for (const { anew } of projections) {
        const end = (await anew?.(tx)) ?? null
        if (end !== null) endings.push(end)
      }
      await tx.query(CURSOR)
      let facts = 0
      for (let page = await next(tx); page.length > 0; page = await next(tx)) {
        for (const group of groupsOf(page)) await readAgain(tx, projections, group)
        facts += page.length
        onProgress(facts, before.facts)
      }
      for (const end of endings) await end()
      return { facts, asideBefore: before.aside, aside: (await counted(tx)).aside }
    },
    { unlimited: true },
  )

async function counted(tx: Querying): Promise<{ facts: number; aside: number }> {
  const { rows } = await tx.query<{ facts: number; aside: number }>(COUNT)
  return rows[0] ?? { facts: 0, aside: 0 }
}

async function next(tx: Querying): Promise<readonly ToldRow[]> {
  const { rows: keys } = await tx.query<{ stream: string; seq: number }>(NEXT)
  if (keys.length === 0) return []
  return (await tx.query<ToldRow>(READ, [keys.map(({ stream }) => stream), keys.map(({ seq }) => seq)])).rows
}

/** Facts that one call told, as they were applied together. */
function groupsOf(page: readonly ToldRow[]): ToldRow[][] {
  const groups: ToldRow[][] = []
  for (const row of page) {
    const last = groups.at(-1)
    const first = last?.[0]
    if (last && first?.stream === row.stream && first.toldAt === row.toldAt) last.push(row)
    else groups.push([row])
  }
  return groups
}

async function readAgain(tx: Querying, projections: readonly Projection[], group: readonly ToldRow[]): Promise<void> {
  const [first] = group
  if (first === undefined) return
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
