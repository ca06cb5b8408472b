import type { NoEarningReason } from '../../../contracts/sales/sales.ts'
import { encode } from '../services/cash.ts'
import type { Answer } from '../../core/central/transport.ts'
import { jsonOf } from '../../core/central/wire.ts'
import type { Tx } from '../../core/db/transact.ts'
import { completeReverse } from '../services/issue-answer.ts'
import { inTrace } from '../../core/trace.ts'
import { heardOf } from './queue-pace.ts'
import { createQueueTurns, type Turn } from './queue-turns.ts'
import { settlementOf, type Settlement } from './settlement.ts'
import { EXPECTED_REFUSAL, type IssuanceOperationType } from '../../core/outbox/states.ts'
import type { Change } from '../../core/outbox/journal.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import type { NewCall, StoredCall } from '../../core/outbox/stored-calls.ts'
import { collectorMutexOf } from '../../store/collector-turns.ts'
import { issuanceClientOf } from '../services/issuance.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart, onStop } from '../../core/lifecycle.ts'

/** One call that waits to go to the issuance service. */
export interface NewIssuance {
  readonly type: IssuanceOperationType
  readonly saleId: string
  readonly collectorHash: Uint8Array
  /** The request as the wire has it; it is made into bytes here, once. */
  readonly request: object
  readonly traceId: string
  readonly dateTime: string
  readonly expectedMiles: number | null
  /** Why the collector was told to expect no miles. */
  readonly noEarning?: NoEarningReason | null
  /** The operation whose miles this one takes back: it waits until that one is final. */
  readonly after?: string
  /** The refused operation that this one is the corrected copy of. */
  readonly corrects?: string
  /** The request names the transaction of `after`, which no answer has said yet: it is completed when one has. */
  readonly draft?: boolean
}

/** A turn that waits for another collector's call looks again after this long. */
const LOOK_AGAIN_MS = 60_000

/**
 * What can leave for a queued call: its bytes, made of its draft just now or stored before; or nothing, and how it
 * ends.
 */
type Outgoing =
  | { readonly kind: 'stored'; readonly call: StoredCall; readonly newCall?: NewCall }
  | { readonly kind: 'none'; readonly to: 'dead' | 'escalated'; readonly detail: string }

export type Issuances = ReturnType<typeof issuancesOf>

const issuancesStateOf = perLane((ctx: Ctx) => {
  const turns = createQueueTurns(ctx, (collector, ended) => serve(ctx, collector, ended), collectorMutexOf(ctx).isLive)
  collectorMutexOf(ctx).onCalm(turns.pump)
  return {
    turns,
  }
})

/** Records a call with the commit that it tells of; it leaves after that. */
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
  wake(ctx, operation.collector)
  return operation
}

function wake(ctx: Ctx, collector: string): void {
  const state = issuancesStateOf(ctx)
  ctx.transact.afterCommit(() => {
    state.turns.add(collector)
    ctx.clock.after(0, state.turns.pump)
  })
}

function serve(ctx: Ctx, collector: string, ended: (turn: Turn) => void): void {
  collectorMutexOf(ctx)
    .run(collector, 'queued', () => turn(ctx, collector))
    .catch((error: unknown): Turn => {
      // Storage that failed is looked at by the restart; bytes that cannot be read hold up their own collector alone.
      ctx.log.error({ err: error }, 'an issuance could not be recorded')
      return 'nothing-left'
    })
    .then(ended)
    .catch((error: unknown) => {
      ctx.log.error({ err: error }, 'the queue could not go on')
    })
}

/** The oldest call of a collector, sent once or settled without sending. */
async function turn(ctx: Ctx, collector: string): Promise<Turn> {
  const next = ctx.outbox.journal.nextIssuance(collector)
  if (!next || issuancesStateOf(ctx).turns.isStopped()) return 'nothing-left'
  const before = next.afterOperationId === null ? undefined : ctx.outbox.journal.get(next.afterOperationId)
  if (before && (before.state === 'dead' || before.state === 'escalated') && next.state === 'queued') {
    // Nothing came to be that could be taken back, or nobody knows whether it did: a person decides.
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
  // Only a corrected copy can wait for another collector; that one has its own turn.
  if (before && (before.state === 'queued' || before.state === 'sent')) return { restMs: LOOK_AGAIN_MS }
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

/** The stored bytes; of a draft, the request that it becomes now that the answer before it is known. */
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
  if (request === null) return { kind: 'none', to: 'dead', detail: `the ${before.type} before it gave nothing of this` }
  const completed = { ...call, request: Buffer.from(encode(request)), idempotencyKey: ctx.rng.uuid() }
  return { kind: 'stored', call: completed, newCall: completed }
}

async function deliver(ctx: Ctx, queued: Operation, before: Operation | undefined): Promise<Turn> {
  // Opened before the send is counted: bytes that cannot be read were not sent.
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
): Promise<Turn> {
  const issuance = issuanceClientOf(ctx)
  const state = issuancesStateOf(ctx)
  const sent = await ctx.outbox.journal.moveSoon(queued.id, 'sent', {
    sending: queued.type,
    facts: { nextAttemptAt: null },
    ...(newCall ? { newCall } : {}),
  })
  if (state.turns.isStopped()) return 'nothing-left'
  const answer = await issuance.sendStored(call)
  const settlement = settlementOf(sent, answer, call.request, issuance.parallelError)
  const { change, turn } = changeOf(ctx, settlement, answer)
  await ctx.outbox.journal.moveSoon(sent.id, settlement.to, change)
  // Another turn that would find nothing would take its place in the pace.
  const isLast = turn === 'go-on' && (state.turns.isStopped() || !ctx.outbox.journal.nextIssuance(sent.collector))
  return isLast ? 'nothing-left' : turn
}

/** What is written of a settlement, and how long its collector or the whole queue waits. */
function changeOf(
  ctx: Ctx,
  { facts, next, answer, undone }: Settlement,
  heard: Answer,
): { change: Change; turn: Turn } {
  const state = issuancesStateOf(ctx)
  const waitMs = state.turns.heard(heardOf(next, heard, ctx.clock.now()))
  if (next === 'go-on') {
    const change: Change = {
      facts,
      ...(answer && answer.entries.length > 0 ? { kept: { issuances: answer.entries } } : {}),
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
    ...(undone ? { kept: { undone } } : {}),
  })
  if (next === 'no-central') return { change: waits(waitMs), turn: 'go-on' }
  const restMs = state.turns.restAfter((facts.failures ?? 0) + (facts.refusals ?? 0))
  return { change: waits(restMs), turn: { restMs } }
}

/** Takes up what an earlier run left in the queue. */
function start(ctx: Ctx): void {
  const state = issuancesStateOf(ctx)
  for (const collector of ctx.outbox.journal.waitingCollectors()) state.turns.add(collector)
  state.turns.pump()
}

/**
 * Sends a call that was given up once more, since a person says that the loyalty service can take it now: the same
 * bytes and key.
 */
function sendAgain(ctx: Ctx, tx: Tx, id: string, staffId: string): Operation {
  const queued = ctx.outbox.journal.order(tx, id, 'queued', staffId, {
    facts: { failures: 0, refusals: 0, detail: null, responseCode: null },
  })
  wake(ctx, queued.collector)
  return queued
}

function stop(ctx: Ctx): void {
  issuancesStateOf(ctx).turns.stop()
  ctx.outbox.journal.settle()
}

/**
 * The queue to the issuance service. A row is born with its sale's commit and leaves in the order of birth per
 * collector. The bytes and the key never change, so sending again is safe; no connection and outages wait without using
 * up attempts. Waiting goes by the monotonic clock: a clock that is set neither holds the queue nor hurries it.
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
