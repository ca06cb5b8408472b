import { statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  makeEdition,
  type EditionJob,
  type Imported,
  type ImportJob,
  type OnProgress,
  type RebuildJob,
} from './make-edition.ts'

/** TypeScript in the sources, JavaScript where it is built. */
const WORKER = join(import.meta.dirname, `edition-worker${extname(import.meta.filename)}`)

/** A smaller file is read sooner than a thread has begun. */
const AT_ONCE_BYTES = 64 * 1024
/** The same of what is sold: of a large catalog a short file takes nearly all out, and each item is looked at. */
const AT_ONCE_BASE_BYTES = 1024 * 1024

type Told = { readonly progress: Parameters<OnProgress>[0] } | { readonly made: Imported | undefined }

/**
 * `makeEdition` on a thread of its own, which takes its memory with it: a large file is read for seconds, in which the
 * lane sells on. `stop` ends it early, and then the promise is rejected, as when it fails.
 */
export function makeBeside(job: EditionJob, onProgress: OnProgress = () => undefined) {
  if (job.kind === 'import' && isSmall(job.csv, AT_ONCE_BYTES) && isSmall(job.base, AT_ONCE_BASE_BYTES))
    return { made: Promise.resolve().then(() => makeEdition(job)), stop: () => undefined }
  const worker = new Worker(WORKER, { workerData: job, execArgv: [] })
  const made = new Promise<Imported | undefined>((resolve, reject) => {
    worker.on('message', (told: Told) => {
      if ('progress' in told) onProgress(told.progress)
      else resolve(told.made)
    })
    worker.once('error', reject)
    // After a message or an error this changes nothing.
    worker.once('exit', (code) => {
      reject(new Error(`the thread ended with ${code}`))
    })
  })
  return { made, stop: () => void worker.terminate() }
}

export const importBeside = async (job: ImportJob): Promise<Imported> => {
  const made = await makeBeside(job).made
  if (made === undefined) throw new Error('an import answers what it has imported')
  return made
}

export const rebuildBeside = async (job: RebuildJob): Promise<void> => {
  await makeBeside(job).made
}

function isSmall(file: string | null, most: number): boolean {
  try {
    return file === null || statSync(file).size <= most
  } catch {
    // The reader has the words for a file that is not there.
    return true
  }
}
