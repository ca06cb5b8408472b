import path from 'node:path'
import Database from 'better-sqlite3'
import { better, defineQueue, type Logger } from 'plainjob'

/**
 * The queue library plainjob, for comparison, on the same disk with the same durability: it sets `synchronous=NORMAL`
 * itself, so FULL is set afterwards and verified.
 */
export interface Peer {
  round(jobs: number, data: unknown): number
  close(): void
}

const quiet: Logger = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined }

export function openPeer(folder: string): Peer {
  const db = new Database(path.join(folder, 'plainjob.db'))
  const queue = defineQueue({ connection: better(db), logger: quiet })
  db.pragma('synchronous = FULL')
  if (db.pragma('synchronous', { simple: true }) !== 2 || db.pragma('journal_mode', { simple: true }) !== 'wal')
    throw new Error('plainjob could not be set to WAL and FULL')
  return {
    round(jobs, data) {
      const from = performance.now()
      for (let added = 0; added < jobs; added += 1) queue.add('issue', data)
      for (let done = 0; done < jobs; done += 1) {
        const job = queue.getAndMarkJobAsProcessing('issue')
        if (!job) throw new Error('plainjob has lost a job')
        queue.markJobAsDone(job.id)
      }
      return performance.now() - from
    },
    close: () => {
      queue.close()
    },
  }
}
