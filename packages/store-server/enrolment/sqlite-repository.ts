import { readFileSync } from 'node:fs'
import { migrate, type Db } from '../db/open.ts'
import type { CodeChange, Device, EnrolmentRepository, ListedCode, StoredCode, Tries } from './repository.ts'

const SCHEMAS = ['./schema.sql'] as const

const CODE = `id, store, lane, made_at AS madeAt, expires_at AS expiresAt, proof_hash AS proofHash,
  token_hash AS tokenHash, sealed, revoked_at AS revokedAt, exchanged_at AS exchangedAt, lane_key AS laneKey,
  answer, confirmed_at AS confirmedAt`
const DEVICE = `token_hash AS tokenHash, store, lane, lane_key AS laneKey, code_id AS codeId, since,
  revoked_at AS revokedAt`
const OF_LANE = 'store = @store AND (@lane IS NULL OR lane = @lane)'
const WAITING = 'exchanged_at IS NULL AND revoked_at IS NULL'

/** The repository on SQLite: one writer at a time, also where the command that makes codes runs beside the server. */
export function createSqliteRepository(db: Db): EnrolmentRepository {
  migrate(
    db,
    'enrolment',
    SCHEMAS.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')),
  )
  // It may have been killed between a change and this.
  let isLogEmpty = emptyLog(db)
  const insert = db.prepare(
    `INSERT INTO enrolment_code
       (id, store, lane, made_at, expires_at, proof_hash, token_hash, sealed)
     VALUES (@id, @store, @lane, @madeAt, @expiresAt, @proofHash, @tokenHash, @sealed)`,
  )
  const find = db.prepare<[string], StoredCode>(`SELECT ${CODE} FROM enrolment_code WHERE id = ?`)
  const tries = db.prepare<[string], Tries>('SELECT wrong, last FROM enrolment_try WHERE code_id = ?')
  const count = db.prepare(
    `INSERT INTO enrolment_try (code_id, wrong, last) VALUES (?, ?, ?)
     ON CONFLICT (code_id) DO UPDATE SET wrong = excluded.wrong, last = excluded.last`,
  )
  const update = db.prepare(
    `UPDATE enrolment_code SET sealed = @sealed, exchanged_at = @exchangedAt, lane_key = @laneKey,
       answer = @answer, confirmed_at = @confirmedAt WHERE id = @id`,
  )
  const all = db.prepare<[], ListedCode>(
    `SELECT ${CODE}, coalesce((SELECT wrong FROM enrolment_try WHERE code_id = id), 0) AS wrong,
       (SELECT device.revoked_at FROM device WHERE device.code_id = enrolment_code.id) AS tokenEndedAt
     FROM enrolment_code ORDER BY store, lane, made_at DESC, id`,
  )
  const revoke = db.prepare(`UPDATE enrolment_code SET revoked_at = @at, sealed = NULL WHERE ${WAITING} AND ${OF_LANE}`)
  const revokeDevices = db.prepare(`UPDATE device SET revoked_at = @at WHERE revoked_at IS NULL AND ${OF_LANE}`)
  const addDevice = db.prepare(
    `INSERT INTO device (token_hash, store, lane, lane_key, code_id, since)
     VALUES (@tokenHash, @store, @lane, @laneKey, @codeId, @since)`,
  )
  const device = db.prepare<[Buffer], Device>(`SELECT ${DEVICE} FROM device WHERE token_hash = ?`)
  const dropAnswersOf = db.prepare(`UPDATE enrolment_code SET answer = NULL WHERE answer IS NOT NULL AND ${OF_LANE}`)
  const dropPayloads = db.prepare(
    'UPDATE enrolment_code SET sealed = NULL WHERE sealed IS NOT NULL AND expires_at <= ?',
  )
  const dropAnswers = db.prepare(
    'UPDATE enrolment_code SET answer = NULL WHERE answer IS NOT NULL AND exchanged_at <= ?',
  )
  // Of a code that is still listed the owner reads the count.
  const dropTries = db.prepare(
    'DELETE FROM enrolment_try WHERE last <= ? AND NOT EXISTS (SELECT 1 FROM enrolment_code WHERE id = code_id)',
  )

  function write(id: string, at: number, code: StoredCode | null, { wrong, code: part, device: enrolled }: CodeChange) {
    if (wrong !== undefined) count.run(id, wrong, at)
    if (part !== undefined && code !== null) update.run({ ...code, ...part })
    if (enrolled === undefined) return
    revokeDevices.run({ store: enrolled.store, lane: enrolled.lane, at })
    addDevice.run(enrolled)
  }

  /** Whoever writes begins so: a reader that writes later would be told that it is too late. */
  const whole = <Result>(work: () => Result): Promise<Result> =>
    new Promise((resolve) => {
      resolve(db.transaction(work).immediate())
    })

  /** The same where rows lose what they hold: nothing of it is left in the log either. */
  const forgetting = async <Result>(work: () => Result): Promise<Result> => {
    const before = db.prepare<[], number>('SELECT total_changes()').pluck()
    const changes = before.get()
    const result = await whole(work)
    if (!isLogEmpty || before.get() !== changes) isLogEmpty = emptyLog(db)
    return result
  }

  return {
    add: (codes) =>
      forgetting(() => {
        for (const { store, lane, madeAt } of codes) revoke.run({ store, lane, at: madeAt })
        for (const code of codes) insert.run(code)
      }),
    decide: (id, at, decision) =>
      forgetting(() => {
        const code = find.get(id) ?? null
        const { change, outcome } = decision(code, tries.get(id) ?? { wrong: 0, last: 0 })
        write(id, at, code, change)
        return outcome
      }),
    list: () => whole(() => all.all()),
    revoke: (which, at) => forgetting(() => revoke.run({ ...which, at }).changes),
    revokeDevices: (which, at) =>
      forgetting(() => {
        dropAnswersOf.run(which)
        return revokeDevices.run({ ...which, at }).changes
      }),
    device: (tokenHash) => whole(() => device.get(tokenHash) ?? null),
    sweep: (expiredBefore, answersBefore, triesBefore) =>
      forgetting(() => {
        dropPayloads.run(expiredBefore)
        dropAnswers.run(answersBefore)
        dropTries.run(triesBefore)
      }),
  }
}

/**
 * SQLite’s log keeps pages as they were until something is written over them. Answers whether it is empty now: nobody
 * waits for a program that reads just then (a backup), or for a full disk.
 */
function emptyLog(db: Db): boolean {
  const patience: unknown = db.pragma('busy_timeout', { simple: true })
  try {
    db.pragma('busy_timeout = 0')
    return db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0
  } catch {
    // What was decided is on the disk.
    return false
  } finally {
    db.pragma(`busy_timeout = ${Number(patience)}`)
  }
}
