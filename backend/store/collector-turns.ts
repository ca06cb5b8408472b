import { STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import {
  TURN_LONGEST_MS,
  TURN_MS,
  TURN_PATHS,
  TURN_RENEW_MS,
  TurnAnswer,
  TurnStands,
  type NameTurn,
  type TurnPurpose,
} from '../../contracts/store/turns.ts'
import type { Clock, Rng } from '../core/clock.ts'
import type { Logger } from '../core/log.ts'
import type { KeyedMutex } from '../core/outbox/keyed-mutex.ts'
import type { CollectorName } from './collector-names.ts'
import type { StoreLink } from './store-link.ts'
import { perLane } from '../core/context.ts'
import { createCollectorNames } from './collector-names.ts'
import { storeLinkOf } from './store-link.ts'

export interface CollectorTurnsOptions {
  /** One call in flight per collector at this lane. */
  readonly mutex: KeyedMutex
  readonly link: Pick<StoreLink, 'ask' | 'tell' | 'seal' | 'state'>
  readonly nameOf: CollectorName
  readonly clock: Clock
  readonly rng: Rng
  readonly log: Pick<Logger, 'warn' | 'info'>
}

/** The server holds a question back for so long while another lane has the turn; the rest of `ASK_MS` is the way. */
const WAIT_MS = 150
/** A call that can wait asks again about so often, in milliseconds, and leaves its collector to the till meanwhile. */
const ASK_AGAIN_MS = 200

type Taken = { readonly kind: 'alone' | 'taken' } | { readonly kind: 'held'; readonly turn: NameTurn }

/**
 * One call in flight per collector over the lanes of the store, while its server answers; else at this lane alone, as
 * without a store. What is waited for is another lane's call, as one of this lane's would be; the server itself is
 * waited for once, and no longer than `ASK_MS`.
 */
export function createCollectorTurns({ mutex, link, nameOf, clock, rng, log }: CollectorTurnsOptions): KeyedMutex {
  const after = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve))

  async function take(name: string, purpose: TurnPurpose, id: string): Promise<Taken> {
    const turn: NameTurn = { protocol: STORE_PROTOCOL, id, collector: name }
    const isAsked = link.state().kind === 'connected'
    const heard = await link.ask(TURN_PATHS.take, { ...turn, purpose, waitMs: WAIT_MS }, TurnAnswer)
    if (heard.kind === 'answer') return heard.body.kind === 'yours' ? { kind: 'held', turn } : { kind: 'taken' }
    // It may have been given all the same.
    if (isAsked) drop(turn)
    return { kind: 'alone' }
  }

  /** Whoever waits for it looks by itself; one that is lost ends by itself. */
  const drop = (turn: NameTurn): void => void link.tell(TURN_PATHS.drop, turn, TurnStands)

  /**
   * Keeps a turn until it is called off; a renewal that is late or lost leaves room for the next. Once it has ended,
   * nobody can say whose it is, and the call goes on.
   */
  function keeping(turn: NameTurn): () => void {
    const since = clock.monotonic()
    let confirmed = since
    let isOver = false
    let callOff = clock.after(TURN_RENEW_MS, renew)
    function end(): void {
      isOver = true
      callOff()
    }
    function renew(): void {
      const now = clock.monotonic()
      if (now - confirmed >= TURN_MS) return outlives('away')
      if (now - since >= TURN_LONGEST_MS) return
      callOff = clock.after(TURN_RENEW_MS, renew)
      void link.tell(TURN_PATHS.keep, turn, TurnStands).then((heard) => {
        if (isOver || heard.kind !== 'answer') return
        if (heard.body.stands) confirmed = Math.max(confirmed, now)
        else outlives('ended')
      })
    }
    function outlives(reason: string): void {
      end()
      log.warn({ reason }, 'a call outlives its turn over the lanes')
    }
    return end
  }

  async function during<Result>(taken: Taken, work: () => Promise<Result>): Promise<Result> {
    if (taken.kind !== 'held') return work()
    const stop = keeping(taken.turn)
    try {
      return await work()
    } finally {
      stop()
      drop(taken.turn)
    }
  }

  /** Somebody stands at the till: asks until the other lane's call is over, with this lane's turn kept. */
  async function atOnce<Result>(collector: string, work: () => Promise<Result>): Promise<Result> {
    const name = nameOf(collector)
    if (name === null) return work()
    const id = rng.uuid()
    let taken = await take(name, 'now', id)
    while (taken.kind === 'taken') taken = await take(name, 'now', id)
    return during(taken, work)
  }

  /** Null: another lane's call is in flight. */
  async function onceFree<Result>(collector: string, work: () => Promise<Result>): Promise<{ result: Result } | null> {
    const name = nameOf(collector)
    if (name === null) return { result: await work() }
    const taken = await take(name, 'queued', rng.uuid())
    return taken.kind === 'taken' ? null : { result: await during(taken, work) }
  }

  return {
    async run(collector, urgency, work) {
      if (link.seal() === null) return mutex.run(collector, urgency, work)
      if (urgency !== 'queued') return mutex.run(collector, urgency, () => atOnce(collector, work))
      for (;;) {
        const done = await mutex.run(collector, urgency, () => onceFree(collector, work))
        if (done !== null) return done.result
        await after(ASK_AGAIN_MS * (1 + rng.fraction()))
      }
    },
    busy: mutex.busy,
    idle: mutex.idle,
    isLive: mutex.isLive,
    onCalm: mutex.onCalm,
  }
}

/** One call in flight per collector: over the lanes of the store, or of this lane where it is alone. */
export const collectorMutexOf = perLane((ctx): KeyedMutex => {
  const { outbox, db, lane, seal } = ctx
  const link = storeLinkOf(ctx)
  if (link === null) return outbox.collectorMutex
  const nameOf = createCollectorNames({ db, lane: lane.id, seal, storeSeal: link.seal })
  return createCollectorTurns({ ...ctx, mutex: outbox.collectorMutex, link, nameOf })
})
