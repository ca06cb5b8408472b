import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CopyOrder, CopyOutcome } from './copy-away.ts'
import type { PreviewFiles, PreviewFound } from './restore-preview.ts'

/** TypeScript in the sources, JavaScript where it is built. */
const WORKER = join(import.meta.dirname, `backup-worker${extname(import.meta.filename)}`)

export type BackupTask =
  | { readonly kind: 'copy'; readonly order: CopyOrder }
  | { readonly kind: 'preview'; readonly files: PreviewFiles }

/** On a thread of its own, so that neither a slow stick nor a year of sales holds up the lane. Never reject. */
export const copyBeside = (order: CopyOrder): Promise<CopyOutcome> =>
  beside<CopyOutcome>({ kind: 'copy', order }, (detail) => ({ state: 'failed', detail }))

export const previewBeside = (files: PreviewFiles): Promise<PreviewFound | { readonly failed: string }> =>
  beside<PreviewFound | { readonly failed: string }>({ kind: 'preview', files }, (failed) => ({ failed }))

function beside<Answer>(task: BackupTask, unanswered: (why: string) => Answer): Promise<Answer> {
  return new Promise((resolve) => {
    const worker = new Worker(WORKER, { workerData: task, execArgv: [] })
    worker.once('message', resolve)
    worker.once('error', (error) => {
      resolve(unanswered(error instanceof Error ? error.message : String(error)))
    })
    // After a message or an error this changes nothing.
    worker.once('exit', (code) => {
      resolve(unanswered(`the thread ended with ${code}`))
    })
  })
}
