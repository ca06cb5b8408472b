import { readMigrations } from '../db/migrate.ts'
import type { Postgres, Querying } from '../db/postgres.ts'

export const ENROLMENT_TABLES = readMigrations('enrolment')

export interface StoredCode {
  readonly id: string
  readonly store: string
  readonly lane: string
  readonly madeAt: number
  readonly expiresAt: number
  /** SHA-256 of the proof that the lane sends for its enrolment code. */
  readonly proofHash: Buffer
  readonly tokenHash: Buffer
  /** Payload encrypted with the enrolment code; null after exchange or revocation, and some time after expiry. */
  readonly sealed: Buffer | null
  readonly revokedAt: number | null
  readonly exchangedAt: number | null
  readonly laneKey: string | null
  /** Answer sealed to the lane's key, stored while the lane may request it again. */
  readonly answer: Buffer | null
  readonly confirmedAt: number | null
}

export interface ListedCode extends StoredCode {
  readonly wrong: number
  /**
   * When the device token that the lane got for this code was revoked or replaced; null if the token is valid, or the
   * code was not used.
   */
  readonly tokenEndedAt: number | null
}

/** Wrong attempts for the public part of a code, whether or not the code exists. */
export interface Tries {
  readonly wrong: number
  readonly last: number
}

export interface Device {
  readonly tokenHash: Buffer
  readonly store: string
  readonly lane: string
  /** Public key by which the store server authenticates the lane. */
  readonly laneKey: string
  readonly codeId: string
  readonly since: number
  readonly revokedAt: number | null
}

export interface CodeChange {
  readonly wrong?: number
  readonly code?: Partial<Pick<StoredCode, 'sealed' | 'exchangedAt' | 'laneKey' | 'answer' | 'confirmedAt'>>
  /** New device token, which replaces all other tokens of its store and lane. */
  readonly device?: Device
}

const CODE = `id, store, lane, made_at AS "madeAt", expires_at AS "expiresAt", proof_hash AS "proofHash",
  token_hash AS "tokenHash", sealed, revoked_at AS "revokedAt", exchanged_at AS "exchangedAt", lane_key AS "laneKey",
  answer, confirmed_at AS "confirmedAt"`
const DEVICE = `token_hash AS "tokenHash", store, lane, lane_key AS "laneKey", code_id AS "codeId", since,
  revoked_at AS "revokedAt"`
const WAITING = 'exchanged_at IS NULL AND revoked_at IS NULL'
const OF_LANE = 'store = $2 AND ($3::text IS NULL OR lane = $3)'

/**
 * Lock for CLI commands that create or revoke codes. They are exclusive; attempts on different codes run in parallel,
 * attempts on one code in sequence.
 */
const EXCLUSIVE = "SELECT pg_advisory_xact_lock(hashtextextended('enrolment', 0))"
const SHARED = "SELECT pg_advisory_xact_lock_shared(hashtextextended('enrolment', 0))"
const LOCK_CODE = "SELECT pg_advisory_xact_lock(hashtextextended('enrolment code ' || $1, 0))"

const FIND = `SELECT ${CODE} FROM enrolment_code WHERE id = $1 FOR UPDATE`
const TRIES = 'SELECT wrong, last FROM enrolment_try WHERE code_id = $1'
const COUNT = `INSERT INTO enrolment_try (code_id, wrong, last) VALUES ($1, $2, $3)
  ON CONFLICT (code_id) DO UPDATE SET wrong = excluded.wrong, last = excluded.last`
const UPDATE = `UPDATE enrolment_code SET sealed = $2, exchanged_at = $3, lane_key = $4, answer = $5, confirmed_at = $6
  WHERE id = $1`
const ALL = `SELECT ${CODE}, coalesce((SELECT wrong FROM enrolment_try WHERE code_id = id), 0) AS wrong,
    (SELECT device.revoked_at FROM device WHERE device.code_id = enrolment_code.id) AS "tokenEndedAt"
  FROM enrolment_code ORDER BY store COLLATE "C", lane COLLATE "C", made_at DESC, id COLLATE "C"`
const REVOKE = `UPDATE enrolment_code SET revoked_at = $1, sealed = NULL WHERE ${WAITING} AND ${OF_LANE}`
const REVOKE_DEVICES = `UPDATE device SET revoked_at = $1 WHERE revoked_at IS NULL AND ${OF_LANE}`
const ADD_DEVICE = `INSERT INTO device (token_hash, store, lane, lane_key, code_id, since)
  VALUES ($1, $2, $3, $4, $5, $6)`
const FIND_DEVICE = `SELECT ${DEVICE} FROM device WHERE token_hash = $1`
// Revokes the codes of all lanes in one statement, because there may be thousands.
const REVOKE_ALL = `UPDATE enrolment_code SET revoked_at = made.at, sealed = NULL
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS made (store, lane, at)
  WHERE ${WAITING} AND enrolment_code.store = made.store AND enrolment_code.lane = made.lane`
const INSERT_ALL = `INSERT INTO enrolment_code
    (id, store, lane, made_at, expires_at, proof_hash, token_hash, sealed)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[],
    $8::bytea[])`
const DROP_PAYLOADS = 'UPDATE enrolment_code SET sealed = NULL WHERE sealed IS NOT NULL AND expires_at <= $1'
const DROP_ANSWERS = 'UPDATE enrolment_code SET answer = NULL WHERE answer IS NOT NULL AND exchanged_at <= $1'
const DROP_ANSWERS_OF = `UPDATE enrolment_code SET answer = NULL
  WHERE answer IS NOT NULL AND store = $1 AND ($2::text IS NULL OR lane = $2)`
// Deletes old counts of wrong attempts on codes that do not exist. The counts of existing codes stay, because the
// owner's list of codes shows them.
const DROP_TRIES = `DELETE FROM enrolment_try
  WHERE last <= $1 AND NOT EXISTS (SELECT 1 FROM enrolment_code WHERE id = code_id)`

interface LaneOrStore {
  readonly store: string
  /** Lane number; null means every lane of the store. */
  readonly lane: string | null
}

/**
 * Runs work under the exclusive lock: no other CLI command or server creates, revokes or exchanges codes until it ends.
 */
export const alone = <Result>(db: Postgres, work: (tx: Querying) => Promise<Result>): Promise<Result> =>
  db.transaction(async (tx) => {
    await tx.query(EXCLUSIVE)
    return await work(tx)
  })

/** Adds enrolment codes, and revokes unused codes of the same lanes. Rejects when an id exists. */
export const addCodes = (db: Postgres, codes: readonly StoredCode[]): Promise<void> =>
  alone(db, async (tx) => {
    const column = <Name extends keyof StoredCode>(name: Name) => codes.map((code) => code[name])
    await tx.query(REVOKE_ALL, [column('store'), column('lane'), column('madeAt')])
    const texts = [column('id'), column('store'), column('lane')]
    const times = [column('madeAt'), column('expiresAt')]
    await tx.query(INSERT_ALL, [...texts, ...times, column('proofHash'), column('tokenHash'), column('sealed')])
  })

/**
 * Reads an enrolment code, decides, and writes the change in one transaction, so that concurrent attempts are all
 * counted.
 */
export const decideCode = <Outcome>(
  db: Postgres,
  id: string,
  at: number,
  decision: (code: StoredCode | null, tries: Tries) => { readonly change: CodeChange; readonly outcome: Outcome },
): Promise<Outcome> =>
  db.transaction(async (tx) => {
    await tx.query(SHARED)
    await tx.query(LOCK_CODE, [id])
    const code = (await tx.query<StoredCode>(FIND, [id])).rows[0] ?? null
    const tries = (await tx.query<Tries>(TRIES, [id])).rows[0] ?? { wrong: 0, last: 0 }
    const { change, outcome } = decision(code, tries)
    await write(tx, id, at, code, change)
    return outcome
  })

export const listCodes = async (db: Querying): Promise<readonly ListedCode[]> => (await db.query<ListedCode>(ALL)).rows

/** Revokes unused enrolment codes and deletes their payloads. Returns the number of revoked codes. */
export const revokeCodes = (db: Postgres, { store, lane }: LaneOrStore, at: number): Promise<number> =>
  alone(db, async (tx) => (await tx.query(REVOKE, [at, store, lane])).count)

export const revokeDevices = (db: Postgres, { store, lane }: LaneOrStore, at: number): Promise<number> =>
  alone(db, async (tx) => {
    await tx.query(DROP_ANSWERS_OF, [store, lane])
    return (await tx.query(REVOKE_DEVICES, [at, store, lane])).count
  })

export const findDevice = async (db: Querying, tokenHash: Buffer): Promise<Device | null> =>
  (await db.query<Device>(FIND_DEVICE, [tokenHash])).rows[0] ?? null

/**
 * Deletes payloads expired before `expiredBefore`, answers from before `answersBefore`, and wrong attempts on unknown
 * codes from before `triesBefore`.
 */
export const sweepCodes = (
  db: Postgres,
  expiredBefore: number,
  answersBefore: number,
  triesBefore: number,
): Promise<void> =>
  alone(db, async (tx) => {
    await tx.query(DROP_PAYLOADS, [expiredBefore])
    await tx.query(DROP_ANSWERS, [answersBefore])
    await tx.query(DROP_TRIES, [triesBefore])
  })

async function write(
  tx: Querying,
  id: string,
  at: number,
  code: StoredCode | null,
  { wrong, code: change, device }: CodeChange,
): Promise<void> {
  if (wrong !== undefined) await tx.query(COUNT, [id, wrong, at])
  if (change !== undefined && code !== null) {
    const { sealed, exchangedAt, laneKey, answer, confirmedAt } = { ...code, ...change }
    await tx.query(UPDATE, [id, sealed, exchangedAt, laneKey, answer, confirmedAt])
  }
  if (device === undefined) return
  const { tokenHash, store, lane, laneKey, codeId, since } = device
  await tx.query(REVOKE_DEVICES, [at, store, lane])
  await tx.query(ADD_DEVICE, [tokenHash, store, lane, laneKey, codeId, since])
}
