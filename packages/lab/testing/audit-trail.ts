import { join } from 'node:path'
import Database from 'better-sqlite3'
import { AUDIT_KINDS, isAuditKind } from '../../../contracts/staff/audit-kinds.ts'
import { systemRng, type Clock } from '../../../backend/core/clock.ts'
import { createAuditTrail, type AuditTrail } from '../../../backend/core/audit.ts'
import { testLog } from '../../../backend/core/http/testing.ts'
import { followChanges } from '../../../backend/core/integrity/evidence.ts'
import type { AuditFiles } from '../../../backend/core/integrity/verify-audit.ts'
import { openHighWaterMark } from '../../../backend/core/outbox/high-water.ts'
import { createOutbox, type Outbox } from '../../../backend/core/outbox/outbox.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import { MASTER_KEY, openTestDatabase, refusal } from './loyalty-harness.ts'

export const KINDS = Object.keys(AUDIT_KINDS).filter(isAuditKind)

export const filesIn = (folder: string): AuditFiles => ({
  database: join(folder, 'terminal.db'),
  mark: join(folder, 'journal.mark'),
  masterKey: MASTER_KEY,
})

export interface TrailHarness extends Pick<Outbox, 'transact' | 'chain'> {
  readonly db: Database.Database
  readonly audit: AuditTrail
  fill(entries: number): void
  /** Inserts a Z report, which records the end of the audit trail. */
  close(number: number): void
  end(): void
}

export async function openTrail(folder: string, clock: Clock): Promise<TrailHarness> {
  const db = await openTestDatabase(folder, { followed: false })
  const seal = createSeal(MASTER_KEY)
  const mark = openHighWaterMark(filesIn(folder).mark, clock, seal)
  const { log } = testLog()
  const evidence = followChanges(db, seal)
  const { transact, chain } = createOutbox({
    db,
    seal,
    mark,
    evidence,
    clock,
    rng: systemRng,
    log,
    onStop: () => undefined,
    refusal,
  })
  const audit = createAuditTrail({ db, clock, seal })
  return {
    db,
    audit,
    transact,
    chain,
    fill(entries) {
      for (let made = 0; made < entries; made += 1)
        transact((tx) =>
          audit.record(tx, {
            kind: KINDS[made % KINDS.length] ?? 'sign-in',
            actorId: made % 3 === 0 ? null : 'alex',
            ...(made % 2 === 0 ? { subject: `S${made}` } : {}),
            detail: { made, why: 'test' },
          }),
        )
    },
    close(number) {
      const report = { audit: chain.end().audit }
      db.prepare(
        `INSERT INTO z_report (number, lane, at, staff_id, last_audit, last_entry, report)
          VALUES (?, '01', ?, 'alex', ?, 0, ?)`,
      ).run(number, clock.now(), report.audit.seq, JSON.stringify(report))
    },
    end() {
      mark.note(chain.end())
      mark.close()
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
    },
  }
}

/**
 * Changes the database file as an attacker who knows the audit trail’s triggers: drops them, applies the change,
 * creates them again.
 */
export function writePast(file: string, change: (db: Database.Database) => void): void {
  const db = new Database(file)
  // The copy is written without syncs: there are thousands of copies, and none has to survive a power loss.
  db.pragma('synchronous = OFF')
  db.transaction(() => {
    const triggers = db
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit_entry'",
      )
      .all()
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
    change(db)
    for (const { sql } of triggers) db.exec(sql)
  })()
  db.close()
}
