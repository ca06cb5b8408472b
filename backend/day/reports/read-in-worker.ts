import type { Report } from '../../../contracts/day/reports.ts'
import { runInWorker, workerFile } from '../../core/worker.ts'
import type { ReportQuestion } from './read-report.ts'

const WORKER = workerFile(import.meta.filename, 'report-worker')

export interface ReadingUnderWay {
  readonly report: Promise<Report>
  stop(): void
}

/** Runs `readReport` in a worker with a read-only connection, while the lane works on. */
export function readReportInWorker(question: ReportQuestion, onProgress: (read: number) => void): ReadingUnderWay {
  const { result, stop } = runInWorker<Report, number>(WORKER, question, { onProgress })
  return { report: result, stop }
}
