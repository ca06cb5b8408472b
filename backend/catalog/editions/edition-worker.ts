import { answerInWorker } from '../../core/worker.ts'
import { makeEdition, type EditionJob, type OnProgress } from './make-edition.ts'

/** Interval in milliseconds between two progress reports of the worker. */
const REPORT_EVERY_MS = 200

let reportedAt = 0
await answerInWorker<EditionJob, unknown, Parameters<OnProgress>[0]>((job, report) =>
  makeEdition(job, (progress) => {
    const now = performance.now()
    if (now - reportedAt < REPORT_EVERY_MS) return
    reportedAt = now
    report(progress)
  }),
)
