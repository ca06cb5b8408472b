import { createHash, randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { systemClock } from '../../../../backend/core/clock.ts'
import { reserveLog } from '../../../../backend/core/db/log-reserve.ts'
import { openDatabase } from '../../../../backend/core/db/database.ts'
import { openHighWaterMark } from '../../../../backend/core/outbox/high-water.ts'
import { createSeal } from '../../../../backend/core/integrity/seal.ts'

/** Filling text as long as a REDEEM request with its response. */
const PADDING = 'y'.repeat(900)

/**
 * Opens the minimum that a redemption must write, to measure an upper limit for the journal’s throughput on this disk.
 * It makes two commits of one row each in a table without an index, for the sealed request and for the outcome, each
 * with a chained hash and the high-water mark. It sends nothing, checks nothing, has no states and cannot look up a
 * sale or idempotency key.
 */
export function openMinimum(folder: string, redemptions: number) {
  const db = openDatabase(path.join(folder, 'least.db'))
  reserveLog(db)
  db.exec(
    'CREATE TABLE entry (seq INTEGER PRIMARY KEY, key TEXT NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL, ' +
      'body BLOB NOT NULL, previous_hash BLOB NOT NULL, hash BLOB NOT NULL) STRICT',
  )
  const insert = db.prepare(
    'INSERT INTO entry (seq, key, at, state, body, previous_hash, hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const seal = createSeal(randomBytes(32))
  const mark = openHighWaterMark(path.join(folder, 'least.mark'), systemClock, seal)
  let tip = { seq: 0, hash: Buffer.alloc(32) }
  const append = db.transaction((key: string, state: string, body: Buffer): void => {
    const hash = createHash('sha256').update(tip.hash).update(body).digest()
    insert.run(tip.seq + 1, key, Date.now(), state, body, tip.hash, hash)
    tip = { seq: tip.seq + 1, hash }
  })
  const commit = (key: string, state: string, body: Buffer): void => {
    append.immediate(key, state, body)
    mark.note({
      seq: tip.seq,
      hash: tip.hash.toString('hex'),
      counter: 0,
      audit: { seq: 0, hash: tip.hash.toString('hex') },
    })
  }
  return {
    round(): { readonly ms: number } {
      const from = performance.now()
      for (let done = 0; done < redemptions; done += 1) {
        const key = randomUUID()
        commit(
          key,
          'intent',
          seal.seal(Buffer.from(JSON.stringify({ key, dateTime: new Date().toISOString(), padding: PADDING })), key),
        )
        commit(key, 'approved', Buffer.from(JSON.stringify({ key, responseCode: '0000' })))
      }
      return { ms: performance.now() - from }
    },
    close() {
      mark.close()
      db.close()
    },
  }
}
