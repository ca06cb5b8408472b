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

/**
 * Maximum size in bytes of a catalog file that is imported without a worker: reading it is faster than starting one.
 */
const AT_ONCE_BYTES = 64 * 1024
/**
 * Maximum size of the edition in use for an import without a worker: a short file may remove most items of a large
 * catalog, and each removed item is compared.
 */
const AT_ONCE_BASE_BYTES = 1024 * 1024

/** Runs `makeEdition` in a worker, whose memory is freed when it ends. */
const runJob = <Made>(job: EditionJob, onProgress: OnProgress = () => undefined) =>
  runInWorker<Made, Parameters<OnProgress>[0]>(WORKER, job, { onProgress })

/** Imports a catalog file: in a worker, or on this thread if the files to read are small. */
export function startImport(job: ImportJob, onProgress: OnProgress = () => undefined) {
  if (isSmall(job.csv, AT_ONCE_BYTES) && isSmall(job.base, AT_ONCE_BASE_BYTES))
    return { result: Promise.resolve().then(() => importHere(job)), stop: () => undefined }
  return runJob<Imported>(job, onProgress)
}

function importHere(job: ImportJob): Imported {
  const made = makeEdition(job)
  if (made === undefined || !('counts' in made || 'errors' in made)) throw new Error('unexpected answer to an import')
  return made
}

export const importInWorker = (job: ImportJob): Promise<Imported> => startImport(job).result

/** Rebuilds the file of an edition in a worker. Rejects when `signal` stops the worker. */
export async function rebuildInWorker(job: RebuildJob, signal?: AbortSignal): Promise<void> {
  const { result, stop } = runJob<undefined>(job)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    await result
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/**
 * Maximum size in bytes of a source that is rebuilt without a worker: some hundred items, which takes less time than
 * starting one.
 */
const AT_ONCE_SOURCE_BYTES = 8 * 1024

/** Rebuilds the file of an edition: from a small source on this thread, otherwise in a worker. */
export const rebuildSized = (job: RebuildJob, bytes: number, signal: AbortSignal): Promise<void> =>
  bytes <= AT_ONCE_SOURCE_BYTES ? Promise.resolve(void makeEdition(job)) : rebuildInWorker(job, signal)

export const copyInWorker = (job: CopyJob): Promise<Copied> => runJob<Copied>(job).result

function isSmall(file: string | null, most: number): boolean {
  try {
    return file === null || statSync(file).size <= most
  } catch {
    // A missing file counts as small: the import that reads it reports the error.
    return true
  }
}
