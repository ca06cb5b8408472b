import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { unsound, type IntegrityCheck } from './integrity-check.ts'

/** TypeScript in the sources, JavaScript where it is built. */
const WORKER = join(import.meta.dirname, `examine-worker${extname(import.meta.filename)}`)

/**
 * What a thread of its own is to read: a copy that nothing else has open, or the database that the terminal works with.
 */
export interface Examination {
  readonly file: string
  readonly masterKey: Uint8Array
  readonly inUse: boolean
  /** Of a copy: the mark (journal.mark) of the database that it is of, with which it is compared. */
  readonly markFile?: string
}

/**
 * `examineCopy` or `examineInUse` on a thread of its own: a long journal is read for seconds, in which the lane must go
 * on. Never rejects.
 */
export function examineBeside(what: Examination): Promise<IntegrityCheck> {
  return new Promise((resolve) => {
    const unread = (why: string): void => {
      resolve(unsound(`it could not be examined: ${why}`))
    }
    const worker = new Worker(WORKER, { workerData: what, execArgv: [] })
    worker.once('message', (found: IntegrityCheck) => {
      resolve(found)
    })
    worker.once('error', (error) => {
      unread(error instanceof Error ? error.message : String(error))
    })
    // After a message or an error this changes nothing.
    worker.once('exit', (code) => {
      unread(`the thread ended with ${code}`)
    })
  })
}
