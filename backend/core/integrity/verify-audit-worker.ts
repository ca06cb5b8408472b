import { answerInWorker } from '../worker.ts'
import { verifyAudit, type AuditFiles } from './verify-audit.ts'

await answerInWorker((files: AuditFiles, report: (read: number) => void) => verifyAudit(files, report))
