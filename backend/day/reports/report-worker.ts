import { answerInWorker } from '../../core/worker.ts'
import { readReport, type ReportQuestion } from './read-report.ts'

await answerInWorker((question: ReportQuestion, report: (read: number) => void) => readReport(question, report))
