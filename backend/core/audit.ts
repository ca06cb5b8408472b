import type { AuditKind } from '../../contracts/staff/audit-kinds.ts'
import type { Clock } from './clock.ts'
import type { Database } from './db/database.ts'
import type { Tx } from './db/transact.ts'
import { type ChainHead, createAuditChain } from './integrity/hash-chain.ts'
import type { Seal } from './integrity/seal.ts'

export interface AuditEntry {
  /** Kind of the entry. A new kind needs a group and a text in every language. */
  readonly kind: AuditKind
  readonly actorId: string | null
  readonly subject?: string
  /** Details of the entry. They never contain a PIN, a collector number or a secret. */
  readonly detail?: AuditDetail
}
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>

/** An entry read from the database; a newer program may have written it with a kind that this one does not know. */
type StoredEntry = Omit<Required<AuditEntry>, 'kind'> & { readonly kind: string }

/** Append-only trail of the actions of people and of the terminal. The database itself rejects updates and deletes. */
export interface AuditTrail {
  record(tx: Tx, entry: AuditEntry): number
  /** Returns the entries about a subject since a time (epoch ms), oldest first. */
  about(subject: string, since: number): Pick<StoredEntry, 'kind' | 'detail'>[]
  latest(limit: number): (StoredEntry & { at: number })[]
  head(): ChainHead
}

interface Row {
  at: number
  kind: string
  actor_id: string | null
  subject: string | null
  detail: string
}

export interface AuditTrailOptions {
  readonly db: Database
  readonly clock: Clock
  readonly seal: Pick<Seal, 'authenticator'>
}

export function createAuditTrail({ db, clock, seal }: AuditTrailOptions): AuditTrail {
  const chain = createAuditChain({ db, seal })
  const insert = db.prepare(
    'INSERT INTO audit_entry (id, at, kind, actor_id, subject, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const select = db.prepare<[number], Row>(
    'SELECT at, kind, actor_id, subject, detail FROM audit_entry ORDER BY id DESC LIMIT ?',
  )
  const about = db.prepare<[number, string], Pick<Row, 'kind' | 'detail'>>(
    'SELECT kind, detail FROM audit_entry WHERE at >= ? AND subject = ? ORDER BY id',
  )
  return {
    about: (subject, since) =>
      about.all(since, subject).map(({ kind, detail }) => ({ kind, detail: JSON.parse(detail) as AuditDetail })),
    record(tx, { kind, actorId, subject, detail }) {
      // The end of the chain is read from the database for each entry: a cached one would be wrong after a rollback.
      const tip = chain.tip()
      const seq = tip.seq + 1
      const entry = {
        seq,
        at: clock.now(),
        kind,
        actorId,
        subject: subject ?? null,
        detail: JSON.stringify(detail ?? {}),
      }
      const hash = chain.hashOf(tip.hash, entry)
      tx.run(insert, seq, entry.at, kind, actorId, entry.subject, entry.detail, hash)
      return seq
    },
    latest: (limit) =>
      select.all(limit).map((row) => ({
        at: row.at,
        kind: row.kind,
        actorId: row.actor_id,
        subject: row.subject ?? '',
        detail: JSON.parse(row.detail) as AuditDetail,
      })),
    head: chain.tip,
  }
}
