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

/** How long the server holds a request while another lane has the lock; the rest of `ASK_MS` covers the network. */
const WAIT_MS = 150
/** Base interval, in ms, between requests of a queued call. Until then the checkout can use the collector. */
const ASK_AGAIN_MS = 200

type Taken = { readonly kind: 'alone' | 'taken' } | { readonly kind: 'held'; readonly lock: NameTurn }

async function take(ctx: Ctx, name: string, purpose: TurnPurpose, id: string): Promise<Taken> {
  const lock: NameTurn = { protocol: STORE_PROTOCOL, id, collector: name }
  const isAsked = storeOf(ctx).state().kind === 'connected'
  const result = await storeOf(ctx).ask(TURN_PATHS.take, { ...lock, purpose, waitMs: WAIT_MS }, TurnAnswer)
  if (result.kind === 'answer') return result.body.kind === 'yours' ? { kind: 'held', lock } : { kind: 'taken' }
  // The server may have granted it nevertheless.
  if (isAsked) drop(ctx, lock)
  return { kind: 'alone' }
}

/** No retry: waiting lanes poll, and a lock that is not released expires. */
const drop = (ctx: Ctx, lock: NameTurn): void => void storeOf(ctx).tell(TURN_PATHS.drop, lock, TurnStands)

/**
 * Renews a lock until stopped; one late or lost renewal is tolerated. A call continues when its lock has expired,
 * because its outcome no longer depends on this lane.
 */
function keeping(ctx: Ctx, lock: NameTurn): () => void {
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
      .tell(TURN_PATHS.keep, lock, TurnStands)
      .then((result) => {
        if (isOver || result.kind !== 'answer') return
        if (result.body.stands) confirmed = Math.max(confirmed, now)
        else outlives('ended')
      })
  }
  function outlives(reason: string): void {
    end()
    ctx.log.warn({ reason }, 'a call runs longer than its collector lock')
  }
  return end
}

async function during<Result>(ctx: Ctx, taken: Taken, work: () => Promise<Result>): Promise<Result> {
  if (taken.kind !== 'held') return work()
  const stop = keeping(ctx, taken.lock)
  try {
    return await work()
  } finally {
    stop()
    drop(ctx, taken.lock)
  }
}

/** Interactive calls: retries until the other lane's call has ended. */
async function atOnce<Result>(ctx: Ctx, collector: string, work: () => Promise<Result>): Promise<Result> {
  const name = collectorNameOf(ctx)(collector)
  if (name === null) return work()
  const id = ctx.rng.uuid()
  let taken = await take(ctx, name, 'now', id)
  while (taken.kind === 'taken') taken = await take(ctx, name, 'now', id)
  return during(ctx, taken, work)
}

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
 * Allows one call in flight per collector across the lanes of the store while its server answers, otherwise only at
 * this lane. A call waits for other lanes' calls; it waits for the server itself once, at most `ASK_MS`.
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
