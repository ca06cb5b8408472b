import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import PQueue from 'p-queue'
import { CashResponse, RedeemRequest, ReverseRequest } from '../../../contracts/central/cash.ts'
import { againAfter, isRepeated, type Again } from '../../core/central/retry.ts'
import { afterAsked, equalJitter, retryAfterOf } from '../../core/central/waits.ts'
import { encode, cashClientOf } from '../services/cash.ts'
import { jsonOf } from '../../core/central/wire.ts'
import type { Tx } from '../../core/db/transact.ts'
import { meaningOfReverse, type ReverseMeaning } from '../services/answers.ts'
import { inTrace } from '../../core/trace.ts'
import type { Change } from '../../core/outbox/journal.ts'
import type { Facts, Operation } from '../../core/outbox/operation.ts'
import { REVERSAL_UNANSWERED } from '../../core/outbox/operation-lists.ts'
import { collectorMutexOf } from '../../store/collector-turns.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { isStopping, runLater } from '../../core/lifecycle.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'

export interface ReversalEvents {
  /** Too late (03:00 has passed, or 0080): what its miles paid goes back in another form, in the same commit. */
  'redemption.reversal-expired': [tx: Tx, operation: Operation]
  /** A manager orders store credit for it, with its paper. */
  'redemption.credited': [tx: Tx, operation: Operation, amountCents: number]
}

/**
 * Reversals that are not answered are sent again after this long, doubling, until they are final; so many rounds of
 * doubtful answers escalate.
 */
const BACKOFF = { baseMs: 2_000, capMs: 60_000 } as const
const DOUBTFUL_ROUNDS = 8
/** After an outage no more than this many reversals are on their way at once. */
const AT_ONCE = 8

/** Kept with an entry whose approval came under the echo of another request: nobody knows whose its number is. */
export const ANOTHERS_ECHO = 'approved under the echo of another request'

/** The result of one send: `silent` may have been done, `not-seen` did not reach the service. */
type Received = (ReverseMeaning | { readonly kind: 'silent' | 'not-seen'; readonly responseCode: null }) & {
  /** How the one retry at once is sent; null: there is none. */
  readonly retry: Again | null
  /** Turned away for now: how long the service asked to be left alone, in ms; else null. */
  readonly retryAfterMs?: number | null
}

/** The one key under which a redemption is reversed, whichever lane does: a UUID made of its id (RFC 9562 §5.8). */
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
 * Orders that a redemption is reversed by its confirmation number; the call leaves after the commit. `original`: id
 * of the redemption at the lane that made it, where that is another: its key is the same at every lane.
 */
function order(
  ctx: Ctx,
  tx: Tx,
  operation: Operation,
  facts: Facts = {},
  beside: Pick<Change, 'kept'> = {},
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
    ...beside,
  })
  start(ctx, reversing)
  return reversing
}

function start(ctx: Ctx, operation: Operation): void {
  ctx.transact.afterCommit(() => {
    reversalsStateOf(ctx)
      .deliveries.add(() => collectorMutexOf(ctx).run(operation.collector, 'now', () => delivered(ctx, operation.id)))
      .catch((error: unknown) => {
        ctx.log.error({ err: error, operation: operation.id }, 'the reversal could not be recorded')
      })
  })
}

/** Whoever set it going: it is a part of its own trace. */
function delivered(ctx: Ctx, id: string): Promise<void> {
  return inTrace(ctx.outbox.journal.call(id, 'reverse').trace, () => deliver(ctx, id))
}

async function deliver(ctx: Ctx, id: string): Promise<void> {
  if (isStopping(ctx) || ctx.outbox.journal.get(id)?.state !== 'reversing') return
  let received = await sendOnce(ctx, id)
  if (!isStopping(ctx) && received.retry !== null) received = await sendOnce(ctx, id, received.retry)
  if (!settle(ctx, id, received) && !isStopping(ctx)) goOn(ctx, id, received)
}

async function sendOnce(ctx: Ctx, id: string, again: Again = {}): Promise<Received> {
  // The send is counted before the first byte leaves, as a transition from the state to itself.
  ctx.transact((tx) => ctx.outbox.journal.move(tx, id, 'reversing', { sending: 'reverse' }))
  const call = ctx.outbox.journal.call(id, 'reverse')
  const answer = await cashClientOf(ctx).sendStored(call, again)
  const asked = ReverseRequest.parse(jsonOf(call.request))
  const meaningOf = (bytes: Uint8Array): ReverseMeaning =>
    meaningOfReverse(CashResponse.safeParse(jsonOf(bytes)).data, asked)
  const isRetried = isRepeated(answer, ({ bytes }) => meaningOf(bytes).kind === 'unknown')
  const retry = isRetried ? againAfter(answer) : null
  if (answer.kind !== 'answer')
    return { kind: answer.kind === 'unknown' ? 'silent' : 'not-seen', responseCode: null, retry }
  return { ...meaningOf(answer.bytes), retry, retryAfterMs: retryAfterOf(answer, ctx.clock.now()) }
}

/** The transition of an answer that ends it; false for one that does not. */
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
 * The window has closed: the miles stay redeemed, and what they paid goes back in another form (specification 3 §4.5
 * rule 7).
 */
function expire(ctx: Ctx, tx: Tx, id: string, responseCode: string | null): void {
  const before = ctx.outbox.journal.get(id)
  // A number whose window closed long ago is another's rather than that of a request of just now: no store credit
  // for it, and a person asks the program.
  if (before?.detail === ANOTHERS_ECHO && before.approvedOnAttempt === null) {
    escalate(ctx, tx, id, { responseCode })
    return
  }
  const outcome = before && !hasPaid(ctx, before) ? 'reversal-owed' : 'reversal-expired'
  const expired = ctx.outbox.journal.move(tx, id, 'reversal-expired', { facts: { responseCode, outcome } })
  reversalsStateOf(ctx).events.emit('redemption.reversal-expired', tx, expired)
}

/**
 * Not settled in this round: on the manager's list at once, and the same bytes and key again later, for days if need
 * be.
 */
function goOn(ctx: Ctx, id: string, received: Received): void {
  const before = ctx.outbox.journal.get(id)
  if (before?.state !== 'reversing') return
  const { responseCode } = received
  // No connection, no answer and an outage use up no round.
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
  later(ctx, before, received.retryAfterMs ?? null)
}

function later(ctx: Ctx, operation: Operation, retryAfterMs: number | null): void {
  const ownMs = equalJitter(BACKOFF, Math.ceil(operation.sends / 2), ctx.rng.fraction())
  runLater(ctx, afterAsked(retryAfterMs, ctx.rng.fraction()) + ownMs, () => {
    start(ctx, operation)
  })
}

/**
 * Sends a reversal that was given up once more, since a person says that the loyalty service can take it now: the
 * same bytes and key.
 */
function again(ctx: Ctx, tx: Tx, id: string, staffId: string): Operation {
  const reversing = ctx.outbox.journal.order(tx, id, 'reversing', staffId, {
    facts: { failures: 0, outcome: 'reversing', responseCode: null },
  })
  start(ctx, reversing)
  return reversing
}

/**
 * Gives redeemed miles back: one identical retry at once after 0008, 0096, silence or no connection (3 §4.5 rule 6,
 * §7.2). What is still open then goes on in the background under its key, and stands on the manager's list meanwhile:
 * its window closes at 03:00.
 */
export const reversalsOf = perLane((ctx: Ctx) => {
  reversalsStateOf(ctx)
  return {
    ...bound(ctx, {
      order,
      /** Goes on with one that a restart has found. */
      resume: start,
      again,
    }),
    events: reversalsStateOf(ctx).events,

    /** Gives an approved redemption up whose window is known to be closed, without a call. */
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

/** Whether the redemption has paid a part of its sale, or a return has given it back. */
const hasPaid = (ctx: Ctx, { id, saleId }: Pick<Operation, 'id' | 'saleId'>): boolean =>
  saleRowsOf(ctx).paidBy(saleId, id) > 0 || refundsOf(ctx).get({ id }) !== undefined
