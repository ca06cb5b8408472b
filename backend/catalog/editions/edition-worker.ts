import { answerInWorker } from '../../core/worker.ts'
import { makeEdition, type EditionJob, type OnProgress } from './make-edition.ts'

/** Milliseconds between two reports of progress. */
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
