import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'
import { placeOf, type Seal } from '../../outbox/seal.ts'
import type { Stamp } from './order.ts'

/** A change of another lane that has no effect here until a manager of this lane or the owner confirms it. */
export interface Waiting extends Stamp {
  readonly kind: string
  readonly subject: string
  readonly at: number
  readonly byId: string | null
  readonly value: unknown
  readonly secret: unknown
  readonly overruled: boolean
  /** The fact that has it at the server; null: it was held back by a profile, and only a manager can confirm it. */
  readonly fact: FactAt | null
}
export interface FactAt {
  readonly stream: string
  readonly seq: number
}
/** One waiting change. Another change of the same thing that takes its place has another clock or lane. */
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

export type WaitingRepository = ReturnType<typeof createWaitingRepository>

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
    /** Takes the place of an earlier one of the same thing. */
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
