import type { AuditKind } from '../../contracts/staff/audit-kinds.ts'
import type { Clock } from './clock.ts'
import type { Database } from './db/database.ts'
import type { Tx } from './db/transact.ts'
import { type ChainHead, createAuditChain } from './integrity/hash-chain.ts'
import type { Seal } from './integrity/seal.ts'

export interface AuditEntry {
  /** What happened. A new kind gets its group, and its words in every language. */
  readonly kind: AuditKind
  /** Who did it; null for the terminal itself. */
  readonly actorId: string | null
  /** To whom or what: the id of a person, a sale, a device. */
  readonly subject?: string
  /** Facts beside it. Never a PIN, a collector number or a secret. */
  readonly detail?: AuditDetail
}
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>

/** An entry as it was read: of a kind that this program knows, or of another. */
type KeptEntry = Omit<Required<AuditEntry>, 'kind'> & { readonly kind: string }

/** The append-only trail of who did what. The database itself refuses to change or delete an entry. */
export interface AuditTrail {
  /** Answers the number of the entry. */
  record(tx: Tx, entry: AuditEntry): number
  /** What stands of a subject since a time (epoch ms), oldest first. */
  about(subject: string, since: number): Pick<KeptEntry, 'kind' | 'detail'>[]
  /** Newest first. */
  latest(limit: number): (KeptEntry & { at: number })[]
  /** Its newest entry, for whoever keeps it elsewhere. */
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
      // Read each time: a tip that is kept in memory would outlive the transaction that is taken back.
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
