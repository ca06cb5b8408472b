import type { Database } from '../db/database.ts'
import type { Tx } from '../db/transact.ts'
import { type ChainHead, createAuditChain, createHashChain } from '../integrity/hash-chain.ts'
import type { Evidence } from '../integrity/evidence.ts'
import { headOf, type HighWaterMark, type Mark, type NotedHead } from './high-water.ts'
import type { Seal } from '../integrity/seal.ts'

interface Entry extends ChainHead {
  readonly operationId: string
  readonly at: number
  readonly fromState: string | null
  readonly toState: string
  readonly detail: string
  readonly previousHash: Buffer
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
 * The append-only list of every transition, chained. The mark shows that its newest end is gone, and that of the audit
 * trail.
 */
export function createChain({ db, seal, mark, evidence }: ChainOptions) {
  const links = createHashChain<Entry>({
    db,
    table: 'journal_entry',
    number: 'seq',
    columns: COLUMNS,
    authenticate: seal.authenticator('chain of the journal'),
    textOf: ({ seq, operationId, at, fromState, toState, detail }) =>
      JSON.stringify([seq, operationId, at, fromState, toState, detail]),
    follows: ({ previousHash }, previous) => previousHash.equals(previous),
  })
  const trail = createAuditChain({ db, seal })
  const timeOf = db.prepare<[number], number>('SELECT at FROM journal_entry WHERE seq = ?').pluck()
  const insert = db.prepare(
    `INSERT INTO journal_entry (seq, operation_id, at, from_state, to_state, detail, previous_hash, hash,
      previous_of_operation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  let appended = false

  /** How far the database has come, as the mark outside of it names it. */
  function end(): Mark {
    const { seq, hash } = links.tip()
    return { seq, hash: hash.toString('hex'), counter: evidence?.counter() ?? 0, audit: noted(trail.tip()) }
  }

  return {
    /** What the next entry follows; take it in the transaction that appends. */
    tip: links.tip,

    /** Appends the entry `tip.seq + 1`. `previous` is the entry before it of the same operation, null for its first. */
    append(tx: Tx, tip: ChainHead, { operationId, at, fromState, toState, detail, previous }: Transition): void {
      const entry = {
        seq: tip.seq + 1,
        operationId,
        at,
        fromState,
        toState,
        detail: JSON.stringify(detail),
        previousHash: tip.hash,
      }
      const hash = links.hashOf(tip.hash, entry)
      tx.run(insert, entry.seq, operationId, at, fromState, toState, entry.detail, tip.hash, hash, previous)
      appended = true
    },

    committed(): void {
      const changed = evidence?.takeChanged() ?? false
      if (!appended && !changed) return
      appended = false
      mark?.note(end())
    },

    /** The number of the first entry that does not fit, or null. Reads the whole journal. */
    firstBrokenEntry: (): number | null => links.firstBreak()?.entry ?? null,

    end,

    /** When the newest transition was made, by the wall clock of that moment; null in an empty journal. */
    newestEntryAt: (): number | null => timeOf.get(links.tip().seq) ?? null,

    /**
     * Whether entries are gone or changed that the mark, or the chain itself, says there were. A damaged page of the
     * write-ahead log can drop whole commits while the database calls itself sound. Call at start.
     */
    entriesMissing(): { expected: number; found: number } | null {
      const known = mark?.read() ?? null
      return links.missing(known && headOf(known), TAIL)
    },

    /** The same of the audit trail. */
    auditMissing(): { expected: number; found: number } | null {
      const known = mark?.read() ?? null
      return trail.missing(known && headOf(known.audit), TAIL)
    },
  }
}

const noted = ({ seq, hash }: ChainHead): NotedHead => ({ seq, hash: hash.toString('hex') })
