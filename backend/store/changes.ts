import { z } from 'zod'
import { AnyChangeFact, type ChangeKind, isChangeKind } from '../../contracts/store/changes.ts'
import type { ForeignFact } from '../../contracts/store/protocol.ts'
import type { Tx } from '../core/db/transact.ts'
import { placeOf } from '../core/integrity/seal.ts'
import type { StoreSeal } from './store-seal.ts'
import {
  type Register,
  type Stamp,
  type Waiting,
  type WaitingKey,
  bothSeen,
  compareStamps,
  createChangesRepository,
  createWaitingRepository,
  knew,
  nextClock,
} from './changes.sql.ts'
import type { Elsewhere } from '../../contracts/store/status.ts'
import { type Ctx, bound, perLane } from '../core/context.ts'
import { laneTimeOf } from '../core/lane-time.ts'

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
  readonly detail: {
    readonly lane: string
    readonly overruled?: true
    /** The manager of this lane, or the owner by name, who confirmed a change that waited. */
    readonly confirmedBy?: string
  }
}
export type TakeChange<Value> = (tx: Tx, change: TakenChange<Value>) => void

/** Whether a change has no effect here before it is confirmed. */
export type Waits<Value> = (change: TakenChange<Value>) => boolean

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

const NOT_AGAIN: ReadonlySet<ChangeKind> = new Set(['person-pin', 'person-badge', 'catalog-import'])

export type Changes = ReturnType<typeof createChanges>

export const secretPlace = (id: number): string => placeOf('store_change', 'secret', id)

/** What the functions of the changes share. */
const registersOf = perLane(({ db, seal }) => ({
  rows: createChangesRepository(db),
  waiting: createWaitingRepository(db, seal),
  followers: new Map<string, { readonly take: TakeChange<unknown>; readonly waits: Waits<unknown> }>(),
  onWaiting: (_tx: Tx, _change: Waiting): void => undefined,
}))

/** Something was changed here: the other lanes hear of it. In the transaction of the change; answers its stamp. */
function tell(ctx: Ctx, tx: Tx, { kind, subject, value, byId, secret }: NewStoreChange): Stamp {
  const { rows, waiting } = registersOf(ctx)
  const { seal, clock } = ctx
  const lane = ctx.lane.id
  const known = rows.find(kind, subject)
  const stamp: Stamp = { clock: nextClock(laneTimeOf(ctx).storeNow(), rows.newestClock(), known?.clock ?? 0), lane }
  const seen = { ...known?.seen, [lane]: stamp.clock }
  const register: Register = { ...stamp, at: clock.now(), byId, seen, value: JSON.stringify(value), overId: null }
  rows.put(tx, kind, subject, register)
  waiting.drop(tx, kind, subject)
  const id = rows.nextId()
  const sealed = secret ? seal.seal(Buffer.from(JSON.stringify(secret)), secretPlace(id)) : null
  rows.insert(tx, id, { kind, subject, clock: stamp.clock, at: register.at, byId, seen, value: register.value }, sealed)
  return stamp
}

/** One change of another lane; `storeSeal` opens what is sealed beside it. */
function take(ctx: Ctx, tx: Tx, fact: ForeignFact, storeSeal: StoreSeal | null): void {
  const { rows, waiting, followers } = registersOf(ctx)
  const { kind } = fact
  const secret: unknown =
    fact.sealed === null ? null : JSON.parse(opening(storeSeal).open(fact.sealed, `${kind} ${fact.subject}`))
  const follower = followers.get(kind)
  if (!follower) return
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
  const overruled = known?.lane === ctx.lane.id && !knew(seen, known)
  const change = { kind, subject, ...stamp, at: changedAt, byId, value, secret, overruled }
  if (follower.waits(takenOf(change))) hold(ctx, tx, { ...change, fact: { stream: fact.stream, seq: fact.seq } })
  else {
    waiting.drop(tx, kind, subject)
    follower.take(tx, takenOf(change))
  }
  const overId = overruled ? known.byId : null
  rows.put(tx, kind, subject, { ...stamp, at: changedAt, byId, seen: all, value: JSON.stringify(value), overId })
}

function hold(ctx: Ctx, tx: Tx, change: Waiting): void {
  const { waiting, onWaiting } = registersOf(ctx)
  waiting.put(tx, change)
  onWaiting(tx, change)
}

/** Puts a waiting change into effect. False: it does not wait any more. */
function confirm(ctx: Ctx, tx: Tx, key: WaitingKey, confirmedBy: string): boolean {
  const { waiting, followers } = registersOf(ctx)
  const change = waiting.find(key)
  if (!change) return false
  waiting.drop(tx, key.kind, key.subject)
  const taken = takenOf(change)
  followers.get(key.kind)?.take(tx, { ...taken, detail: { ...taken.detail, confirmedBy } })
  return true
}

/** Takes what the store has of a thing out of effect here: it waits for a confirmation. */
function holdBack(ctx: Ctx, tx: Tx, kind: ChangeKind, subject: string): void {
  const { rows, waiting } = registersOf(ctx)
  const register = rows.find(kind, subject)
  if (!register || waiting.has(kind, subject)) return
  const { clock, lane, at, byId, overId } = register
  const value: unknown = JSON.parse(register.value)
  const overruled = overId !== null
  hold(ctx, tx, { kind, subject, clock, lane, at, byId, value, secret: null, overruled, fact: null })
}

/**
 * Sends this lane's value of a thing again, because the store lost it. Skips kinds whose secret or file this lane no
 * longer has, and changes that wait for a confirmation here.
 */
function tellAgain(ctx: Ctx, tx: Tx, kind: string, subject: string): void {
  const { rows, waiting } = registersOf(ctx)
  const register = rows.find(kind, subject)
  if (!register || !isChangeKind(kind) || NOT_AGAIN.has(kind) || waiting.has(kind, subject)) return
  const value = z.looseObject({}).parse(JSON.parse(register.value))
  tell(ctx, tx, { kind, subject, value, byId: register.byId })
}

/** What counts of a thing, as JSON; undefined: nobody of the store has changed it. */
function valueOf(ctx: Ctx, kind: ChangeKind, subject: string): unknown {
  const register = registersOf(ctx).rows.find(kind, subject)
  return register && JSON.parse(register.value)
}

/** When it was changed; before everything where nobody has. */
function stampOf(ctx: Ctx, kind: ChangeKind, subject: string): Stamp {
  const { clock = 0, lane = '' } = registersOf(ctx).rows.find(kind, subject) ?? {}
  return { clock, lane }
}

function changedAt(ctx: Ctx, kind: ChangeKind, subject: string): ChangedAt | null {
  const { rows, waiting } = registersOf(ctx)
  const register = rows.find(kind, subject)
  // What waits has changed nothing here.
  if (!register || waiting.has(kind, subject)) return null
  const { lane, byId, overId } = register
  return { lane, elsewhere: lane !== ctx.lane.id, byId, overId }
}

/**
 * What managers change, followed by every lane of the store. Of each thing there is one register: the change with the
 * latest stamp counts, whatever order changes arrive in, so that lanes that were apart end equal. Decision 30.
 */
function createChanges(ctx: Ctx) {
  const lane = ctx.lane.id
  const registers = registersOf(ctx)
  const { rows, waiting, followers } = registers
  const isOfStore = ctx.db.prepare<[], number>('SELECT count(*) FROM store_key').pluck()
  return {
    lane,
    ...bound(ctx, { tell, take, confirm, holdBack, tellAgain, valueOf, stampOf, changedAt }),
    /** Takes what counts of a thing after another lane's change of it. A throw sets the change aside. */
    follow<Value>(kind: ChangeKind, schema: z.ZodType<Value>, taker: TakeChange<Value>, waits?: Waits<Value>): void {
      const parsed = (change: TakenChange<unknown>) => ({ ...change, value: schema.parse(change.value) })
      followers.set(kind, {
        take: (tx, change) => {
          taker(tx, parsed(change))
        },
        waits: (change) => waits?.(parsed(change)) === true,
      })
    },
    /** Called with each change that begins to wait, in its transaction. */
    onWaiting(listener: (tx: Tx, change: Waiting) => void): void {
      registers.onWaiting = listener
    },
    waiting: waiting.list,
    isWaiting: (kind: ChangeKind, subject: string): boolean => waiting.has(kind, subject),
    findWaiting: waiting.find,
    /** A waiting change has no effect here for good. */
    dropWaiting: waiting.drop,
    kinds: (): string[] => [...followers.keys()],
    stamps: rows.stamps,
    /** What makes an id of this lane another than those of the other lanes; nothing where it was always alone. */
    idSuffix: (): string => (isOfStore.get() === 0 ? '' : `-${lane.toLowerCase()}`),
    /** Somebody of another lane whom a change names. */
    addPerson: rows.addPerson,
  }
}

const takenOf = ({ subject, value, clock, lane, at, byId, secret, overruled }: Omit<Waiting, 'fact'>) => ({
  subject,
  value,
  stamp: { clock, lane },
  at,
  byId,
  secret,
  detail: { lane, ...(overruled ? { overruled: true as const } : {}) },
})

function opening(storeSeal: StoreSeal | null): StoreSeal {
  if (storeSeal === null) throw new Error('the lane has not spoken with its store yet')
  return storeSeal
}

/** What a list says of a change that was made at another lane; nothing of one that was made here. */
export const elsewhereOf = (
  changed: ChangedAt | null,
  staffName: (id: string) => string,
): { readonly elsewhere?: Elsewhere } =>
  changed?.elsewhere
    ? {
        elsewhere: {
          lane: changed.lane,
          by: changed.byId === null ? null : staffName(changed.byId),
          inPlaceOf: changed.overId === null ? null : staffName(changed.overId),
        },
      }
    : {}

/** What managers change, followed by every lane of the store. */
export const changesOf = perLane(createChanges)
