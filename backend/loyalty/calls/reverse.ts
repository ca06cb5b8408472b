import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import PQueue from 'p-queue'
import { CashResponse, RedeemRequest, ReverseRequest } from '../../../contracts/central/cash.ts'
import { againAfter, isRepeated, type RetryPlan } from '../../core/central/retry.ts'
import { waitAfterRetryAfter, equalJitter, retryAfterOf } from '../../core/central/waits.ts'
import { encode, cashClientOf } from '../services/cash.ts'
import { jsonOf } from '../../core/central/wire.ts'
import type { Tx } from '../../core/db/transact.ts'
import { meaningOfReverse, type ReverseMeaning } from '../services/answers.ts'
import { inTrace } from '../../core/trace.ts'
import type { Change } from '../../core/outbox/journal.ts'
import type { Facts, Operation } from '../../core/outbox/operation.ts'
import { REVERSAL_UNANSWERED } from '../../core/outbox/operation-lists.ts'
import { collectorMutexOf } from '../../store/collector-lock.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { isStopping, runLater } from '../../core/lifecycle.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'

export interface ReversalEvents {
  /**
   * The reversal window has closed (03:00 passed, or code 0080): the listener refunds the value in another form in the
   * same commit.
   */
  'redemption.reversal-expired': [tx: Tx, operation: Operation]
  /** A manager requested store credit for the redemption, which is printed as a document. */
  'redemption.credited': [tx: Tx, operation: Operation, amountCents: number]
}

/** First and longest pause before a reversal without a final answer is sent again. */
const BACKOFF = { baseMs: 2_000, capMs: 60_000 } as const
const DOUBTFUL_ROUNDS = 8
const AT_ONCE = 8

/** Stored detail of an approval that echoes another request: its confirmation number may belong to that request. */
export const ANOTHERS_ECHO = 'approved under the echo of another request'

/**
 * The result of one send of a reversal. `silent`: no answer, and the miles may have been returned. `not-seen`: the
 * request did not reach the service.
 */
type Received = (ReverseMeaning | { readonly kind: 'silent' | 'not-seen'; readonly responseCode: null }) & {
  /** How to send the one immediate retry; null if the answer is not followed by a retry. */
  readonly retry: RetryPlan | null
  readonly retryAfterMs?: number | null
}

/**
 * Derives the idempotency key of a reversal from the redemption's id, so that every lane derives the same key: a UUID
 * (RFC 9562 §5.8).
 */
export function reversalKey(operationId: string): string {
  const hex = createHash('sha256').update(`reverse ${operationId}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

export type Reversals = ReturnType<typeof reversalsOf>

const reversalsStateOf = perLane(() => {
  const deliveries = new PQueue({ concurrency: AT_ONCE })
  const events = new EventEmitter<ReversalEvents>()
  return {
    deliveries,
    events,
  }
})

/**
 * Records a reversal, which names the redemption by its confirmation number, and sends it after the commit. `original`:
 * the id that the redemption has at the lane that made it, from which every lane derives the same key.
 */
function requestReversal(
  ctx: Ctx,
  tx: Tx,
  operation: Operation,
  facts: Facts = {},
  extra: Pick<Change, 'entryDetails'> = {},
  original: string = operation.id,
): Operation {
  const cash = cashClientOf(ctx)
  const redeemed = RedeemRequest.parse(jsonOf(ctx.outbox.journal.call(operation.id, 'redeem').request))
  const number = facts.confirmationNumber ?? operation.confirmationNumber ?? ''
  const request = cash.reverseRequest(redeemed, number, ctx.clock.now())
  const reversing = ctx.outbox.journal.move(tx, operation.id, 'reversing', {
    newCall: {
      purpose: 'reverse',
      path: cash.pathOf('reverse'),
      idempotencyKey: reversalKey(original),
      traceId: request.traceId,
      dateTime: request.dateTime,
      request: encode(request),
    },
    facts: { ...facts, outcome: 'reversing', failures: 0 },
    ...extra,
  })
  start(ctx, reversing)
  return reversing
}

function start(ctx: Ctx, operation: Operation): void {
  ctx.transact.afterCommit(() => {
    reversalsStateOf(ctx)
      .deliveries.add(() => collectorMutexOf(ctx).run(operation.collector, 'now', () => delivered(ctx, operation.id)))
      .catch((error: unknown) => {
        ctx.log.error(
          { err: error, operation: operation.id },
          'could not record the reversal: sending it again at the next start',
        )
      })
  })
}

/** Sends a reversal in its own trace, not in that of its trigger. */
function delivered(ctx: Ctx, id: string): Promise<void> {
  return inTrace(ctx.outbox.journal.call(id, 'reverse').trace, () => deliver(ctx, id))
}

async function deliver(ctx: Ctx, id: string): Promise<void> {
  if (isStopping(ctx) || ctx.outbox.journal.get(id)?.state !== 'reversing') return
  let received = await sendOnce(ctx, id)
  if (!isStopping(ctx) && received.retry !== null) received = await sendOnce(ctx, id, received.retry)
  if (!settle(ctx, id, received) && !isStopping(ctx)) keepRetrying(ctx, id, received)
}

async function sendOnce(ctx: Ctx, id: string, resend: RetryPlan = {}): Promise<Received> {
  // Count the send before its first byte is sent, as a transition to the same state.
  ctx.transact((tx) => ctx.outbox.journal.move(tx, id, 'reversing', { sending: 'reverse' }))
  const call = ctx.outbox.journal.call(id, 'reverse')
  const answer = await cashClientOf(ctx).sendStored(call, resend)
  const asked = ReverseRequest.parse(jsonOf(call.request))
  const meaningOf = (bytes: Uint8Array): ReverseMeaning =>
    meaningOfReverse(CashResponse.safeParse(jsonOf(bytes)).data, asked)
  const isRetried = isRepeated(answer, ({ bytes }) => meaningOf(bytes).kind === 'unknown')
  const retry = isRetried ? againAfter(answer) : null
  if (answer.kind !== 'answer')
    return { kind: answer.kind === 'unknown' ? 'silent' : 'not-seen', responseCode: null, retry }
  return { ...meaningOf(answer.bytes), retry, retryAfterMs: retryAfterOf(answer, ctx.clock.now()) }
}

function settle(ctx: Ctx, id: string, received: Received): boolean {
  switch (received.kind) {
    case 'reversed':
      ctx.transact((tx) => ctx.outbox.journal.move(tx, id, 'reversed', { facts: { outcome: 'reversed' } }))
      return true
    case 'expired':
      ctx.transact((tx) => expire(ctx, tx, id, received.responseCode))
      return true
    case 'refused':
      ctx.transact((tx) => escalate(ctx, tx, id, { responseCode: received.responseCode }))
      return true
    case 'unknown':
    case 'later':
    case 'silent':
    case 'not-seen':
      return false
  }
}

const escalate = (ctx: Ctx, tx: Tx, id: string, facts: Facts): Operation =>
  ctx.outbox.journal.move(tx, id, 'reversal-escalated', { facts: { ...facts, outcome: 'reversal-escalated' } })

/**
 * The reversal window has closed: the miles stay redeemed, and their value is refunded in another form (specification 3
 * §4.5 rule 7).
 */
function expire(ctx: Ctx, tx: Tx, id: string, responseCode: string | null): void {
  const before = ctx.outbox.journal.get(id)
  // The confirmation number may belong to an older request, whose reversal window closed long ago. Give no store
  // credit: a manager asks the program.
  if (before?.detail === ANOTHERS_ECHO && before.approvedOnAttempt === null) {
    escalate(ctx, tx, id, { responseCode })
    return
  }
  const outcome = before && !hasPaid(ctx, before) ? 'reversal-owed' : 'reversal-expired'
  const expired = ctx.outbox.journal.move(tx, id, 'reversal-expired', { facts: { responseCode, outcome } })
  reversalsStateOf(ctx).events.emit('redemption.reversal-expired', tx, expired)
}

/**
 * Puts a reversal without a final answer on the manager's list, and sends the same bytes and key again later, for days
 * if necessary. Escalates it after `DOUBTFUL_ROUNDS` doubtful answers.
 */
function keepRetrying(ctx: Ctx, id: string, received: Received): void {
  const before = ctx.outbox.journal.get(id)
  if (before?.state !== 'reversing') return
  const { responseCode } = received
  // Count only rounds with a doubtful answer: a missing connection, a missing answer and an outage do not count.
  const failures = before.failures + (received.kind === 'unknown' ? 1 : 0)
  if (failures >= DOUBTFUL_ROUNDS) {
    ctx.transact((tx) => escalate(ctx, tx, id, { failures, responseCode }))
    return
  }
  const changed =
    before.outcome !== REVERSAL_UNANSWERED || failures !== before.failures || responseCode !== before.responseCode
  if (changed)
    ctx.transact((tx) =>
      ctx.outbox.journal.move(tx, id, 'reversing', {
        facts: { failures, responseCode, outcome: REVERSAL_UNANSWERED },
      }),
    )
  scheduleRetry(ctx, before, received.retryAfterMs ?? null)
}

function scheduleRetry(ctx: Ctx, operation: Operation, retryAfterMs: number | null): void {
  const ownMs = equalJitter(BACKOFF, Math.ceil(operation.sends / 2), ctx.rng.fraction())
  runLater(ctx, waitAfterRetryAfter(retryAfterMs, ctx.rng.fraction()) + ownMs, () => {
    start(ctx, operation)
  })
}

function resend(ctx: Ctx, tx: Tx, id: string, staffId: string): Operation {
  const reversing = ctx.outbox.journal.moveManually(tx, id, 'reversing', staffId, {
    facts: { failures: 0, outcome: 'reversing', responseCode: null },
  })
  start(ctx, reversing)
  return reversing
}

/**
 * Gives redeemed miles back: retries REVERSE once, identically and immediately, after 0008, 0096, no answer or no
 * connection (specification 3 §4.5 rule 6, §7.2). A reversal that is still open is retried in the background under its
 * key. Until its outcome is final it is on the manager's list, because the reversal window closes at 03:00.
 */
export const reversalsOf = perLane((ctx: Ctx) => {
  reversalsStateOf(ctx)
  return {
    ...bound(ctx, {
      request: requestReversal,
      resume: start,
      resend,
    }),
    events: reversalsStateOf(ctx).events,

    expire(tx: Tx, operation: Operation): void {
      expire(ctx, tx, operation.id, null)
    },
  }
})

const refundsOf = perLane(({ db }) =>
  db.prepare<{ id: string }>(
    'SELECT 1 FROM refund WHERE operation_id = @id UNION ALL SELECT 1 FROM store_refund WHERE operation_id = @id',
  ),
)

const hasPaid = (ctx: Ctx, { id, saleId }: Pick<Operation, 'id' | 'saleId'>): boolean =>
  saleRowsOf(ctx).paidBy(saleId, id) > 0 || refundsOf(ctx).get({ id }) !== undefined
