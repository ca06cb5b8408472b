import type { AuditKind } from '../../../contracts/audit-kinds.ts'
import type { Tx } from '../../db/transact.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { PrintJob } from './repository.ts'

export type TenderDocuments = ReturnType<typeof createTenderDocuments>
type Job = Pick<PrintJob, 'id' | 'documentId' | 'createdAt'>

const KIND = { asked: 'voucher-paper-asked', started: 'voucher-paper-started', failed: 'voucher-paper-failed' } as const
/** The trail goes by the wall clock: whoever sets it back a little hides nothing. */
const BEFORE_MS = 86_400_000

/**
 * Documents with the code of a voucher pay whoever holds them, and no digest covers the printer's queue (decision
 * 0038).
 * So the audit trail, which one does, says of each job that it was asked for, that it began, and where it provably
 * printed nothing: what was written into the queue past the program is not printed.
 */
export function createTenderDocuments(audit: Pick<AuditTrail, 'record' | 'about'>) {
  const record = (tx: Tx, kind: AuditKind, { id, documentId }: Pick<Job, 'id' | 'documentId'>): void => {
    audit.record(tx, { kind, actorId: null, subject: documentId, detail: { job: id } })
  }
  const told = (
    voucherId: string,
    since: number,
  ): { asked: Set<unknown>; started: Set<unknown>; failed: Set<unknown> } => {
    const entries = audit.about(voucherId, since - BEFORE_MS)
    const jobs = (kind: string): Set<unknown> =>
      new Set(entries.filter((entry) => entry.kind === kind).map(({ detail }) => detail['job']))
    return { asked: jobs(KIND.asked), started: jobs(KIND.started), failed: jobs(KIND.failed) }
  }
  return {
    asked: (tx: Tx, job: Pick<Job, 'id' | 'documentId'>): void => {
      record(tx, KIND.asked, job)
    },
    /** True once for each job that was asked for: it begins. */
    begin(tx: Tx, job: Job): boolean {
      const { asked, started } = told(job.documentId, job.createdAt)
      if (!asked.has(job.id) || started.has(job.id)) return false
      record(tx, KIND.started, job)
      return true
    },
    printedNothing: (tx: Tx, job: Pick<Job, 'id' | 'documentId'>): void => {
      record(tx, KIND.failed, job)
    },
    /** Whether a paper of this voucher began and is not known to have failed. */
    mayBeOut(voucherId: string, issuedAt: number): boolean {
      const { started, failed } = told(voucherId, issuedAt)
      return [...started].some((job) => !failed.has(job))
    },
  }
}
