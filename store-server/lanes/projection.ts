import { DatabaseError } from 'pg'
import type { Fact } from '../../contracts/store/protocol.ts'
import { storableText } from '../../contracts/store/storable.ts'
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

/**
 * Has every projection read its facts. Where one cannot, each of its facts is tried by itself: the poisoned ones are
 * answered, and hold up nobody behind them.
 */
export async function project(
  tx: Querying,
  projections: readonly Projection[],
  facts: readonly Fact[],
  of: FactsOf,
): Promise<Aside[]> {
  const aside = new Map<number, Fault>()
  for (const projection of projections) {
    const mine = facts.filter(({ kind }) => projection.kinds.includes(kind))
    if (mine.length === 0 || (await tried(tx, () => projection.apply(tx, mine, of))) === null) continue
    for (const fact of mine) {
      const fault = await tried(tx, () => projection.apply(tx, [fact], of))
      if (fault !== null) aside.set(fact.seq, fault)
    }
  }
  for (const { seq, body } of facts)
    if (typeof body['unreadable'] === 'string') aside.set(seq, { reason: body['unreadable'], why: 'unreadable' })
  return [...aside].map(([seq, { reason, why }]) => ({
    seq,
    reason: storableText(reason.slice(0, MOST_REASON)),
    why,
  }))
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
