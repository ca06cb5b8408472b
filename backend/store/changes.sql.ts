import { LATEST_TIME } from '../../contracts/store/bounds.ts'
import { Seen } from '../../contracts/store/changes.ts'
import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import type { RegisterStamp } from '../../contracts/store/registers.ts'
import type { Database } from '../core/db/database.ts'
import type { Tx } from '../core/db/transact.ts'
import { type Seal, placeOf } from '../core/integrity/seal.ts'

/** Stamp of a change: its logical time, which can be compared across lanes, and the lane that made it. */
export interface Stamp {
  readonly clock: number
  readonly lane: string
}

/**
 * Highest logical clock from which the clocks of later changes of other subjects are derived. A higher one, up to the
 * maximum, only affects later changes of its own subject.
 */
export const LATEST_COUNTED = LATEST_TIME - 86_400_000

/** Older releases accepted clocks above the maximum; such a change counts as earlier than every other change. */
const boundedClock = (clock: number): number => (clock > LATEST_TIME ? 0 : clock)

/** Compares two changes. Negative: `one` is earlier. 0: the same change. Equal clocks are ordered by lane. */
export const compareStamps = (one: Stamp, other: Stamp): number =>
  boundedClock(one.clock) - boundedClock(other.clock) || (one.lane < other.lane ? -1 : one.lane > other.lane ? 1 : 0)

/**
 * Returns a logical clock later than those of all counted changes that the lane has received, also from a lane whose
 * clock is fast. `newest`: highest clock up to `LATEST_COUNTED` of all subjects; `last`: of this subject.
 */
export const nextClock = (now: number, newest: number, last: number): number =>
  Math.max(1, now, newest + 1, boundedClock(last) + 1)

/** Whether the author of a change had received the change with this stamp. */
export const hadSeen = (seen: Seen, { lane, clock }: Stamp): boolean => (seen[lane] ?? 0) >= clock

export function mergeSeen(one: Seen, other: Seen): Seen {
  const merged: Record<string, number> = { ...one }
  for (const [lane, clock] of Object.entries(other)) merged[lane] = Math.max(clock, merged[lane] ?? 0)
  return merged
}

/** Current value of a subject in the store, with the change that set it (migration `store_follow`). */
export interface Register extends Stamp {
  readonly at: number
  readonly byId: string | null
  readonly seen: Seen
  readonly value: string
  /** Person whose change at this lane was replaced by a change whose author had not received it. */
  readonly overId: string | null
}

export interface NewChange {
  readonly kind: string
  readonly subject: string
  readonly clock: number
  readonly at: number
  readonly byId: string | null
  readonly seen: Seen
  readonly value: string
}

export const NEWEST_CLOCK = `SELECT coalesce(max(clock), 0) FROM store_register WHERE clock <= ${LATEST_COUNTED}`

export function createChangesRepository(db: Database) {
  const select = db.prepare<[string, string], Omit<Register, 'seen'> & { readonly seen: string }>(
    `SELECT clock, lane, at, by_id AS byId, seen, value, over_id AS overId FROM store_register
      WHERE kind = ? AND subject = ?`,
  )
  const put = db.prepare(
    `INSERT INTO store_register (kind, subject, clock, lane, at, by_id, seen, value, over_id)
      VALUES (@kind, @subject, @clock, @lane, @at, @byId, @seen, @value, @overId)
      ON CONFLICT (kind, subject) DO UPDATE SET clock = excluded.clock, lane = excluded.lane, at = excluded.at,
      by_id = excluded.by_id, seen = excluded.seen, value = excluded.value, over_id = excluded.over_id`,
  )
  const setSeen = db.prepare('UPDATE store_register SET seen = ? WHERE kind = ? AND subject = ?')
  const newest = db.prepare<[], number>(NEWEST_CLOCK).pluck()
  const insert = db.prepare(
    `INSERT INTO store_change (id, kind, subject, clock, at, by_id, seen, value, secret)
      VALUES (@id, @kind, @subject, @clock, @at, @byId, @seen, @value, @secret)`,
  )
  const lastId = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM store_change').pluck()
  const addPerson = db.prepare(
    `INSERT INTO staff (id, name, role, locale, active) SELECT @id, @name, 'cashier', @locale, 0
      WHERE NOT EXISTS (SELECT 1 FROM staff WHERE id = @id)`,
  )
  const stamps = db.prepare<[string], RegisterStamp>(
    'SELECT subject, clock, lane FROM store_register WHERE kind = ? ORDER BY subject',
  )
  return {
    stamps: (kind: string): RegisterStamp[] => stamps.all(kind),
    find(kind: string, subject: string): Register | undefined {
      const row = select.get(kind, subject)
      return row && { ...row, seen: Seen.parse(JSON.parse(row.seen)) }
    },
    put: (tx: Tx, kind: string, subject: string, { seen, ...register }: Register): void => {
      tx.run(put, { ...register, kind, subject, seen: JSON.stringify(seen) })
    },
    setSeen: (tx: Tx, kind: string, subject: string, seen: Seen): void => {
      tx.run(setSeen, JSON.stringify(seen), kind, subject)
    },
    newestClock: (): number => newest.get() ?? 0,
    nextId: (): number => (lastId.get() ?? 0) + 1,
    insert: (tx: Tx, id: number, { seen, ...change }: NewChange, secret: Uint8Array | null): void => {
      tx.run(insert, { ...change, id, secret, seen: JSON.stringify(seen) })
    },
    /**
     * Adds a person of another lane with only a name. Until the change with the person's other data arrives, the person
     * cannot sign in.
     */
    addPerson: (tx: Tx, person: { readonly id: string; readonly name: string }): void => {
      tx.run(addPerson, { ...person, locale: FIRST_LOCALE })
    },
  }
}

/** A change by another lane that has no effect here until a manager of this lane or the owner confirms it. */
export interface Waiting extends Stamp {
  readonly kind: string
  readonly subject: string
  readonly at: number
  readonly byId: string | null
  readonly value: unknown
  readonly secret: unknown
  readonly overruled: boolean
  /**
   * The fact at the store server that contains the change. Null when a profile put the change on hold: only a manager
   * can then confirm it.
   */
  readonly fact: FactAt | null
}
export interface FactAt {
  readonly stream: string
  readonly seq: number
}
/** Identifies a waiting change. A later change that replaces it has another clock or lane. */
export type WaitingKey = Pick<Waiting, 'kind' | 'subject' | 'clock' | 'lane'>

interface Row extends Stamp {
  readonly kind: string
  readonly subject: string
  readonly at: number
  readonly byId: string | null
  readonly value: string
  readonly secret: Uint8Array | null
  readonly overruled: 0 | 1
  readonly stream: string | null
  readonly seq: number | null
}

const COLUMNS = 'kind, subject, clock, lane, at, by_id AS byId, value, secret, overruled, stream, seq'
const place = ({ kind, subject, clock, lane }: WaitingKey): string =>
  placeOf('store_waiting', 'secret', kind, subject, clock, lane)

export function createWaitingRepository(db: Database, seal: Pick<Seal, 'seal' | 'open'>) {
  const select = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM store_waiting ORDER BY clock, kind, subject`)
  const selectOne = db.prepare<[WaitingKey], Row>(
    `SELECT ${COLUMNS} FROM store_waiting
      WHERE kind = @kind AND subject = @subject AND clock = @clock AND lane = @lane`,
  )
  const exists = db.prepare<[string, string], 1>('SELECT 1 FROM store_waiting WHERE kind = ? AND subject = ?').pluck()
  const put = db.prepare(
    `INSERT INTO store_waiting (kind, subject, clock, lane, at, by_id, value, secret, overruled, stream, seq)
      VALUES (@kind, @subject, @clock, @lane, @at, @byId, @value, @secret, @overruled, @stream, @seq)`,
  )
  const drop = db.prepare('DELETE FROM store_waiting WHERE kind = ? AND subject = ?')

  const waitingOf = ({ value, secret, overruled, stream, seq, ...row }: Row): Waiting => ({
    ...row,
    value: JSON.parse(value),
    secret: secret === null ? null : JSON.parse(seal.open(secret, place(row)).toString()),
    overruled: overruled === 1,
    fact: stream === null || seq === null ? null : { stream, seq },
  })

  return {
    list: (): Waiting[] => select.all().map(waitingOf),
    find(key: WaitingKey): Waiting | undefined {
      const row = selectOne.get(key)
      return row && waitingOf(row)
    },
    has: (kind: string, subject: string): boolean => exists.get(kind, subject) !== undefined,
    put(tx: Tx, { value, secret, overruled, fact, ...waiting }: Waiting): void {
      const { kind, subject } = waiting
      tx.run(drop, kind, subject)
      tx.run(put, {
        ...waiting,
        value: JSON.stringify(value),
        secret: secret === null ? null : seal.seal(Buffer.from(JSON.stringify(secret)), place(waiting)),
        overruled: overruled ? 1 : 0,
        stream: fact?.stream ?? null,
        seq: fact?.seq ?? null,
      })
    },
    drop: (tx: Tx, kind: string, subject: string): void => {
      tx.run(drop, kind, subject)
    },
  }
}
