import { parentPort, workerData } from 'node:worker_threads'
import { readReport, type ReportQuestion } from './read-report.ts'

const report = readReport(workerData as ReportQuestion, (read) => parentPort?.postMessage({ read }))
parentPort?.postMessage({ report })
