import type { z } from 'zod'
import { AnyChangeFact, type ChangeKind } from '../../../contracts/store/changes.ts'
import type { ForeignFact } from '../../../contracts/store/protocol.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { Tx } from '../../db/transact.ts'
import { placeOf, type Seal } from '../../outbox/seal.ts'
import type { StoreSeal } from '../store-seal.ts'
import { bothSeen, compareStamps, knew, nextClock, type Stamp } from './order.ts'
import { createChangesRepository, type Register } from './repository.ts'

/** A change of another lane that counts here from now on. */
export interface TakenChange<Value> {
  readonly subject: string
  readonly value: Value
  readonly stamp: Stamp
  /** When it was changed, by that lane's clock. */
  readonly at: number
  /** Who changed it; null: the terminal, as its profile said. They stand among the staff of this lane. */
  readonly byId: string | null
  /** What was sealed beside it; null: nothing. */
  readonly secret: unknown
  /** Facts for the entry of the trail: where it was changed, and whether it took the place of a change made here. */
  readonly detail: { readonly lane: string; readonly overruled?: true }
}
export type TakeChange<Value> = (tx: Tx, change: TakenChange<Value>) => void

export interface NewStoreChange {
  readonly kind: ChangeKind
  readonly subject: string
  readonly value: object
  readonly byId: string | null
  /** What only lanes of the store may read. */
  readonly secret?: object
}

/** Where what counts of a thing was changed, and by whom. */
export interface ChangedAt {
  readonly lane: string
  /** True: at another lane. */
  readonly elsewhere: boolean
  readonly byId: string | null
  /** Whose change here it took the place of, unknowingly; null: nobody's. */
  readonly overId: string | null
}

export interface ChangesOptions {
  readonly db: Database
  readonly seal: Pick<Seal, 'seal' | 'open'>
  readonly clock: Pick<Clock, 'now'>
  readonly lane: string
}

export type Changes = ReturnType<typeof createChanges>

export const secretPlace = (id: number): string => placeOf('store_change', 'secret', id)

/**
 * What managers change, followed by every lane of the store. Of each thing there is one register: the change with the
 * latest stamp counts, whatever order changes arrive in, so that lanes that were apart end equal. Decision 0094.
 */
export function createChanges({ db, seal, clock, lane }: ChangesOptions) {
  const rows = createChangesRepository(db)
  const isOfStore = db.prepare<[], number>('SELECT count(*) FROM store_key').pluck()
  const takers = new Map<string, (tx: Tx, change: TakenChange<unknown>) => void>()

  function tell(tx: Tx, { kind, subject, value, byId, secret }: NewStoreChange): Stamp {
    const known = rows.find(kind, subject)
    const stamp: Stamp = { clock: nextClock(clock.now(), rows.newestClock(), known?.clock ?? 0), lane }
    const seen = { ...known?.seen, [lane]: stamp.clock }
    const register: Register = { ...stamp, at: clock.now(), byId, seen, value: JSON.stringify(value), overId: null }
    rows.put(tx, kind, subject, register)
    const id = rows.nextId()
    const sealed = secret ? seal.seal(Buffer.from(JSON.stringify(secret)), secretPlace(id)) : null
    rows.insert(
      tx,
      id,
      { kind, subject, clock: stamp.clock, at: register.at, byId, seen, value: register.value },
      sealed,
    )
    return stamp
  }

  function take(tx: Tx, fact: ForeignFact, opened: unknown): void {
    const { kind } = fact
    const taker = takers.get(kind)
    if (!taker) return
    const { subject, clock: at, by, seen, value, at: changedAt } = AnyChangeFact.parse(fact.body)
    const stamp: Stamp = { clock: at, lane: fact.lane }
    const known = rows.find(kind, subject)
    const all = bothSeen(known?.seen ?? {}, { ...seen, [stamp.lane]: stamp.clock })
    if (known && compareStamps(stamp, known) <= 0) {
      rows.setSeen(tx, kind, subject, all)
      return
    }
    if (by) rows.addPerson(tx, by)
    const byId = by?.id ?? null
    const overruled = known?.lane === lane && !knew(seen, known)
    taker(tx, {
      subject,
      value,
      stamp,
      at: changedAt,
      byId,
      secret: opened,
      detail: { lane: fact.lane, ...(overruled ? { overruled: true } : {}) },
    })
    const overId = overruled ? known.byId : null
    rows.put(tx, kind, subject, { ...stamp, at: changedAt, byId, seen: all, value: JSON.stringify(value), overId })
  }

  return {
    lane,
    /** Something was changed here: the other lanes hear of it. In the transaction of the change; answers its stamp. */
    tell,
    /** Takes what counts of a thing after another lane's change of it. A throw sets the change aside. */
    follow<Value>(kind: ChangeKind, schema: z.ZodType<Value>, taker: TakeChange<Value>): void {
      takers.set(kind, (tx, change) => {
        taker(tx, { ...change, value: schema.parse(change.value) })
      })
    },
    kinds: (): string[] => [...takers.keys()],
    /** One change of another lane; `storeSeal` opens what is sealed beside it. */
    take(tx: Tx, fact: ForeignFact, storeSeal: StoreSeal | null): void {
      const about = `${fact.kind} ${fact.subject}`
      take(tx, fact, fact.sealed === null ? null : JSON.parse(opening(storeSeal).open(fact.sealed, about)))
    },
    /** What counts of a thing, as JSON; undefined: nobody of the store has changed it. */
    valueOf(kind: ChangeKind, subject: string): unknown {
      const register = rows.find(kind, subject)
      return register && JSON.parse(register.value)
    },
    /** When it was changed; before everything where nobody has. */
    stampOf(kind: ChangeKind, subject: string): Stamp {
      const { clock: at = 0, lane: where = '' } = rows.find(kind, subject) ?? {}
      return { clock: at, lane: where }
    },
    changedAt(kind: ChangeKind, subject: string): ChangedAt | null {
      const register = rows.find(kind, subject)
      if (!register) return null
      const { byId, overId } = register
      return { lane: register.lane, elsewhere: register.lane !== lane, byId, overId }
    },
    /** What makes an id of this lane another than those of the other lanes; nothing where it was always alone. */
    idSuffix: (): string => (isOfStore.get() === 0 ? '' : `-${lane.toLowerCase()}`),
    /** Somebody of another lane whom a change names. */
    addPerson: rows.addPerson,
  }
}

function opening(storeSeal: StoreSeal | null): StoreSeal {
  if (storeSeal === null) throw new Error('the lane has not spoken with its store yet')
  return storeSeal
}
