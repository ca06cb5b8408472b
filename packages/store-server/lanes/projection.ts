import { DatabaseError } from 'pg'
import type { Fact } from '../../../contracts/store/protocol.ts'
import { storableText } from '../../../contracts/store/bounds.ts'
import type { Querying } from '../db/postgres.ts'
import { isStatementError } from '../db/unavailable.ts'

export interface FactsOf {
  readonly store: string
  readonly lane: string
  readonly stream: string
  /** When they were received, in the database's format, for facts read again; undefined: now. */
  readonly receivedAt?: string
}

export interface WaitingFact {
  readonly fact: Fact
  readonly of: FactsOf
}

/** Derives tables from facts, in the transaction that applies them. */
export interface Projection {
  readonly kinds: readonly string[]
  /** New facts in order. A throw rolls back its writes and quarantines facts. */
  apply(tx: Querying, facts: readonly Fact[], of: FactsOf): Promise<void>
  /**
   * Called before all facts are read again: deletes the derived rows but no other decisions. Its result is called at
   * the end. Undefined: applying a fact twice changes nothing.
   */
  readonly beforeRebuild?: (tx: Querying) => Promise<(() => Promise<void>) | null>
  /** Quarantined facts that these facts may have made applicable, in the order of retry. */
  readonly waiting?: (tx: Querying, facts: readonly Fact[], of: FactsOf) => Promise<readonly WaitingFact[]>
}

export interface QuarantinedFact {
  readonly seq: number
  /** Complete and possibly quoting the fact: only for the database. */
  readonly reason: string
  readonly why: string
}
type Fault = Omit<QuarantinedFact, 'seq'>
/** Truncates reasons: a fact may produce megabytes. */
const MOST_REASON = 500

const SET_ASIDE = `INSERT INTO fact_aside (stream, seq, reason) VALUES ($1, $2, $3)
  ON CONFLICT (stream, seq) DO UPDATE SET reason = excluded.reason`
const APPLIED = 'DELETE FROM fact_aside WHERE stream = $1 AND seq = ANY ($2)'

/**
 * Applies facts to every projection. If one fails, applies each fact separately and quarantines the rejected ones,
 * without any effect. Then retries quarantined facts that waited for these. Returns the facts that stay quarantined.
 */
export async function project(
  tx: Querying,
  projections: readonly Projection[],
  facts: readonly Fact[],
  of: FactsOf,
): Promise<QuarantinedFact[]> {
  const quarantined = new Map<number, Fault>()
  const setAside = async (seq: number, { reason, why }: Fault): Promise<void> => {
    const fault = { reason: storableText(reason.slice(0, MOST_REASON)), why }
    quarantined.set(seq, fault)
    await tx.query(SET_ASIDE, [of.stream, seq, fault.reason])
  }
  for (const { seq, body } of facts)
    if (typeof body['unreadable'] === 'string') await setAside(seq, { reason: body['unreadable'], why: 'unreadable' })
  const readable = facts.filter(({ seq }) => !quarantined.has(seq))
  if ((await applied(tx, projections, readable, of)) !== null)
    for (const fact of readable) {
      const fault = await applied(tx, projections, [fact], of)
      if (fault !== null) await setAside(fact.seq, fault)
    }
  // Includes facts just quarantined: a concurrent push may have applied those that they need.
  for (const { fact, of: whose } of await applyWaiting(tx, projections, readable, of))
    if (whose.stream === of.stream) quarantined.delete(fact.seq)
  return [...quarantined].map(([seq, fault]) => ({ seq, ...fault })).toSorted((one, other) => one.seq - other.seq)
}

/** Returns why the facts were rejected, with all writes rolled back; null: applied. */
async function applied(
  tx: Querying,
  projections: readonly Projection[],
  facts: readonly Fact[],
  of: FactsOf,
): Promise<Fault | null> {
  if (facts.length === 0) return null
  return tried(tx, async () => {
    for (const projection of projections) {
      const read = facts.filter(({ kind }) => projection.kinds.includes(kind))
      if (read.length > 0) await projection.apply(tx, read, of)
    }
    // A new fact was never quarantined.
    if (of.receivedAt !== undefined) await tx.query(APPLIED, [of.stream, facts.map(({ seq }) => seq)])
  })
}

/** Returns the facts that were applied now; each may unblock another. */
async function applyWaiting(
  tx: Querying,
  projections: readonly Projection[],
  facts: readonly Fact[],
  of: FactsOf,
): Promise<WaitingFact[]> {
  const done: WaitingFact[] = []
  for (const { kinds, waiting } of projections) {
    const read = facts.filter(({ kind }) => kinds.includes(kind))
    if (waiting === undefined || read.length === 0) continue
    let left = await waiting(tx, read, of)
    for (let before = Infinity; left.length > 0 && left.length < before;) {
      before = left.length
      const still: WaitingFact[] = []
      for (const one of left)
        if (await appliedAgain(tx, projections, [one])) done.push(one)
        else still.push(one)
      left = still
      if (left.length < before) continue
      // Facts of one lane may depend on each other: a draw on a later transfer to the store.
      for (const together of Map.groupBy(left, (one) => one.of.stream).values())
        if (together.length > 1 && (await appliedAgain(tx, projections, together))) {
          done.push(...together)
          left = left.filter((one) => !together.includes(one))
        }
    }
  }
  return done
}

/** Whether these quarantined facts of one stream could be applied, with the time of the last one. */
async function appliedAgain(
  tx: Querying,
  projections: readonly Projection[],
  waiting: readonly WaitingFact[],
): Promise<boolean> {
  const last = waiting.at(-1)
  if (last === undefined) return false
  const facts = waiting.map(({ fact }) => fact).toSorted((one, other) => one.seq - other.seq)
  if ((await applied(tx, projections, facts, last.of)) !== null) return false
  await tx.query(APPLIED, [last.of.stream, facts.map(({ seq }) => seq)])
  return true
}

/** Returns the failure, with all writes rolled back; null: success. */
async function tried(tx: Querying, work: () => Promise<void>): Promise<Fault | null> {
  await tx.query('SAVEPOINT projection')
  try {
    await work()
    await tx.query('RELEASE SAVEPOINT projection')
    return null
  } catch (error) {
    // The fact is not at fault: roll back everything, so that the lane sends it again.
    if (!isStatementError(error)) throw error
    await tx.query('ROLLBACK TO SAVEPOINT projection')
    return faultOf(error)
  }
}

/** Messages of schemas, the database and this program may quote input. */
function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { reason: String(error), why: 'unknown' }
  return { reason: error.message, why: error instanceof DatabaseError ? `database ${error.code ?? ''}` : error.name }
}
