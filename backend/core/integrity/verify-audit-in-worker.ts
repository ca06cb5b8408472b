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
  readonly verdict: Promise<AuditVerdict>
  stop(): void
}

/** Runs `verifyAudit` on a worker thread, because a long trail takes seconds. */
export function verifyAuditInWorker(files: AuditFiles, onProgress: (read: number) => void): VerificationUnderWay {
  const { result, stop } = runInWorker<AuditVerdict, number>(WORKER, files, { onProgress })
  return { verdict: result.catch(() => UNREAD), stop }
}
