import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'

export interface AuditEntry {
  /** What happened, e.g. "sign-in", "pin-locked". */
  readonly kind: string
  /** Who did it; null for the terminal itself. */
  readonly actorId: string | null
  /** To whom or what: the id of a person, a sale, a device. */
  readonly subject?: string
  /** Facts beside it. Never a PIN, a collector number or a secret. */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>
}

/** The append-only trail of who did what. The database itself refuses to change or delete an entry. */
export interface AuditTrail {
  record(tx: Tx, entry: AuditEntry): void
  /** What stands of a subject since a time (epoch ms), oldest first. */
  about(subject: string, since: number): Pick<Required<AuditEntry>, 'kind' | 'detail'>[]
  /** Newest first. */
  latest(limit: number): (Required<AuditEntry> & { at: number })[]
}

interface Row {
  at: number
  kind: string
  actor_id: string | null
  subject: string | null
  detail: string
}

export function createAuditTrail({ db, clock }: { db: Database; clock: Clock }): AuditTrail {
  const insert = db.prepare('INSERT INTO audit_entry (at, kind, actor_id, subject, detail) VALUES (?, ?, ?, ?, ?)')
  const select = db.prepare<[number], Row>(
    'SELECT at, kind, actor_id, subject, detail FROM audit_entry ORDER BY id DESC LIMIT ?',
  )
  const about = db.prepare<[number, string], Pick<Row, 'kind' | 'detail'>>(
    'SELECT kind, detail FROM audit_entry WHERE at >= ? AND subject = ? ORDER BY id',
  )
  return {
    about: (subject, since) =>
      about
        .all(since, subject)
        .map(({ kind, detail }) => ({ kind, detail: JSON.parse(detail) as Required<AuditEntry>['detail'] })),
    record(tx, { kind, actorId, subject, detail }) {
      tx.run(insert, clock.now(), kind, actorId, subject ?? null, JSON.stringify(detail ?? {}))
    },
    latest: (limit) =>
      select.all(limit).map((row) => ({
        at: row.at,
        kind: row.kind,
        actorId: row.actor_id,
        subject: row.subject ?? '',
        detail: JSON.parse(row.detail) as Required<AuditEntry>['detail'],
      })),
  }
}
