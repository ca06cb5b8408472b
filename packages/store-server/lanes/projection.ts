import { DatabaseError } from 'pg'
import type { Fact } from '../../../contracts/store/protocol.ts'
import { storableText } from '../../../contracts/store/bounds.ts'
import type { Querying } from '../db/postgres.ts'
import { isOfWhatWasAsked } from '../db/unavailable.ts'

/** Whose facts they are. */
export interface FactsOf {
  readonly store: string
  readonly lane: string
  readonly stream: string
  /** When they were told, as the database writes it, of facts that are read again; else it is now. */
  readonly toldAt?: string
}

/** A fact of another push that was set aside. */
export interface WaitingFact {
  readonly fact: Fact
  readonly of: FactsOf
}

/** What a part of the store makes of facts, inside the transaction that applies them. */
export interface Projection {
  readonly kinds: readonly string[]
  /** In the order of their numbers, each for the first time. A throw takes back what it wrote, and sets facts aside. */
  apply(tx: Querying, facts: readonly Fact[], of: FactsOf): Promise<void>
  /**
   * Before all facts are read again: takes away what it made of them, and nothing that was decided otherwise. What it
   * answers is called when they have been read. Left out: reading a fact again changes nothing.
   */
  readonly anew?: (tx: Querying) => Promise<(() => Promise<void>) | null>
  /** Facts set aside earlier that these facts may have made applicable, in the order in which they are tried again. */
  readonly waiting?: (tx: Querying, facts: readonly Fact[], of: FactsOf) => Promise<readonly WaitingFact[]>
}

/** A fact that was set aside, and why. */
export interface Aside {
  readonly seq: number
  /** In full, and perhaps with what the fact says: for the database, where the fact is. */
  readonly reason: string
  /** What kind of fault it is, for the log. */
  readonly why: string
}
type Fault = Omit<Aside, 'seq'>
/** So much of a reason says why; a lane may give one of megabytes. */
const MOST_REASON = 500

const SET_ASIDE = `INSERT INTO fact_aside (stream, seq, reason) VALUES ($1, $2, $3)
  ON CONFLICT (stream, seq) DO UPDATE SET reason = excluded.reason`
const APPLIED = 'DELETE FROM fact_aside WHERE stream = $1 AND seq = ANY ($2)'

/**
 * Applies facts with every projection. Where one fails, each fact is tried by itself: a fact that any projection
 * rejects is set aside and changes nothing anywhere, and the facts behind it are applied. Then tries facts again that
 * were set aside earlier and waited for one of these. Returns those of `facts` that stay set aside.
 */
export async function project(
  tx: Querying,
  projections: readonly Projection[],
  facts: readonly Fact[],
  of: FactsOf,
): Promise<Aside[]> {
  const aside = new Map<number, Fault>()
  const setAside = async (seq: number, { reason, why }: Fault): Promise<void> => {
    const fault = { reason: storableText(reason.slice(0, MOST_REASON)), why }
    aside.set(seq, fault)
    await tx.query(SET_ASIDE, [of.stream, seq, fault.reason])
  }
  for (const { seq, body } of facts)
    if (typeof body['unreadable'] === 'string') await setAside(seq, { reason: body['unreadable'], why: 'unreadable' })
  const readable = facts.filter(({ seq }) => !aside.has(seq))
  if ((await applied(tx, projections, readable, of)) !== null)
    for (const fact of readable) {
      const fault = await applied(tx, projections, [fact], of)
      if (fault !== null) await setAside(fact.seq, fault)
    }
  // Also those set aside just now: a push that commits meanwhile may have applied what they wait for.
  for (const { fact, of: whose } of await applyWaiting(tx, projections, readable, of))
    if (whose.stream === of.stream) aside.delete(fact.seq)
  return [...aside].map(([seq, fault]) => ({ seq, ...fault })).toSorted((one, other) => one.seq - other.seq)
}

/** Why the facts could not be applied, with all that they wrote taken back; null: they were. */
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
    // A fact that is told for the first time was never set aside.
    if (of.toldAt !== undefined) await tx.query(APPLIED, [of.stream, facts.map(({ seq }) => seq)])
  })
}

/** Returns the facts that could be applied now. Each of them may be what another waits for. */
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
      // Each alone may wait for the next of its own lane: a draw for what the lane handed over behind it.
      for (const together of Map.groupBy(left, (one) => one.of.stream).values())
        if (together.length > 1 && (await appliedAgain(tx, projections, together))) {
          done.push(...together)
          left = left.filter((one) => !together.includes(one))
        }
    }
  }
  return done
}

/** Whether these facts of one stream, which were set aside, could be applied now, all as told when the last one was. */
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

/** Why it failed, with all that it wrote taken back; null: it did not. */
async function tried(tx: Querying, work: () => Promise<void>): Promise<Fault | null> {
  await tx.query('SAVEPOINT projection')
  try {
    await work()
    await tx.query('RELEASE SAVEPOINT projection')
    return null
  } catch (error) {
    // Nothing was wrong with the fact: the whole transaction is taken back, and its lane tells it again.
    if (!isOfWhatWasAsked(error)) throw error
    await tx.query('ROLLBACK TO SAVEPOINT projection')
    return faultOf(error)
  }
}

/** The messages of a schema, of a database and of this program may quote what they were given. */
function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { reason: String(error), why: 'unknown' }
  return { reason: error.message, why: error instanceof DatabaseError ? `database ${error.code ?? ''}` : error.name }
}
