import { timingSafeEqual } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Authenticate, Seal } from './seal.ts'

/** An entry of a chain by its number and hash: where a chain ends, or ended when it was noted elsewhere. */
export interface ChainHead {
  readonly seq: number
  readonly hash: Buffer
}

export const GENESIS = Buffer.alloc(32)
export const NO_ENTRY: ChainHead = { seq: 0, hash: GENESIS }

export interface HashChainOptions<Entry extends ChainHead> {
  readonly db: Database
  readonly table: string
  /** The column of the number; numbers begin at 1 and have no gap. */
  readonly number: string
  /** SQL that names every field of an entry, `seq` and `hash` among them. */
  readonly columns: string
  readonly authenticate: Authenticate
  /** All of an entry that its hash covers beside the hash before it. */
  readonly textOf: (entry: Omit<Entry, 'hash'>) => string
  /** Says false of an entry that names another hash before it than that which is there. */
  readonly follows?: (entry: Entry, previous: Buffer) => boolean
}

/** Where a chain breaks, and the newest entry before it, which can be trusted. */
export interface ChainBreak<Entry> {
  readonly entry: number
  readonly intact: Entry | null
}

/**
 * A list that only grows, each entry with the keyed hash of itself and of the one before it: an entry that was changed,
 * taken out or put in between breaks the chain, and nobody without the key can make another. What a chain cannot show
 * is that its newest end is gone; that takes a head which is noted elsewhere.
 */
export function createHashChain<Entry extends ChainHead>(options: HashChainOptions<Entry>) {
  const { db, table, number, columns, authenticate, textOf } = options
  const newest = db.prepare<[], ChainHead>(
    `SELECT ${number} AS seq, hash FROM ${table} ORDER BY ${number} DESC LIMIT 1`,
  )
  const hashAt = db.prepare<[number], { hash: Buffer }>(`SELECT hash FROM ${table} WHERE ${number} = ?`)
  const since = db.prepare<[number], Entry>(`SELECT ${columns} FROM ${table} WHERE ${number} > ? ORDER BY ${number}`)

  const hashOf = (previous: Buffer, entry: Omit<Entry, 'hash'>): Buffer => authenticate(previous, textOf(entry))

  const fits = (entry: Entry, previous: Buffer): boolean => {
    const hash = hashOf(previous, entry)
    return entry.hash.length === hash.length && timingSafeEqual(entry.hash, hash)
  }

  /** Walks the chain after the entry `after` (0: from the beginning). `onEntry` is told of each that fits. */
  function firstBreak(after = 0, onEntry?: (entry: Entry) => void): ChainBreak<Entry> | null {
    let previous = after === 0 ? GENESIS : hashAt.get(after)?.hash
    let intact: Entry | null = null
    let expected = after + 1
    for (const entry of since.iterate(after)) {
      const good =
        entry.seq === expected && previous && (options.follows?.(entry, previous) ?? true) && fits(entry, previous)
      if (!good) return { entry: expected, intact }
      onEntry?.(entry)
      intact = entry
      previous = entry.hash
      expected += 1
    }
    return null
  }

  const tip = (): ChainHead => newest.get() ?? NO_ENTRY

  return {
    /** Where it ends: what the next entry follows. Take it in the transaction that appends. */
    tip,
    hashOf,
    firstBreak,

    /** Whether the entry that was noted elsewhere still stands as it was noted. */
    holds: (head: ChainHead): boolean => head.seq === 0 || hashAt.get(head.seq)?.hash.equals(head.hash) === true,

    /**
     * Whether entries are gone or changed that a head noted elsewhere, or the newest `tail` entries themselves, say
     * there were: how many were recorded, and how many can be trusted.
     */
    missing(known: ChainHead | null, tail: number): { expected: number; found: number } | null {
      const found = tip().seq
      if (known && known.seq > 0 && hashAt.get(known.seq)?.hash.equals(known.hash) !== true)
        return { expected: known.seq, found: Math.min(found, known.seq - 1) }
      const broken = firstBreak(Math.max(0, found - tail))
      return broken === null ? null : { expected: found, found: broken.entry - 1 }
    },
  }
}

/** An entry of the audit trail as its table has it. */
export interface AuditRow extends ChainHead {
  readonly at: number
  readonly kind: string
  readonly actorId: string | null
  readonly subject: string | null
  readonly detail: string
}

/** The chain of the audit trail: every entry under the key, in the order in which they were written. */
export const createAuditChain = ({ db, seal }: { readonly db: Database; readonly seal: Pick<Seal, 'authenticator'> }) =>
  createHashChain<AuditRow>({
    db,
    table: 'audit_entry',
    number: 'id',
    columns: 'id AS seq, at, kind, actor_id AS actorId, subject, detail, hash',
    authenticate: seal.authenticator('chain of the audit trail'),
    textOf: ({ seq, at, kind, actorId, subject, detail }) => JSON.stringify([seq, at, kind, actorId, subject, detail]),
  })
