import { createHash } from 'node:crypto'
import type { Db } from '../db/database.ts'
import PQueue from 'p-queue'

export interface StoredAnswer {
  readonly fingerprint: string
  readonly status: number
  readonly body: Buffer
}

/** Stores answers by idempotency key, to repeat them byte for byte (specification 3 §4.1). */
export function createStoredAnswers(db: Db) {
  const read = db.prepare<[string, string], { fingerprint: string; status: number; body: Buffer }>(
    'SELECT fingerprint, status, body FROM stored_answer WHERE client_id = ? AND key = ?',
  )
  const write = db.prepare(
    'INSERT INTO stored_answer (client_id, key, fingerprint, status, body, at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const forget = db.prepare('DELETE FROM stored_answer WHERE client_id = ? AND key = ?')
  return {
    find: (clientId: string, key: string): StoredAnswer | undefined => read.get(clientId, key),
    /** Stores an answer. Must run in the transaction of the effect. `at` is in epoch milliseconds. */
    save(clientId: string, key: string, answer: StoredAnswer, at: number): void {
      write.run(clientId, key, answer.fingerprint, answer.status, answer.body, at)
    },
    /** Deletes the answer of a cancelled redemption, so that the identical request redeems again. */
    forget(clientId: string, key: string): void {
      forget.run(clientId, key)
    },
  }
}

export const fingerprintOf = (path: string, body: Buffer): string =>
  createHash('sha256').update(path).update('\n').update(body).digest('hex')

/**
 * Returns the key under which an answer is stored; undefined if repeats are not checked. Without the header, repeats
 * are recognized by identical content. Content keys have a prefix that no header can produce (specification 3 §4.1).
 */
export function repetitionKey(
  repeats: 'key-or-content' | 'key' | 'content' | 'none',
  header: string | undefined,
  fingerprint: string,
): string | undefined {
  if (header !== undefined) return `key:${header}`
  return repeats === 'content' || repeats === 'key-or-content' ? `content:${fingerprint}` : undefined
}

/** Runs work with the same name one after another, in order of arrival. */
export interface KeyedMutex {
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

export function createKeyedMutex(): KeyedMutex {
  const queues = new Map<string, PQueue>()
  return {
    run(name, work) {
      let queue = queues.get(name)
      if (!queue) {
        queue = new PQueue({ concurrency: 1 })
        queue.addEventListener('idle', () => queues.delete(name))
        queues.set(name, queue)
      }
      return queue.add(work)
    },
  }
}
