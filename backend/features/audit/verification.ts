import type { AuditVerdict, AuditVerification } from '../../../contracts/api/audit.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { AuditFiles } from '../../integrity/verify-audit.ts'
import { verifyAuditBeside, type VerificationUnderWay } from '../../integrity/verify-audit-beside.ts'
import type { AuditEntry } from '../staff/audit.ts'

export interface VerificationOptions {
  readonly files: AuditFiles
  readonly clock: Clock
  /** How many entries there are. */
  readonly total: () => number
  /** Writes an entry of the audit trail. */
  readonly record: (entry: AuditEntry) => void
}

/** Reads the whole trail when a manager asks, one time after another; the result is kept until the next. */
export function createVerification({ files, clock, total, record }: VerificationOptions) {
  let underWay: VerificationUnderWay | null = null
  let stopped = false
  let last: AuditVerification = { state: 'never', read: 0, total: 0, verdict: null, endedAt: null }

  function ended(staffId: string, verdict: AuditVerdict): void {
    underWay = null
    if (stopped) return
    const { entries, broken } = verdict
    last = { state: 'done', read: entries, total: last.total, verdict, endedAt: isoOf(clock.now()) }
    record({
      kind: 'audit-verified',
      actorId: staffId,
      detail: { entries, ...(broken ? { cause: broken.cause, entry: broken.entry } : {}) },
    })
  }

  return {
    state: (): AuditVerification => last,
    /** Begins, unless one is under way. */
    start(staffId: string): AuditVerification {
      if (underWay || stopped) return last
      last = { ...last, state: 'running', read: 0, total: total() }
      underWay = verifyAuditBeside(files, (read) => {
        last = { ...last, read }
      })
      void underWay.verdict.then((verdict) => {
        ended(staffId, verdict)
      })
      return last
    },
    stop(): void {
      stopped = true
      underWay?.stop()
    },
  }
}
