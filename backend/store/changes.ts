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
  mergeSeen,
  compareStamps,
  createChangesRepository,
  createWaitingRepository,
  hadSeen,
  nextClock,
} from './changes.sql.ts'
import type { Elsewhere } from '../../contracts/store/status.ts'
import { type Ctx, bound, perLane } from '../core/context.ts'
import { laneTimeOf } from '../core/lane-time.ts'

export interface TakenChange<Value> {
  readonly subject: string
  readonly value: Value
  readonly stamp: Stamp
  readonly at: number
  /**
   * Id of the author, who exists in the staff of this lane; null when the terminal itself made the change, from its
   * profile.
   */
  readonly byId: string | null
  readonly secret: unknown
  /** Details for the audit trail: the lane of the change, and whether it replaced a change made here. */
  readonly detail: {
    readonly lane: string
    readonly overruled?: true
    /** Person who confirmed a change that had to wait: a manager of this lane, or the name of the store's owner. */
    readonly confirmedBy?: string
  }
}
export type TakeChange<Value> = (tx: Tx, change: TakenChange<Value>) => void

/** Whether a change must wait at this lane until a person confirms it. */
export type Waits<Value> = (change: TakenChange<Value>) => boolean

export interface NewStoreChange {
  readonly kind: ChangeKind
  readonly subject: string
  readonly value: object
  readonly byId: string | null
  readonly secret?: object
}

export interface ChangedAt {
  readonly lane: string
  readonly elsewhere: boolean
  readonly byId: string | null
  /**
   * Author of a change at this lane that this change replaced without having received it; null without such a change.
   */
  readonly overId: string | null
}

const NOT_AGAIN: ReadonlySet<ChangeKind> = new Set(['person-pin', 'person-badge', 'catalog-import'])

export type Changes = ReturnType<typeof createChanges>

export const secretPlace = (id: number): string => placeOf('store_change', 'secret', id)

const registersOf = perLane(({ db, seal }) => ({
  rows: createChangesRepository(db),
  waiting: createWaitingRepository(db, seal),
  followers: new Map<string, { readonly take: TakeChange<unknown>; readonly waits: Waits<unknown> }>(),
  onWaiting: (_tx: Tx, _change: Waiting): void => undefined,
}))

function recordLocal(ctx: Ctx, tx: Tx, { kind, subject, value, byId, secret }: NewStoreChange): Stamp {
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
  const all = mergeSeen(known?.seen ?? {}, { ...seen, [stamp.lane]: stamp.clock })
  if (known && compareStamps(stamp, known) <= 0) {
    rows.setSeen(tx, kind, subject, all)
    return
  }
  if (by) rows.addPerson(tx, by)
  const byId = by?.id ?? null
  const overruled = known?.lane === ctx.lane.id && !hadSeen(seen, known)
  const change = { kind, subject, ...stamp, at: changedAt, byId, value, secret, overruled }
  if (follower.waits(takenOf(change)))
    queueForConfirmation(ctx, tx, { ...change, fact: { stream: fact.stream, seq: fact.seq } })
  else {
    waiting.drop(tx, kind, subject)
    follower.take(tx, takenOf(change))
  }
  const overId = overruled ? known.byId : null
  rows.put(tx, kind, subject, { ...stamp, at: changedAt, byId, seen: all, value: JSON.stringify(value), overId })
}

function queueForConfirmation(ctx: Ctx, tx: Tx, change: Waiting): void {
  const { waiting, onWaiting } = registersOf(ctx)
  waiting.put(tx, change)
  onWaiting(tx, change)
}

function confirm(ctx: Ctx, tx: Tx, key: WaitingKey, confirmedBy: string): boolean {
  const { waiting, followers } = registersOf(ctx)
  const change = waiting.find(key)
  if (!change) return false
  waiting.drop(tx, key.kind, key.subject)
  const taken = takenOf(change)
  followers.get(key.kind)?.take(tx, { ...taken, detail: { ...taken.detail, confirmedBy } })
  return true
}

/** Queues the store's value of a subject, such as a staff member, which this lane applies once a person confirms it. */
function holdBack(ctx: Ctx, tx: Tx, kind: ChangeKind, subject: string): void {
  const { rows, waiting } = registersOf(ctx)
  const register = rows.find(kind, subject)
  if (!register || waiting.has(kind, subject)) return
  const { clock, lane, at, byId, overId } = register
  const value: unknown = JSON.parse(register.value)
  const overruled = overId !== null
  queueForConfirmation(ctx, tx, { kind, subject, clock, lane, at, byId, value, secret: null, overruled, fact: null })
}

/**
 * Sends this lane's value of a subject again after the store has lost it. Skips kinds whose secret or file this lane no
 * longer has, and waiting changes.
 */
function resend(ctx: Ctx, tx: Tx, kind: string, subject: string): void {
  const { rows, waiting } = registersOf(ctx)
  const register = rows.find(kind, subject)
  if (!register || !isChangeKind(kind) || NOT_AGAIN.has(kind) || waiting.has(kind, subject)) return
  const value = z.looseObject({}).parse(JSON.parse(register.value))
  recordLocal(ctx, tx, { kind, subject, value, byId: register.byId })
}

/** Current value of a subject as parsed JSON; undefined when no change of the subject is known. */
function valueOf(ctx: Ctx, kind: ChangeKind, subject: string): unknown {
  const register = registersOf(ctx).rows.find(kind, subject)
  return register && JSON.parse(register.value)
}

/** Stamp of the current value of a subject; earlier than every change when no change of the subject is known. */
function stampOf(ctx: Ctx, kind: ChangeKind, subject: string): Stamp {
  const { clock = 0, lane = '' } = registersOf(ctx).rows.find(kind, subject) ?? {}
  return { clock, lane }
}

function changedAt(ctx: Ctx, kind: ChangeKind, subject: string): ChangedAt | null {
  const { rows, waiting } = registersOf(ctx)
  const register = rows.find(kind, subject)
  // A waiting change has no effect at this lane yet.
  if (!register || waiting.has(kind, subject)) return null
  const { lane, byId, overId } = register
  return { lane, elsewhere: lane !== ctx.lane.id, byId, overId }
}

/**
 * Managers' changes, which every lane of the store receives. Of each subject only the change with the latest stamp
 * counts, in any order of arrival, so that lanes that were disconnected end with the same values. See
 * docs/decisions/0030-reservations-between-lanes.md.
 */
function createChanges(ctx: Ctx) {
  const lane = ctx.lane.id
  const registers = registersOf(ctx)
  const { rows, waiting, followers } = registers
  const isOfStore = ctx.db.prepare<[], number>('SELECT count(*) FROM store_key').pluck()
  return {
    lane,
    ...bound(ctx, { recordLocal: recordLocal, take, confirm, holdBack, resend, valueOf, stampOf, changedAt }),
    /**
     * Registers the handler for changes by other lanes. A change for which the handler throws is skipped and recorded.
     */
    follow<Value>(kind: ChangeKind, schema: z.ZodType<Value>, taker: TakeChange<Value>, waits?: Waits<Value>): void {
      const parsed = (change: TakenChange<unknown>) => ({ ...change, value: schema.parse(change.value) })
      followers.set(kind, {
        take: (tx, change) => {
          taker(tx, parsed(change))
        },
        waits: (change) => waits?.(parsed(change)) === true,
      })
    },
    /** Sets the listener that is called, in the transaction of the change, for each change that must wait. */
    onWaiting(listener: (tx: Tx, change: Waiting) => void): void {
      registers.onWaiting = listener
    },
    waiting: waiting.list,
    isWaiting: (kind: ChangeKind, subject: string): boolean => waiting.has(kind, subject),
    findWaiting: waiting.find,
    /** Rejects a waiting change permanently at this lane. */
    dropWaiting: waiting.drop,
    kinds: (): string[] => [...followers.keys()],
    stamps: rows.stamps,
    /**
     * Suffix that keeps ids of this lane different from those of other lanes of a store; empty at a lane that never had
     * a store.
     */
    idSuffix: (): string => (isOfStore.get() === 0 ? '' : `-${lane.toLowerCase()}`),
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
  if (storeSeal === null) throw new Error('this lane has not connected to its store yet')
  return storeSeal
}

/** Lane and author of a change, for a list; empty for changes at this lane. */
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

export const changesOf = perLane(createChanges)
