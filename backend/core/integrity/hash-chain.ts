import { timingSafeEqual } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Authenticate, Seal } from './seal.ts'

export interface ChainHead {
  readonly seq: number
  readonly hash: Buffer
}

export const GENESIS = Buffer.alloc(32)
export const NO_ENTRY: ChainHead = { seq: 0, hash: GENESIS }

export interface HashChainOptions<Entry extends ChainHead> {
  readonly db: Database
  readonly table: string
  readonly number: string
  readonly columns: string
  readonly authenticate: Authenticate
  readonly textOf: (entry: Omit<Entry, 'hash'>) => string
  readonly follows?: (entry: Entry, previous: Buffer) => boolean
}

/** First broken entry of a chain, and the last entry before it, up to which the chain can be trusted. */
export interface ChainBreak<Entry> {
  readonly entry: number
  readonly intact: Entry | null
}

/**
 * Append-only list in which each entry has a keyed hash of itself and the previous one. A changed, removed or inserted
 * entry breaks the chain, and a valid entry cannot be made without the key. Removed newest entries are detected only by
 * an end that was noted elsewhere.
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
    tip,
    hashOf,
    firstBreak,

    holds: (head: ChainHead): boolean => head.seq === 0 || hashAt.get(head.seq)?.hash.equals(head.hash) === true,

    /**
     * Compares the chain with its end as noted elsewhere, and verifies its newest `tail` entries. Returns how many
     * entries were recorded and how many of them can be trusted; null when none is missing or changed.
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

export interface AuditRow extends ChainHead {
  readonly at: number
  readonly kind: string
  readonly actorId: string | null
  readonly subject: string | null
  readonly detail: string
}

export const createAuditChain = ({ db, seal }: { readonly db: Database; readonly seal: Pick<Seal, 'authenticator'> }) =>
  createHashChain<AuditRow>({
    db,
    table: 'audit_entry',
    number: 'id',
    columns: 'id AS seq, at, kind, actor_id AS actorId, subject, detail, hash',
    authenticate: seal.authenticator('chain of the audit trail'),
    textOf: ({ seq, at, kind, actorId, subject, detail }) => JSON.stringify([seq, at, kind, actorId, subject, detail]),
  })
