import { parentPort, workerData } from 'node:worker_threads'
import { verifyAudit, type AuditFiles } from './verify-audit.ts'

const verdict = verifyAudit(workerData as AuditFiles, (read) => parentPort?.postMessage({ read }))
parentPort?.postMessage({ verdict })
