import { createHash, randomBytes, randomUUID } from 'node:crypto'
import path from 'node:path'
import { systemClock } from '../../../../backend/core/clock.ts'
import { reserveLog } from '../../../../backend/core/db/log-reserve.ts'
import { openDatabase } from '../../../../backend/core/db/database.ts'
import { openHighWaterMark } from '../../../../backend/core/outbox/high-water.ts'
import { createSeal } from '../../../../backend/core/integrity/seal.ts'

/** About as long as a REDEEM and its answer. */
const PADDING = 'y'.repeat(900)

/**
 * The least that a redemption must write: where a journal's pace ends on this disk, however it is built. Two commits,
 * each of one row in one table without an index: the sealed bytes of the request under their key, and what became of
 * it; each with its link of the chain, and the mark outside after it. It asks nobody, checks nothing, cannot find a
 * sale or a key again, and knows no states: what it lacks of the pace of bare commits no other journal can win back.
 */
export function openLeast(folder: string, redemptions: number) {
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
