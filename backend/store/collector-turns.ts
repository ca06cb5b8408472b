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
import { type Ctx, perLane } from '../core/context.ts'
import type { KeyedMutex } from '../core/outbox/keyed-mutex.ts'
import { collectorNameOf } from './collector-names.ts'
import { storeLinkOf, storeOf } from './store-link.ts'

/** The server holds a question back for so long while another lane has the turn; the rest of `ASK_MS` is the way. */
const WAIT_MS = 150
/** A call that can wait asks again about so often, in milliseconds, and leaves its collector to the till meanwhile. */
const ASK_AGAIN_MS = 200

type Taken = { readonly kind: 'alone' | 'taken' } | { readonly kind: 'held'; readonly turn: NameTurn }

async function take(ctx: Ctx, name: string, purpose: TurnPurpose, id: string): Promise<Taken> {
  const turn: NameTurn = { protocol: STORE_PROTOCOL, id, collector: name }
  const isAsked = storeOf(ctx).state().kind === 'connected'
  const heard = await storeOf(ctx).ask(TURN_PATHS.take, { ...turn, purpose, waitMs: WAIT_MS }, TurnAnswer)
  if (heard.kind === 'answer') return heard.body.kind === 'yours' ? { kind: 'held', turn } : { kind: 'taken' }
  // It may have been given all the same.
  if (isAsked) drop(ctx, turn)
  return { kind: 'alone' }
}

/** Whoever waits for it looks by itself; one that is lost ends by itself. */
const drop = (ctx: Ctx, turn: NameTurn): void => void storeOf(ctx).tell(TURN_PATHS.drop, turn, TurnStands)

/**
 * Keeps a turn until it is called off; a renewal that is late or lost leaves room for the next. Once it has ended,
 * nobody can say whose it is, and the call goes on.
 */
function keeping(ctx: Ctx, turn: NameTurn): () => void {
  const since = ctx.clock.monotonic()
  let confirmed = since
  let isOver = false
  let callOff = ctx.clock.after(TURN_RENEW_MS, renew)
  function end(): void {
    isOver = true
    callOff()
  }
  function renew(): void {
    const now = ctx.clock.monotonic()
    if (now - confirmed >= TURN_MS) return outlives('away')
    if (now - since >= TURN_LONGEST_MS) return
    callOff = ctx.clock.after(TURN_RENEW_MS, renew)
    void storeOf(ctx)
      .tell(TURN_PATHS.keep, turn, TurnStands)
      .then((heard) => {
        if (isOver || heard.kind !== 'answer') return
        if (heard.body.stands) confirmed = Math.max(confirmed, now)
        else outlives('ended')
      })
  }
  function outlives(reason: string): void {
    end()
    ctx.log.warn({ reason }, 'a call outlives its turn over the lanes')
  }
  return end
}

async function during<Result>(ctx: Ctx, taken: Taken, work: () => Promise<Result>): Promise<Result> {
  if (taken.kind !== 'held') return work()
  const stop = keeping(ctx, taken.turn)
  try {
    return await work()
  } finally {
    stop()
    drop(ctx, taken.turn)
  }
}

/** Somebody stands at the till: asks until the other lane's call is over, with this lane's turn kept. */
async function atOnce<Result>(ctx: Ctx, collector: string, work: () => Promise<Result>): Promise<Result> {
  const name = collectorNameOf(ctx)(collector)
  if (name === null) return work()
  const id = ctx.rng.uuid()
  let taken = await take(ctx, name, 'now', id)
  while (taken.kind === 'taken') taken = await take(ctx, name, 'now', id)
  return during(ctx, taken, work)
}

/** Null: another lane's call is in flight. */
async function onceFree<Result>(
  ctx: Ctx,
  collector: string,
  work: () => Promise<Result>,
): Promise<{ result: Result } | null> {
  const name = collectorNameOf(ctx)(collector)
  if (name === null) return { result: await work() }
  const taken = await take(ctx, name, 'queued', ctx.rng.uuid())
  return taken.kind === 'taken' ? null : { result: await during(ctx, taken, work) }
}

/**
 * One call in flight per collector over the lanes of the store, while its server answers; else at this lane alone, as
 * without a store. What is waited for is another lane's call, as one of this lane's would be; the server itself is
 * waited for once, and no longer than `ASK_MS`.
 */
export const collectorMutexOf = perLane((ctx): KeyedMutex => {
  const { clock, rng } = ctx
  const mutex = ctx.outbox.collectorMutex
  const link = storeLinkOf(ctx)
  if (link === null) return mutex
  return {
    ...mutex,
    async run(collector, urgency, work) {
      if (link.seal() === null) return mutex.run(collector, urgency, work)
      if (urgency !== 'queued') return mutex.run(collector, urgency, () => atOnce(ctx, collector, work))
      for (;;) {
        const done = await mutex.run(collector, urgency, () => onceFree(ctx, collector, work))
        if (done !== null) return done.result
        await new Promise<void>((resolve) => void clock.after(ASK_AGAIN_MS * (1 + rng.fraction()), resolve))
      }
    },
  }
})
