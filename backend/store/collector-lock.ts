import { STORE_PROTOCOL } from '../../contracts/store/protocol.ts'
import {
  LOCK_LONGEST_MS,
  LOCK_MS,
  LOCK_PATHS,
  LOCK_RENEW_MS,
  LockAnswer,
  LockStatus,
  type NameLock,
  type LockPurpose,
} from '../../contracts/store/collector-locks.ts'
import { type Ctx, perLane } from '../core/context.ts'
import type { KeyedMutex } from '../core/outbox/keyed-mutex.ts'
import { collectorNameOf } from './collector-names.ts'
import { storeLinkOf, storeOf } from './store-link.ts'

/**
 * Time in ms for which the server holds a request while another lane has the lock; the rest of `REQUEST_MS` is for the
 * network.
 */
const WAIT_MS = 150
/**
 * Shortest interval in ms at which a queued call asks for the lock; a random component at most doubles it. In between,
 * a customer's call can take the lock.
 */
const RETRY_MS = 200

type Taken = { readonly kind: 'alone' | 'taken' } | { readonly kind: 'held'; readonly lock: NameLock }

async function take(ctx: Ctx, name: string, purpose: LockPurpose, id: string): Promise<Taken> {
  const lock: NameLock = { protocol: STORE_PROTOCOL, id, collector: name }
  const isAsked = storeOf(ctx).state().kind === 'connected'
  const result = await storeOf(ctx).ask(LOCK_PATHS.take, { ...lock, purpose, waitMs: WAIT_MS }, LockAnswer)
  if (result.kind === 'answer') return result.body.kind === 'yours' ? { kind: 'held', lock } : { kind: 'taken' }
  // Release the lock: the server may have granted it although its answer is missing.
  if (isAsked) drop(ctx, lock)
  return { kind: 'alone' }
}

/** A release is sent once: if it is lost, the lock expires, and waiting lanes ask again. */
const drop = (ctx: Ctx, lock: NameLock): void => void storeOf(ctx).send(LOCK_PATHS.release, lock, LockStatus)

/**
 * Renews a lock until stopped; one late or lost renewal does no harm. If the lock expires, the call continues, because
 * the lane cannot take it back.
 */
function startRenewing(ctx: Ctx, lock: NameLock): () => void {
  const since = ctx.clock.monotonic()
  let confirmed = since
  let isOver = false
  let callOff = ctx.clock.after(LOCK_RENEW_MS, renew)
  function end(): void {
    isOver = true
    callOff()
  }
  function renew(): void {
    const now = ctx.clock.monotonic()
    if (now - confirmed >= LOCK_MS) return endLate('no-answer')
    if (now - since >= LOCK_LONGEST_MS) return
    callOff = ctx.clock.after(LOCK_RENEW_MS, renew)
    void storeOf(ctx)
      .send(LOCK_PATHS.renew, lock, LockStatus)
      .then((result) => {
        if (isOver || result.kind !== 'answer') return
        if (result.body.stands) confirmed = Math.max(confirmed, now)
        else endLate('ended')
      })
  }
  function endLate(reason: string): void {
    end()
    ctx.log.warn({ reason }, 'a call runs longer than its collector lock')
  }
  return end
}

async function during<Result>(ctx: Ctx, taken: Taken, work: () => Promise<Result>): Promise<Result> {
  if (taken.kind !== 'held') return work()
  const stop = startRenewing(ctx, taken.lock)
  try {
    return await work()
  } finally {
    stop()
    drop(ctx, taken.lock)
  }
}

/** Runs a call for which a person waits: asks for the lock until the other lane's call has ended. */
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
 * Allows one call per collector at a time: over all lanes of the store while its server answers, otherwise only over
 * this lane. A call waits for other lanes' calls; for an answer of the server itself it waits once, at most
 * `REQUEST_MS`.
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
        await new Promise<void>((resolve) => void clock.after(RETRY_MS * (1 + rng.fraction()), resolve))
      }
    },
  }
})
