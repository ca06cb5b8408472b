import type { NoEarningReason } from '../../../contracts/sales/sales.ts'
import { encode } from '../services/cash.ts'
import type { Answer } from '../../core/central/transport.ts'
import { jsonOf } from '../../core/central/wire.ts'
import type { Tx } from '../../core/db/transact.ts'
import { completeReverse } from '../services/issue-answer.ts'
import { inTrace } from '../../core/trace.ts'
import { sendResultOf } from './queue-pace.ts'
import { createQueueScheduler, type ServeResult } from './queue-scheduler.ts'
import { issueSettlementOf, type IssueSettlement } from './settlement.ts'
import { EXPECTED_REFUSAL, type IssuanceOperationType } from '../../core/outbox/states.ts'
import type { Change } from '../../core/outbox/journal.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import type { NewCall, StoredCall } from '../../core/outbox/stored-calls.ts'
import { collectorMutexOf } from '../../store/collector-lock.ts'
import { issuanceClientOf } from '../services/issuance.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart, onStop } from '../../core/lifecycle.ts'

export interface NewIssuance {
  readonly type: IssuanceOperationType
  readonly saleId: string
  readonly collectorHash: Uint8Array
  /**
   * The request body. It is serialized once, when the call is recorded, and the same bytes are sent on every attempt.
   */
  readonly request: object
  readonly traceId: string
  readonly dateTime: string
  readonly expectedMiles: number | null
  readonly noEarning?: NoEarningReason | null
  /** Operation whose miles this call takes back. It must be final before this call is sent. */
  readonly after?: string
  readonly corrects?: string
  /**
   * True if the request still lacks the transactionId of the operation `after`; it is added when the answer to that
   * operation has one.
   */
  readonly draft?: boolean
}

/** Interval of the check whether a call that waits for another collector's call may be sent. */
const RECHECK_MS = 60_000

/**
 * The bytes to send for a queued call (stored, or completed from a draft), or the next state of a call that cannot be
 * sent.
 */
type Outgoing =
  | { readonly kind: 'stored'; readonly call: StoredCall; readonly newCall?: NewCall }
  | { readonly kind: 'none'; readonly to: 'dead' | 'escalated'; readonly detail: string }

export type Issuances = ReturnType<typeof issuancesOf>

const issuancesStateOf = perLane((ctx: Ctx) => {
  const scheduler = createQueueScheduler(
    ctx,
    (collector, ended) => serve(ctx, collector, ended),
    collectorMutexOf(ctx).isLive,
  )
  collectorMutexOf(ctx).onIdle(scheduler.pump)
  return {
    scheduler,
  }
})

function enqueue(ctx: Ctx, tx: Tx, entry: NewIssuance): Operation {
  const { type, request, traceId, dateTime, draft = false, after, corrects } = entry
  const operation = ctx.outbox.journal.open(tx, {
    kind: 'issuance',
    type,
    saleId: entry.saleId,
    collectorHash: entry.collectorHash,
    state: 'queued',
    sending: false,
    draft,
    call: {
      purpose: type,
      path: issuanceClientOf(ctx).pathOf(type),
      idempotencyKey: type === 'record' || draft ? null : ctx.rng.uuid(),
      traceId,
      dateTime,
      request: encode(request),
    },
    facts: { miles: entry.expectedMiles, outcome: entry.noEarning ?? null },
    ...(after === undefined ? {} : { afterOperationId: after }),
    ...(corrects === undefined ? {} : { correctsId: corrects }),
  })
  resumeQueue(ctx, operation.collector)
  return operation
}

function resumeQueue(ctx: Ctx, collector: string): void {
  const state = issuancesStateOf(ctx)
  ctx.transact.afterCommit(() => {
    state.scheduler.add(collector)
    ctx.clock.after(0, state.scheduler.pump)
  })
}

function serve(ctx: Ctx, collector: string, ended: (turn: ServeResult) => void): void {
  collectorMutexOf(ctx)
    .run(collector, 'queued', () => serveNext(ctx, collector))
    .catch((error: unknown): ServeResult => {
      // The call stays queued until the next start or the next new call of this collector. Calls of other collectors
      // continue.
      ctx.log.error({ err: error }, 'an issuance could not be recorded')
      return 'nothing-left'
    })
    .then(ended)
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the issuance queue failed to schedule the next call')
    })
}

async function serveNext(ctx: Ctx, collector: string): Promise<ServeResult> {
  const next = ctx.outbox.journal.nextIssuance(collector)
  if (!next || issuancesStateOf(ctx).scheduler.isStopped()) return 'nothing-left'
  const before = next.afterOperationId === null ? undefined : ctx.outbox.journal.get(next.afterOperationId)
  if (before && (before.state === 'dead' || before.state === 'escalated') && next.state === 'queued') {
    // If the call before this one is dead but may have issued the miles, a person decides whether to take them back.
    // Otherwise this call gets the state of the call before it.
    const isDoubtful = before.state === 'dead' && ctx.outbox.journal.mayBeDone(before.id)
    await ctx.outbox.journal.moveSoon(next.id, isDoubtful ? 'escalated' : before.state, {
      facts: {
        nextAttemptAt: null,
        detail: `the ${before.type} before it is ${before.state}`,
        outcome: before.outcome === EXPECTED_REFUSAL ? EXPECTED_REFUSAL : null,
      },
    })
    return 'go-on'
  }
  // `before` can be in another collector's queue, because a corrected copy may be for another card. Check again later
  // whether it is final.
  if (before && (before.state === 'queued' || before.state === 'sent')) return { pauseMs: RECHECK_MS }
  return deliver(ctx, next, before)
}

function opened(ctx: Ctx, { id, type }: Operation): StoredCall | undefined {
  try {
    return ctx.outbox.journal.call(id, type)
  } catch (error) {
    ctx.log.error({ err: error, operation: id }, 'the bytes of a call cannot be opened')
    return undefined
  }
}

function callOf(ctx: Ctx, queued: Operation, before: Operation | undefined): Outgoing {
  const call = opened(ctx, queued)
  if (!call) return { kind: 'none', to: 'escalated', detail: 'the stored bytes of the call cannot be opened' }
  if (!call.draft) return { kind: 'stored', call }
  if (!before?.transactionId)
    return {
      kind: 'none',
      to: 'escalated',
      detail: `the answer to the ${before?.type ?? 'call'} before it names no transactionId`,
    }
  const request = completeReverse(jsonOf(call.request), before.transactionId, ctx.outbox.journal.entriesOf(before.id))
  if (request === null)
    return { kind: 'none', to: 'dead', detail: `the ${before.type} before it issued none of these miles` }
  const completed = { ...call, request: Buffer.from(encode(request)), idempotencyKey: ctx.rng.uuid() }
  return { kind: 'stored', call: completed, newCall: completed }
}

async function deliver(ctx: Ctx, queued: Operation, before: Operation | undefined): Promise<ServeResult> {
  // Decrypt the bytes before counting the send, because an unreadable call was not sent.
  const outgoing = callOf(ctx, queued, before)
  if (outgoing.kind === 'none') {
    const { to, detail } = outgoing
    await ctx.outbox.journal.moveSoon(queued.id, to, {
      facts: { nextAttemptAt: null, detail, ...(to === 'dead' ? { outcome: EXPECTED_REFUSAL } : {}) },
    })
    return 'go-on'
  }
  return inTrace(outgoing.call.trace, () => sendOne(ctx, queued, outgoing))
}

async function sendOne(
  ctx: Ctx,
  queued: Operation,
  { call, newCall }: Extract<Outgoing, { kind: 'stored' }>,
): Promise<ServeResult> {
  const issuance = issuanceClientOf(ctx)
  const state = issuancesStateOf(ctx)
  const sent = await ctx.outbox.journal.moveSoon(queued.id, 'sent', {
    sending: queued.type,
    facts: { nextAttemptAt: null },
    ...(newCall ? { newCall } : {}),
  })
  if (state.scheduler.isStopped()) return 'nothing-left'
  const answer = await issuance.sendStored(call)
  const settlement = issueSettlementOf(sent, answer, call.request, issuance.parallelError)
  const { change, turn } = changeOf(ctx, settlement, answer)
  await ctx.outbox.journal.moveSoon(sent.id, settlement.to, change)
  // Report now that this collector has no call left: a further pass, which finds none, would use one of the concurrent
  // sends.
  const isLast = turn === 'go-on' && (state.scheduler.isStopped() || !ctx.outbox.journal.nextIssuance(sent.collector))
  return isLast ? 'nothing-left' : turn
}

function changeOf(
  ctx: Ctx,
  { facts, next, answer, undone }: IssueSettlement,
  received: Answer,
): { change: Change; turn: ServeResult } {
  const state = issuancesStateOf(ctx)
  const waitMs = state.scheduler.recordResult(sendResultOf(next, received, ctx.clock.now()))
  if (next === 'go-on') {
    const change: Change = {
      facts,
      ...(answer && answer.entries.length > 0 ? { entryDetails: { issuances: answer.entries } } : {}),
      ...(answer
        ? {
            also: (tx, operation) => {
              ctx.outbox.journal.notices.onResponse(tx, operation, answer)
            },
          }
        : {}),
    }
    return { change, turn: 'go-on' }
  }
  const waits = (ms: number): Change => ({
    facts: { ...facts, nextAttemptAt: ctx.clock.now() + ms },
    ...(undone ? { entryDetails: { undone } } : {}),
  })
  if (next === 'no-central') return { change: waits(waitMs), turn: 'go-on' }
  const restMs = state.scheduler.restAfter((facts.failures ?? 0) + (facts.refusals ?? 0))
  return { change: waits(restMs), turn: { pauseMs: restMs } }
}

function start(ctx: Ctx): void {
  const state = issuancesStateOf(ctx)
  for (const collector of ctx.outbox.journal.waitingCollectors()) state.scheduler.add(collector)
  state.scheduler.pump()
}

function sendAgain(ctx: Ctx, tx: Tx, id: string, staffId: string): Operation {
  const queued = ctx.outbox.journal.moveManually(tx, id, 'queued', staffId, {
    facts: { failures: 0, refusals: 0, detail: null, responseCode: null },
  })
  resumeQueue(ctx, queued.collector)
  return queued
}

function stop(ctx: Ctx): void {
  issuancesStateOf(ctx).scheduler.stop()
  ctx.outbox.journal.flush()
}

/**
 * Queue of calls to the issuance service. A call commits with its sale, and each collector's calls are sent in the
 * order of their creation. Bytes and idempotency key of a call never change, so a retry is safe. Missing connections
 * and outages do not count as attempts. Pauses use the monotonic clock, so setting the wall clock does not affect them.
 */
export const issuancesOf = perLane((ctx: Ctx) => {
  issuancesStateOf(ctx)
  onStart(ctx, () => start(ctx))
  onStop(ctx, () => stop(ctx))
  return bound(ctx, {
    enqueue,
    start,
    sendAgain,
    stop,
  })
})
