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
 * SQL for the entry numbers of one operation, as the table `entry_of (seq)`; `newest` is SQL for its newest number.
 * Join it as `entry_of CROSS JOIN journal_entry USING (seq)`: CROSS prevents a scan of the whole journal.
 */
export const entriesFrom = (newest: string): string =>
  `WITH RECURSIVE entry_of (seq) AS (SELECT ${newest} UNION ALL SELECT previous_of_operation FROM journal_entry
    JOIN entry_of USING (seq) WHERE previous_of_operation IS NOT NULL)`
export const NEWEST_OF_OPERATION = '(SELECT newest_entry FROM operation WHERE id = +?)'

const COLUMNS =
  'seq, operation_id AS operationId, at, from_state AS fromState, to_state AS toState, detail, previous_hash ' +
  'AS previousHash, hash'
/** Number of newest entries verified at every start; the whole chain is verified on demand. */
export const TAIL = 1_000

export type Chain = ReturnType<typeof createChain>

export interface ChainOptions {
  readonly db: Database
  readonly seal: Pick<Seal, 'authenticator'>
  readonly mark?: HighWaterMark
  readonly evidence?: Pick<Evidence, 'counter' | 'takeChanged'>
}

/**
 * Append-only, chained list of the transitions of all operations. With the mark outside the database, it also detects
 * that newest entries of the journal or of the audit trail were removed.
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

  function end(): Mark {
    const { seq, hash } = links.tip()
    return { seq, hash: hash.toString('hex'), counter: evidence?.counter() ?? 0, audit: noted(trail.tip()) }
  }

  return {
    tip: links.tip,

    /**
     * Appends an entry to the journal with the number `tip.seq + 1`. `previous` is the previous entry of the same
     * operation, null for its first.
     */
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

    /** Returns the number of the first invalid entry, or null. Reads the whole journal. */
    firstBrokenEntry: (): number | null => links.firstBreak()?.entry ?? null,

    end,

    newestEntryAt: (): number | null => timeOf.get(links.tip().seq) ?? null,

    /**
     * Counts the entries that are missing or changed according to the mark or the chain. A damaged page of the
     * write-ahead log can drop whole commits while SQLite reports no damage. Call it at the start.
     */
    entriesMissing(): { expected: number; found: number } | null {
      const known = mark?.read() ?? null
      return links.missing(known && headOf(known), TAIL)
    },

    auditMissing(): { expected: number; found: number } | null {
      const known = mark?.read() ?? null
      return trail.missing(known && headOf(known.audit), TAIL)
    },
  }
}

const noted = ({ seq, hash }: ChainHead): NotedHead => ({ seq, hash: hash.toString('hex') })
