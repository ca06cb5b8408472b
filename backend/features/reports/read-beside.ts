import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Report } from '../../../contracts/api/reports.ts'
import type { ReportQuestion } from './read-report.ts'

/** TypeScript in the sources, JavaScript where it is built. */
const WORKER = join(import.meta.dirname, `report-worker${extname(import.meta.filename)}`)

type Word = { readonly read: number } | { readonly report: Report }

export interface ReadingUnderWay {
  /** Rejects where it could not be read, and where it was stopped. */
  readonly report: Promise<Report>
  stop(): void
}

/**
 * `readReport` on a thread of its own, with a connection that only reads: the lane sells on, and what the thread held
 * goes with it.
 */
export function readReportBeside(question: ReportQuestion, onProgress: (read: number) => void): ReadingUnderWay {
  const worker = new Worker(WORKER, { workerData: question, execArgv: [] })
  return {
    report: new Promise((resolve, reject) => {
      worker.on('message', (word: Word) => {
        if ('read' in word) onProgress(word.read)
        else resolve(word.report)
      })
      worker.once('error', reject)
      // After a report or an error this changes nothing.
      worker.once('exit', () => {
        reject(new Error('the thread of the report ended without one'))
      })
    }),
    stop: () => {
      void worker.terminate()
    },
  }
}
