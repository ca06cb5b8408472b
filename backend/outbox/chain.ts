import { timingSafeEqual } from 'node:crypto'
import type { Database } from '../db/open.ts'
import type { Tx } from '../db/transact.ts'
import type { Evidence } from '../integrity/evidence.ts'
import type { HighWaterMark, Mark } from './high-water.ts'
import type { Seal } from './seal.ts'

interface Entry {
  readonly seq: number
  readonly operationId: string
  readonly at: number
  readonly fromState: string | null
  readonly toState: string
  readonly detail: string
  readonly previousHash: Buffer
  readonly hash: Buffer
}

/** Where the chain ends. */
export interface Tip {
  readonly seq: number
  readonly hash: Buffer
}

interface Transition {
  readonly operationId: string
  readonly at: number
  readonly fromState: string | null
  readonly toState: string
  readonly detail: object
  readonly previous: number | null
}

/**
 * SQL for the numbers of one operation's entries, as the table `entry_of (seq)`; `newest` is SQL for the number of its
 * newest. Join it as `entry_of CROSS JOIN journal_entry USING (seq)`: the cross keeps the planner from reading the
 * whole journal first.
 */
export const entriesFrom = (newest: string): string =>
  `WITH RECURSIVE entry_of (seq) AS (SELECT ${newest} UNION ALL SELECT previous_of_operation FROM journal_entry
    JOIN entry_of USING (seq) WHERE previous_of_operation IS NOT NULL)`
export const NEWEST_OF_OPERATION = '(SELECT newest_entry FROM operation WHERE id = +?)'

const GENESIS = Buffer.alloc(32)
const COLUMNS =
  'seq, operation_id AS operationId, at, from_state AS fromState, to_state AS toState, detail, previous_hash ' +
  'AS previousHash, hash'
/** So many of the newest entries are proved at every start; the whole chain on demand. */
export const TAIL = 1_000

export type Chain = ReturnType<typeof createChain>

export interface ChainOptions {
  readonly db: Database
  readonly seal: Pick<Seal, 'authenticator'>
  readonly mark?: HighWaterMark
  readonly evidence?: Pick<Evidence, 'counter' | 'takeChanged'>
}

/**
 * The append-only list of every transition. Each entry holds the keyed hash of itself and the one before it: an entry
 * that was changed, taken out or put in between breaks the chain, and nobody without the key can make another. What a
 * chain cannot show is that its newest end is gone; the mark shows that.
 */
export function createChain({ db, seal, mark, evidence }: ChainOptions) {
  const authenticate = seal.authenticator('chain of the journal')
  const newest = db.prepare<[], { seq: number; at: number; hash: Buffer }>(
    'SELECT seq, at, hash FROM journal_entry ORDER BY seq DESC LIMIT 1',
  )
  const insert = db.prepare(
    `INSERT INTO journal_entry (seq, operation_id, at, from_state, to_state, detail, previous_hash, hash,
      previous_of_operation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const hashAt = db.prepare<[number], { hash: Buffer }>('SELECT hash FROM journal_entry WHERE seq = ?')
  const since = db.prepare<[number], Entry>(`SELECT ${COLUMNS} FROM journal_entry WHERE seq > ? ORDER BY seq`)
  let appended = false

  /**
   * Walks the chain after the entry `after` (0: from the beginning); answers the number of the first entry that does
   * not fit, or null.
   */
  function firstBrokenEntry(after = 0): number | null {
    let previous = after === 0 ? GENESIS : hashAt.get(after)?.hash
    let expected = after + 1
    for (const entry of since.iterate(after)) {
      if (entry.seq !== expected || !previous || !entry.previousHash.equals(previous) || !fits(entry)) return expected
      previous = entry.hash
      expected += 1
    }
    return null
  }

  function hashOf(entry: Omit<Entry, 'hash'>): Buffer {
    const text = JSON.stringify([entry.seq, entry.operationId, entry.at, entry.fromState, entry.toState, entry.detail])
    return authenticate(entry.previousHash, text)
  }

  const fits = (entry: Entry): boolean => {
    const hash = hashOf(entry)
    return entry.hash.length === hash.length && timingSafeEqual(entry.hash, hash)
  }

  /** How far the database has come, as the mark outside of it names it. */
  function end(): Mark {
    const last = newest.get()
    return { seq: last?.seq ?? 0, hash: (last?.hash ?? GENESIS).toString('hex'), counter: evidence?.counter() ?? 0 }
  }

  return {
    /** What the next entry follows; take it in the transaction that appends. */
    tip: (): Tip => newest.get() ?? { seq: 0, hash: GENESIS },

    /** Appends the entry `tip.seq + 1`. `previous` is the entry before it of the same operation, null for its first. */
    append(tx: Tx, tip: Tip, { operationId, at, fromState, toState, detail, previous }: Transition): void {
      const entry = {
        seq: tip.seq + 1,
        operationId,
        at,
        fromState,
        toState,
        detail: JSON.stringify(detail),
        previousHash: tip.hash,
      }
      tx.run(
        insert,
        entry.seq,
        operationId,
        at,
        fromState,
        toState,
        entry.detail,
        entry.previousHash,
        hashOf(entry),
        previous,
      )
      // mutant: mark-before-commit
      appended = true
    },

    committed(): void {
      const changed = evidence?.takeChanged() ?? false
      if (!appended && !changed) return
      appended = false
      mark?.note(end())
    },

    firstBrokenEntry,

    end,

    /** When the newest transition was made, by the wall clock of that moment; null in an empty journal. */
    newestEntryAt: (): number | null => newest.get()?.at ?? null,

    /**
     * Whether entries are gone or changed that the mark, or the chain itself, says there were. A damaged page of the
     * write-ahead log can drop whole commits while the database calls itself sound. Call at start.
     */
    entriesMissing(): { expected: number; found: number } | null {
      const known = mark?.read() ?? null
      const found = newest.get()?.seq ?? 0
      if (known && known.seq > 0 && hashAt.get(known.seq)?.hash.toString('hex') !== known.hash)
        return { expected: known.seq, found: Math.min(found, known.seq - 1) }
      const broken = firstBrokenEntry(Math.max(0, found - TAIL))
      return broken === null ? null : { expected: found, found: broken - 1 }
    },
  }
}
