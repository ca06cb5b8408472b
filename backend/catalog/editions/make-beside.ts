import { statSync } from 'node:fs'
import { runInWorker, workerFile } from '../../core/worker.ts'
import {
  makeEdition,
  type Copied,
  type CopyJob,
  type EditionJob,
  type Imported,
  type ImportJob,
  type OnProgress,
  type RebuildJob,
} from './make-edition.ts'

const WORKER = workerFile(import.meta.filename, 'edition-worker')

/** A smaller file is read sooner than a thread has begun. */
const AT_ONCE_BYTES = 64 * 1024
/** The same of what is sold: of a large catalog a short file takes nearly all out, and each item is looked at. */
const AT_ONCE_BASE_BYTES = 1024 * 1024

/** `makeEdition` on a worker thread: the memory that a large file needs is released with it. */
const beside = <Made>(job: EditionJob, onProgress: OnProgress = () => undefined) =>
  runInWorker<Made, Parameters<OnProgress>[0]>(WORKER, job, { onProgress })

/** An import, on a thread of its own where it is not small. */
export function makeBeside(job: ImportJob, onProgress: OnProgress = () => undefined) {
  if (isSmall(job.csv, AT_ONCE_BYTES) && isSmall(job.base, AT_ONCE_BASE_BYTES))
    return { result: Promise.resolve().then(() => importHere(job)), stop: () => undefined }
  return beside<Imported>(job, onProgress)
}

function importHere(job: ImportJob): Imported {
  const made = makeEdition(job)
  if (made === undefined || !('counts' in made || 'errors' in made))
    throw new Error('an import answers what it has imported')
  return made
}

export const importBeside = (job: ImportJob): Promise<Imported> => makeBeside(job).result

/** `signal` ends it early, and then it rejects. */
export async function rebuildBeside(job: RebuildJob, signal?: AbortSignal): Promise<void> {
  const { result, stop } = beside<undefined>(job)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    await result
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** A source of so many bytes is some hundred items: they are made sooner than a thread has begun. */
const AT_ONCE_SOURCE_BYTES = 8 * 1024

/** The same for a source of so many bytes: here and at once where it is small. */
export const rebuildSized = (job: RebuildJob, bytes: number, signal: AbortSignal): Promise<void> =>
  bytes <= AT_ONCE_SOURCE_BYTES ? Promise.resolve(void makeEdition(job)) : rebuildBeside(job, signal)

export const copyBeside = (job: CopyJob): Promise<Copied> => beside<Copied>(job).result

function isSmall(file: string | null, most: number): boolean {
  try {
    return file === null || statSync(file).size <= most
  } catch {
    // The reader has the words for a file that is not there.
    return true
  }
}
