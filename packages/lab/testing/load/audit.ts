import { writeFileSync } from 'node:fs'
import { AUDIT_KINDS, isAuditKind, kindsOf } from '../../../../contracts/staff/audit-kinds.ts'
import { systemClock } from '../../../../backend/core/clock.ts'
import { createPlainTransact } from '../../../../backend/core/db/transact.ts'
import { createAuditRepository, type EntryFilter } from '../../../../backend/staff/audit.sql.ts'
import { createAuditTrail } from '../../../../backend/core/audit.ts'
import { adopt } from '../../../../backend/core/integrity/state.ts'
import { followChanges } from '../../../../backend/core/integrity/evidence.ts'
import { verifyAuditInWorker } from '../../../../backend/core/integrity/verify-audit-in-worker.ts'
import { createChain } from '../../../../backend/core/outbox/chain.ts'
import { openHighWaterMark } from '../../../../backend/core/outbox/high-water.ts'
import { createSeal } from '../../../../backend/core/integrity/seal.ts'
import { ALEX, filesOf, MASTER_KEY, openTestDatabase } from './terminal.ts'

export interface AuditRound {
  readonly verifyMs: number
  /** Longest stall of the lane’s thread during the verification. */
  readonly stalledMs: number
  readonly entries: number
  readonly intact: boolean
  /**
   * Milliseconds to read one page of the audit trail, by the name of the filter: the newest page, or one in the middle.
   */
  readonly pageMs: Readonly<Record<string, number>>
  /** Microseconds for one more audit entry in a transaction that writes one already. */
  readonly appendUs: number
}

const KINDS = Object.keys(AUDIT_KINDS).filter(isAuditKind)
/** Time between two entries: a million entries at this distance cover a year. */
const STEP_MS = 31_000
const AT_ONCE = 10_000
const PAGE = 51
const APPENDED = 2_000

/**
 * Writes an audit trail of `entries` entries as the terminal does: many sign-ins and drawers, few settings and data
 * changes.
 */
export async function openAuditUnderLoad(folder: string, entries: number) {
  const files = { database: filesOf(folder).database, mark: filesOf(folder).mark, masterKey: MASTER_KEY }
  const db = await openTestDatabase(folder)
  const seal = createSeal(MASTER_KEY)
  const begun = systemClock.now() - entries * STEP_MS
  let at = begun
  const clock = { ...systemClock, now: () => at }
  const audit = createAuditTrail({ db, clock, seal })
  const transact = createPlainTransact(db)
  const few = KINDS.filter((kind) => AUDIT_KINDS[kind] === 'settings' || AUDIT_KINDS[kind] === 'data')
  const many = KINDS.filter((kind) => !few.includes(kind))
  for (let made = 0; made < entries; made += AT_ONCE)
    transact((tx) => {
      for (let index = made; index < Math.min(made + AT_ONCE, entries); index += 1) {
        at += STEP_MS
        const rare = index % 5_000 === 0
        const kind = (rare ? few : many)[(rare ? index / 5_000 : index) % (rare ? few : many).length] ?? 'sign-in'
        audit.record(tx, {
          kind,
          actorId: index % 4 === 0 ? null : ALEX.id,
          subject: `N101010${String(index >> 2).padStart(8, '0')}`,
          detail: { line: 1, quantity: 2, unitPriceCents: 1_999, approvedBy: null },
        })
      }
    })
  db.transaction(() => {
    adopt(db, seal)
  }).immediate()
  const evidence = followChanges(db, seal)
  const chain = createChain({ db, seal, evidence })
  writeFileSync(files.mark, '')
  const mark = openHighWaterMark(files.mark, systemClock, seal)
  mark.note(chain.end())
  mark.sync()
  const repository = createAuditRepository(db)

  const everything: EntryFilter = {
    from: 0,
    before: { at: Number.MAX_SAFE_INTEGER, number: 0 },
    upTo: Number.MAX_SAFE_INTEGER,
    person: null,
    kinds: null,
    subject: null,
  }
  const filters: Readonly<Record<string, Partial<EntryFilter>>> = {
    'no filter': {},
    'time in the middle': { before: { at: begun + (entries / 2) * STEP_MS, number: 0 }, from: begun },
    'a group of many': { kinds: kindsOf('sales') },
    'a group of few': { kinds: kindsOf('settings') },
    'a person': { person: ALEX.id },
    'a person and a group of few': { person: ALEX.id, kinds: kindsOf('data') },
    'a receipt': { subject: `N101010${String(entries >> 3).padStart(8, '0')}` },
  }
  function pageMs(more: Partial<EntryFilter>): number {
    const from = performance.now()
    let read = 0
    for (const _ of repository.entries({ ...everything, ...more }, PAGE)) {
      read += 1
      if (read === PAGE) break
    }
    return performance.now() - from
  }
  function appendUs(): number {
    const timed = (each: number): number => {
      const from = performance.now()
      transact((tx) => {
        for (let made = 0; made < each; made += 1)
          audit.record(tx, { kind: 'sale-held', actorId: ALEX.id, subject: 'S' })
      })
      return performance.now() - from
    }
    const one = timed(1)
    return ((timed(APPENDED) - one) / (APPENDED - 1)) * 1_000
  }

  return {
    async round(): Promise<AuditRound> {
      const pages = Object.fromEntries(Object.entries(filters).map(([name, more]) => [name, pageMs(more)]))
      let stalledMs = 0
      let last = performance.now()
      const watch = setInterval(() => {
        stalledMs = Math.max(stalledMs, performance.now() - last)
        last = performance.now()
      }, 1)
      const from = performance.now()
      const verdict = await verifyAuditInWorker(files, () => undefined).verdict
      const verifyMs = performance.now() - from
      clearInterval(watch)
      const appended = appendUs()
      mark.note(chain.end())
      return {
        verifyMs,
        stalledMs,
        entries: verdict.entries,
        intact: verdict.broken === null,
        pageMs: pages,
        appendUs: appended,
      }
    },
    end(): void {
      mark.close()
      db.close()
    },
  }
}
