import { DatabaseError } from 'pg'
import type { Fact } from '../../../contracts/store/protocol.ts'
import { storableText } from '../../../contracts/store/bounds.ts'
import type { Querying } from '../db/postgres.ts'
import { isStatementError } from '../db/unavailable.ts'

export interface FactsOf {
  readonly store: string
  readonly lane: string
  readonly stream: string
  /** Time of receipt in the database's format, for facts that are read again; undefined for facts received now. */
  readonly receivedAt?: string
}

export interface WaitingFact {
  readonly fact: Fact
  readonly of: FactsOf
}

export interface Projection {
  readonly kinds: readonly string[]
  /** Applies new facts in order. If it throws, its writes are rolled back and the rejected facts quarantined. */
  apply(tx: Querying, facts: readonly Fact[], of: FactsOf): Promise<void>
  /**
   * Called before all facts are read again: deletes the rows that are derived from facts, and keeps all others. The
   * function that it returns is called at the end. Undefined if applying a fact twice changes nothing.
   */
  readonly beforeRebuild?: (tx: Querying) => Promise<(() => Promise<void>) | null>
  /** Returns quarantined facts that the given facts may have made applicable, in the order of retry. */
  readonly waiting?: (tx: Querying, facts: readonly Fact[], of: FactsOf) => Promise<readonly WaitingFact[]>
}

export interface QuarantinedFact {
  readonly seq: number
  /** Reason for the database only, because it may quote the fact; `why` is for the log. */
  readonly reason: string
  readonly why: string
}
type Fault = Omit<QuarantinedFact, 'seq'>
/** Maximum length of a stored reason: a fact may cause a reason of megabytes. */
const MAX_REASON_LENGTH = 500

const QUARANTINE = `INSERT INTO fact_aside (stream, seq, reason) VALUES ($1, $2, $3)
  ON CONFLICT (stream, seq) DO UPDATE SET reason = excluded.reason`
const APPLIED = 'DELETE FROM fact_aside WHERE stream = $1 AND seq = ANY ($2)'

/**
 * Applies facts to every projection. If one fails, applies each fact separately and quarantines the rejected facts,
 * without any effect of them. Then retries quarantined facts that waited for these facts. Returns the facts that stay
 * quarantined.
 */
export async function project(
  tx: Querying,
  projections: readonly Projection[],
  facts: readonly Fact[],
  of: FactsOf,
): Promise<QuarantinedFact[]> {
  const quarantined = new Map<number, Fault>()
  const quarantine = async (seq: number, { reason, why }: Fault): Promise<void> => {
    const fault = { reason: storableText(reason.slice(0, MAX_REASON_LENGTH)), why }
    quarantined.set(seq, fault)
    await tx.query(QUARANTINE, [of.stream, seq, fault.reason])
  }
  for (const { seq, body } of facts)
    if (typeof body['unreadable'] === 'string') await quarantine(seq, { reason: body['unreadable'], why: 'unreadable' })
  const readable = facts.filter(({ seq }) => !quarantined.has(seq))
  if ((await applied(tx, projections, readable, of)) !== null)
    for (const fact of readable) {
      const fault = await applied(tx, projections, [fact], of)
      if (fault !== null) await quarantine(fact.seq, fault)
    }
  // Facts that were just quarantined are retried too: a concurrent push may have applied the facts that they need.
  for (const { fact, of: whose } of await applyWaiting(tx, projections, readable, of))
    if (whose.stream === of.stream) quarantined.delete(fact.seq)
  return [...quarantined].map(([seq, fault]) => ({ seq, ...fault })).toSorted((one, other) => one.seq - other.seq)
}

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
    if (of.receivedAt !== undefined) await tx.query(APPLIED, [of.stream, facts.map(({ seq }) => seq)])
  })
}

/**
 * Applies the quarantined facts that can be applied now, and returns them; each applied fact may make another
 * applicable.
 */
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
      // Applies quarantined facts of one stream together, because they may need each other: a draw may need a later
      // transfer to the store.
      for (const together of Map.groupBy(left, (one) => one.of.stream).values())
        if (together.length > 1 && (await appliedAgain(tx, projections, together))) {
          done.push(...together)
          left = left.filter((one) => !together.includes(one))
        }
    }
  }
  return done
}

/**
 * Applies these quarantined facts of one stream with the receipt time of the last one. Returns whether it succeeded.
 */
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

async function tried(tx: Querying, work: () => Promise<void>): Promise<Fault | null> {
  await tx.query('SAVEPOINT projection')
  try {
    await work()
    await tx.query('RELEASE SAVEPOINT projection')
    return null
  } catch (error) {
    // The database failed, not the fact: roll back everything, so that the lane sends the fact again.
    if (!isStatementError(error)) throw error
    await tx.query('ROLLBACK TO SAVEPOINT projection')
    return faultOf(error)
  }
}

/** `why` contains no error message: messages of schemas, the database and this program may quote input. */
function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { reason: String(error), why: 'unknown' }
  return { reason: error.message, why: error instanceof DatabaseError ? `database ${error.code ?? ''}` : error.name }
}
