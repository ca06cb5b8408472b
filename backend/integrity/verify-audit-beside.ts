import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { AuditVerdict } from '../../contracts/api/audit.ts'
import type { AuditFiles } from './verify-audit.ts'

/** TypeScript in the sources, JavaScript where it is built. */
const WORKER = join(import.meta.dirname, `verify-audit-worker${extname(import.meta.filename)}`)

type Word = { readonly read: number } | { readonly verdict: AuditVerdict }

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

/** `verifyAudit` on a thread of its own: a long trail is read for seconds, in which the lane must go on. */
export function verifyAuditBeside(files: AuditFiles, onProgress: (read: number) => void): VerificationUnderWay {
  const worker = new Worker(WORKER, { workerData: files, execArgv: [] })
  return {
    verdict: new Promise((resolve) => {
      worker.on('message', (word: Word) => {
        if ('read' in word) onProgress(word.read)
        else resolve(word.verdict)
      })
      worker.once('error', () => {
        resolve(UNREAD)
      })
      // After a verdict or an error this changes nothing.
      worker.once('exit', () => {
        resolve(UNREAD)
      })
    }),
    stop: () => {
      void worker.terminate()
    },
  }
}
