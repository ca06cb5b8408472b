import { readMigrations } from '../db/migrate.ts'
import type { Postgres, Querying } from '../db/postgres.ts'

export const ENROLMENT_TABLES = readMigrations('enrolment')

/** One code, as the service keeps it. Times are epoch milliseconds. */
export interface StoredCode {
  /** Public part of the code. */
  readonly id: string
  readonly store: string
  readonly lane: string
  readonly madeAt: number
  readonly expiresAt: number
  /** SHA-256 of the proof that the lane shows. */
  readonly proofHash: Buffer
  /** SHA-256 of the device token that is in the payload. */
  readonly tokenHash: Buffer
  /** The payload, sealed by the code; null once it was exchanged or revoked, or some time after its expiry. */
  readonly sealed: Buffer | null
  readonly revokedAt: number | null
  readonly exchangedAt: number | null
  /** Public key of the lane that exchanged it. */
  readonly laneKey: string | null
  /** What that lane was answered, sealed to its key, while it may ask again. */
  readonly answer: Buffer | null
  /** When the lane said that everything is in its care. */
  readonly confirmedAt: number | null
}

/** A code with what became of it. */
export interface ListedCode extends StoredCode {
  readonly wrong: number
  /** When the token that came with it was revoked, or another's took its place; null: it is good, or never was used. */
  readonly tokenEndedAt: number | null
}

/** Wrong tries of a public part, whether there is a code of it or not. */
export interface Tries {
  readonly wrong: number
  readonly last: number
}

/** A lane that was enrolled, as it is told by its token. */
export interface Device {
  readonly tokenHash: Buffer
  readonly store: string
  readonly lane: string
  /** Public key of the lane: only who signs with it is this lane. */
  readonly laneKey: string
  readonly codeId: string
  readonly since: number
  readonly revokedAt: number | null
}

/** What one decision writes. What is left out stays as it was. */
export interface CodeChange {
  readonly wrong?: number
  readonly code?: Partial<Pick<StoredCode, 'sealed' | 'exchangedAt' | 'laneKey' | 'answer' | 'confirmedAt'>>
  /** Takes the place of every other token of its store and lane. */
  readonly device?: Device
}

const CODE = `id, store, lane, made_at AS "madeAt", expires_at AS "expiresAt", proof_hash AS "proofHash",
  token_hash AS "tokenHash", sealed, revoked_at AS "revokedAt", exchanged_at AS "exchangedAt", lane_key AS "laneKey",
  answer, confirmed_at AS "confirmedAt"`
const DEVICE = `token_hash AS "tokenHash", store, lane, lane_key AS "laneKey", code_id AS "codeId", since,
  revoked_at AS "revokedAt"`
const WAITING = 'exchanged_at IS NULL AND revoked_at IS NULL'
const OF_LANE = 'store = $2 AND ($3::text IS NULL OR lane = $3)'

/** Whoever makes or revokes codes is alone; tries of codes are beside each other, those of one code in turn. */
const ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('enrolment', 0))"
const BESIDE = "SELECT pg_advisory_xact_lock_shared(hashtextextended('enrolment', 0))"
const IN_TURN = "SELECT pg_advisory_xact_lock(hashtextextended('enrolment code ' || $1, 0))"

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
// Thousands of lanes are one statement each, not one for each of them.
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
// Of a code that is still listed the owner reads the count.
const DROP_TRIES = `DELETE FROM enrolment_try
  WHERE last <= $1 AND NOT EXISTS (SELECT 1 FROM enrolment_code WHERE id = code_id)`

interface LaneOrStore {
  readonly store: string
  /** Null: every lane of the store. */
  readonly lane: string | null
}

/** Runs work on many codes while no other command or server makes, revokes or exchanges one. */
export const alone = <Result>(db: Postgres, work: (tx: Querying) => Promise<Result>): Promise<Result> =>
  db.transaction(async (tx) => {
    await tx.query(ALONE)
    return await work(tx)
  })

/** Adds new codes, and revokes those of the same store and lane that wait. Rejects when an id is taken. */
export const addCodes = (db: Postgres, codes: readonly StoredCode[]): Promise<void> =>
  alone(db, async (tx) => {
    const column = <Name extends keyof StoredCode>(name: Name) => codes.map((code) => code[name])
    await tx.query(REVOKE_ALL, [column('store'), column('lane'), column('madeAt')])
    const texts = [column('id'), column('store'), column('lane')]
    const times = [column('madeAt'), column('expiresAt')]
    await tx.query(INSERT_ALL, [...texts, ...times, column('proofHash'), column('tokenHash'), column('sealed')])
  })

/**
 * Reads the code of a public part, has it decided, and writes the change in the same transaction: two tries at once are
 * counted one after the other.
 */
export const decideCode = <Outcome>(
  db: Postgres,
  id: string,
  at: number,
  decision: (code: StoredCode | null, tries: Tries) => { readonly change: CodeChange; readonly outcome: Outcome },
): Promise<Outcome> =>
  db.transaction(async (tx) => {
    await tx.query(BESIDE)
    await tx.query(IN_TURN, [id])
    const code = (await tx.query<StoredCode>(FIND, [id])).rows[0] ?? null
    const tries = (await tx.query<Tries>(TRIES, [id])).rows[0] ?? { wrong: 0, last: 0 }
    const { change, outcome } = decision(code, tries)
    await write(tx, id, at, code, change)
    return outcome
  })

/** All codes, by store and lane, the newest of each first. */
export const listCodes = async (db: Querying): Promise<readonly ListedCode[]> => (await db.query<ListedCode>(ALL)).rows

/** Revokes codes that wait, and deletes their payloads. Returns how many there were. */
export const revokeCodes = (db: Postgres, { store, lane }: LaneOrStore, at: number): Promise<number> =>
  alone(db, async (tx) => (await tx.query(REVOKE, [at, store, lane])).count)

/** Revokes device tokens. Returns how many there were. */
export const revokeDevices = (db: Postgres, { store, lane }: LaneOrStore, at: number): Promise<number> =>
  alone(db, async (tx) => {
    await tx.query(DROP_ANSWERS_OF, [store, lane])
    return (await tx.query(REVOKE_DEVICES, [at, store, lane])).count
  })

export const findDevice = async (db: Querying, tokenHash: Buffer): Promise<Device | null> =>
  (await db.query<Device>(FIND_DEVICE, [tokenHash])).rows[0] ?? null

/**
 * Deletes the payloads of codes that expired by `expiredBefore`, the answers that were given by `answersBefore`, and
 * wrong tries from before `triesBefore`.
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
  { wrong, code: part, device }: CodeChange,
): Promise<void> {
  if (wrong !== undefined) await tx.query(COUNT, [id, wrong, at])
  if (part !== undefined && code !== null) {
    const { sealed, exchangedAt, laneKey, answer, confirmedAt } = { ...code, ...part }
    await tx.query(UPDATE, [id, sealed, exchangedAt, laneKey, answer, confirmedAt])
  }
  if (device === undefined) return
  const { tokenHash, store, lane, laneKey, codeId, since } = device
  await tx.query(REVOKE_DEVICES, [at, store, lane])
  await tx.query(ADD_DEVICE, [tokenHash, store, lane, laneKey, codeId, since])
}
