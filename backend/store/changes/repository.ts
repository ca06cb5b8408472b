import { Seen } from '../../../contracts/store/changes.ts'
import { FIRST_LOCALE } from '../../../contracts/i18n/languages.ts'
import type { RegisterStamp } from '../../../contracts/store/registers.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'
import { LATEST_COUNTED, type Stamp } from './order.ts'

/** What counts of a thing now (migration `store_follow`). */
export interface Register extends Stamp {
  readonly at: number
  readonly byId: string | null
  readonly seen: Seen
  /** JSON. */
  readonly value: string
  /** Who had changed it here when a change that did not know of that took its place. */
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

export type ChangesRepository = ReturnType<typeof createChangesRepository>

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
    /** In the order of their subjects. */
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
    /** Somebody of another lane of whom only the name is known yet: they open nothing until their own change comes. */
    addPerson: (tx: Tx, person: { readonly id: string; readonly name: string }): void => {
      tx.run(addPerson, { ...person, locale: FIRST_LOCALE })
    },
  }
}
