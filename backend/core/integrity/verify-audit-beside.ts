import type { AuditVerdict } from '../../../contracts/staff/audit.ts'
import { runInWorker, workerFile } from '../worker.ts'
import type { AuditFiles } from './verify-audit.ts'

const WORKER = workerFile(import.meta.filename, 'verify-audit-worker')

const UNREAD: AuditVerdict = {
  entries: 0,
  newestAt: null,
  broken: { cause: 'unreadable', entry: null, intact: null },
  zReports: 0,
  seconds: 0,
}

export interface VerificationUnderWay {
  /** Never rejects. */
  readonly verdict: Promise<AuditVerdict>
  /** Gives it up; the verdict then says that the trail could not be read. */
  stop(): void
}

/** `verifyAudit` on a worker thread: a long trail takes seconds. */
export function verifyAuditBeside(files: AuditFiles, onProgress: (read: number) => void): VerificationUnderWay {
  const { result, stop } = runInWorker<AuditVerdict, number>(WORKER, files, { onProgress })
  return { verdict: result.catch(() => UNREAD), stop }
}
