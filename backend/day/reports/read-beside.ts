import type { Report } from '../../../contracts/day/reports.ts'
import { runInWorker, workerFile } from '../../core/worker.ts'
import type { ReportQuestion } from './read-report.ts'

const WORKER = workerFile(import.meta.filename, 'report-worker')

export interface ReadingUnderWay {
  /** Rejects where it could not be read, and where it was stopped. */
  readonly report: Promise<Report>
  stop(): void
}

/** `readReport` on a worker thread, with a connection that only reads: the lane goes on selling. */
export function readReportBeside(question: ReportQuestion, onProgress: (read: number) => void): ReadingUnderWay {
  const { result, stop } = runInWorker<Report, number>(WORKER, question, { onProgress })
  return { report: result, stop }
}
