import { EventEmitter } from 'node:events'
import { CashResponse, RedeemRequest } from '../../../contracts/central/cash.ts'
import { encode, cashClientOf } from '../services/cash.ts'
import { jsonOf } from '../../core/central/wire.ts'
import { type RetryPlan, againAfter } from '../../core/central/retry.ts'
import type { Answer } from '../../core/central/transport.ts'
import type { Tx } from '../../core/db/transact.ts'
import { type ApprovalMismatch, type RedeemMeaning, meaningOfRedeem } from '../services/answers.ts'
import { inTrace } from '../../core/trace.ts'
import type { Facts, Operation } from '../../core/outbox/operation.ts'
import type { TakenAnyway } from '../../core/outbox/operation-lists.ts'
import { ANOTHERS_ECHO, reversalsOf } from './reverse.ts'
import { collectorMutexOf } from '../../store/collector-lock.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

export interface RedemptionEvents {
  /**
   * A redemption was approved. The listener adds the tender to the open sale in the same commit; if it throws, the
   * redemption is reversed.
   */
  'redemption.approved': [tx: Tx, operation: Operation, response: CashResponse]
}

export interface NewRedemption {
  readonly saleId: string
  readonly collectorHash: Uint8Array
  readonly units: number
  readonly amountCents: number
  readonly miles: number
  readonly request: RedeemRequest
}

/**
 * Number of redemptions escalated in one commit at a restart: fewer commits mean fewer disk syncs, and a failed commit
 * rolls back only its own group.
 */
const ESCALATIONS_A_COMMIT = 250

type Approval = Extract<RedeemMeaning, { kind: 'approved' }>
type Declined = Extract<RedeemMeaning, { kind: 'declined' }>

interface FirstSend {
  readonly mismatched: ApprovalMismatch | null
  /** True if the first request certainly did not leave this machine. */
  readonly wasNeverSent: boolean
  readonly again: RetryPlan
}
const UNKNOWN_SEND: FirstSend = { mismatched: null, wasNeverSent: false, again: {} }

/** Stored detail of an operation whose approval differs from its request. */
export const MISMATCHED = 'approved, and cannot be applied as asked'

export type Redemptions = ReturnType<typeof redemptionsOf>

const redemptionsStateOf = perLane(() => {
  const events = new EventEmitter<RedemptionEvents>()
  return {
    events,
  }
})

const saleIsOpen = (ctx: Ctx, saleId: string): boolean => saleRowsOf(ctx).byId(saleId)?.state === 'open'

/**
 * Records the redemption with its exact bytes in the transaction that checks the sale. `sendRedemption` must follow.
 */
export const recordRedemption = (ctx: Ctx, tx: Tx, { request, ...redemption }: NewRedemption): Operation =>
  ctx.outbox.journal.open(tx, {
    kind: 'redemption',
    type: 'redeem',
    saleId: redemption.saleId,
    collectorHash: redemption.collectorHash,
    state: 'intent',
    call: {
      purpose: 'redeem',
      path: cashClientOf(ctx).pathOf('redeem'),
      idempotencyKey: ctx.rng.uuid(),
      traceId: request.traceId,
      dateTime: request.dateTime,
      request: encode(request),
    },
    sending: true,
    facts: {
      units: redemption.units,
      amountCents: redemption.amountCents,
      miles: redemption.miles,
      outcome: 'sending',
    },
  })

/** Sends a recorded redemption and returns it with its outcome. The caller must hold the collector's lock. */
export const sendRedemption = async (ctx: Ctx, operation: Operation): Promise<Operation> =>
  settleFirst(ctx, operation, await cashClientOf(ctx).sendStored(ctx.outbox.journal.call(operation.id, 'redeem')))

async function settleFirst(ctx: Ctx, operation: Operation, answer: Answer): Promise<Operation> {
  if (answer.kind === 'no-token') return declineUnsent(ctx, operation, answer)
  const meaning = answer.kind === 'answer' ? meaningOf(ctx, operation, answer) : null
  if (!isRetried(meaning)) return settleByMeaning(ctx, operation, meaning)
  ctx.log.warn(
    { operation: operation.id, reason: answer.kind === 'answer' ? meaning?.responseCode : answer.reason },
    'redemption outcome unknown: retrying once',
  )
  return retry(ctx, operation, {
    mismatched: meaning?.mismatched ?? null,
    wasNeverSent: answer.kind === 'never-sent',
    again: againAfter(answer),
  })
}

const declineUnsent = (
  ctx: Ctx,
  operation: Operation,
  answer: Extract<Answer, { kind: 'never-sent' | 'no-token' }>,
): Operation =>
  decline(ctx, operation, {
    outcome: answer.kind === 'no-token' && answer.cause === 'refused' ? 'secret-refused' : 'unreachable',
    detail: answer.reason,
  })

const settleByMeaning = (ctx: Ctx, operation: Operation, meaning: Approval | Declined): Operation =>
  meaning.kind === 'approved'
    ? approve(ctx, operation, 1, meaning)
    : decline(ctx, operation, {
        responseCode: meaning.responseCode,
        outcome: meaning.outcome,
        detail: meaning.message,
      })

async function retry(ctx: Ctx, operation: Operation, first: FirstSend): Promise<Operation> {
  const facts = { outcome: 'retrying', ...(first.mismatched ? mismatchFacts(first.mismatched) : {}) }
  const retrying = ctx.transact((tx) =>
    ctx.outbox.journal.move(tx, operation.id, 'retry', { sending: 'redeem', facts, ...takenChange(first.mismatched) }),
  )
  return settleSecond(
    ctx,
    retrying,
    first,
    await cashClientOf(ctx).sendStored(ctx.outbox.journal.call(retrying.id, 'redeem'), first.again),
  )
}

/**
 * Settles a redemption by the answer to its retry. If the first send may have arrived, only an answer that matches this
 * redemption settles it. If it certainly did not arrive, the retry counts as the first send.
 */
function settleSecond(
  ctx: Ctx,
  operation: Operation,
  { mismatched: first, wasNeverSent }: FirstSend,
  answer: Answer,
): Operation {
  if (wasNeverSent && (answer.kind === 'never-sent' || answer.kind === 'no-token'))
    return declineUnsent(ctx, operation, answer)
  const meaning = answer.kind === 'answer' ? meaningOf(ctx, operation, answer) : null
  if (meaning?.kind === 'approved') return approve(ctx, operation, 2, meaning)
  const second = meaning?.kind === 'unknown' ? meaning.mismatched : null
  // Prefer a confirmation number that is certainly of this redemption to one in an answer that echoes another request.
  const mismatch = [second, first].find((one) => one?.ours) ?? second ?? first
  // The program refused this redemption. A confirmation number in an answer that echoes another request belongs to that
  // request, so nothing is reversed.
  if (meaning?.kind === 'declined' && (meaning.definitive || wasNeverSent) && !mismatch?.ours) {
    return decline(ctx, operation, {
      responseCode: meaning.responseCode,
      outcome: meaning.outcome,
      confirmationNumber: null,
      transDateTime: null,
      detail: meaning.message,
    })
  }
  const responseCode = meaning?.responseCode ?? null
  if (mismatch) return reverseMismatch(ctx, operation, { ...mismatchFacts(mismatch), responseCode }, mismatch)
  return escalate(ctx, operation, answer.kind === 'answer' ? { responseCode } : { detail: answer.reason })
}

function meaningOf(ctx: Ctx, operation: Operation, answer: Extract<Answer, { kind: 'answer' }>): RedeemMeaning {
  const request = RedeemRequest.parse(jsonOf(ctx.outbox.journal.call(operation.id, 'redeem').request))
  const parsed = CashResponse.safeParse(jsonOf(answer.bytes))
  return meaningOfRedeem(parsed.success ? parsed.data : undefined, request, {
    units: operation.units ?? 0,
    miles: operation.miles ?? 0,
  })
}

function approve(ctx: Ctx, operation: Operation, attempt: 1 | 2, meaning: Approval): Operation {
  const record = (tx: Tx): Operation =>
    ctx.outbox.journal.move(tx, operation.id, 'approved', {
      facts: {
        approvedOnAttempt: attempt,
        units: meaning.units,
        amountCents: meaning.amountCents,
        miles: meaning.miles,
        confirmationNumber: meaning.confirmationNumber,
        transDateTime: meaning.transDateTime,
        responseCode: meaning.responseCode,
        outcome: 'approved',
      },
    })
  try {
    if (saleIsOpen(ctx, operation.saleId)) {
      return ctx.transact((tx) => {
        const approved = record(tx)
        redemptionsStateOf(ctx).events.emit('redemption.approved', tx, approved, meaning.response)
        return approved
      })
    }
    ctx.log.error({ operation: operation.id }, 'redemption approved after its sale was closed: reversing')
  } catch (error) {
    ctx.log.error(
      { err: error, operation: operation.id },
      'redemption approved, but the sale could not record it: reversing',
    )
  }
  // Give back the miles that the program took, because they cannot be applied to the sale. If the reversal cannot be
  // recorded either, the next start recovers the redemption.
  return ctx.transact((tx) => reversalsOf(ctx).request(tx, record(tx)))
}

const decline = (ctx: Ctx, operation: Operation, facts: Facts): Operation =>
  ctx.transact((tx) => ctx.outbox.journal.move(tx, operation.id, 'declined', { facts }))

const escalate = (ctx: Ctx, operation: Operation, facts: Facts): Operation =>
  ctx.transact((tx) =>
    ctx.outbox.journal.move(tx, operation.id, 'escalated', { facts: { ...facts, outcome: 'not-applied' } }),
  )

/**
 * Reverses an approval that cannot be applied, by its confirmation number. Instead escalates the redemption if another
 * one of this lane has the same number, because the reversal could give back the miles of that one.
 */
function reverseMismatch(ctx: Ctx, operation: Operation, facts: Facts, mismatch: ApprovalMismatch | null): Operation {
  // After a crash between the two sends, only the stored operation has the confirmation number of the first answer.
  if (
    ctx.outbox.journal.hasOtherRedemption(facts.confirmationNumber ?? operation.confirmationNumber ?? '', operation.id)
  ) {
    return escalate(ctx, operation, { ...facts, detail: `${MISMATCHED}: its number is that of another redemption` })
  }
  ctx.log.error({ operation: operation.id }, 'redemption approved, but it differs from the request: reversing')
  return ctx.transact((tx) => reversalsOf(ctx).request(tx, operation, facts, takenChange(mismatch)))
}

/**
 * Recovers open redemptions at a start. `intent`: the request may have been sent, so it gets its one identical retry
 * while its sale is open and before the deadline; otherwise it is escalated. `retry`: the request was sent twice, so it
 * is escalated, or reversed if an approval left its number. `reversing`: the reversal is sent again. On return, every
 * outcome is decided and every retry is queued for its collector's lock; the returned promise resolves after the
 * retries.
 */
function recover(ctx: Ctx): Promise<void> {
  const escalating: Operation[] = []
  const retrying: Operation[] = []
  for (const operation of ctx.outbox.journal.openRedemptions()) {
    try {
      if (operation.state === 'reversing') reversalsOf(ctx).resume(operation)
      else if (operation.state === 'retry' && operation.confirmationNumber !== null)
        reverseMismatch(ctx, operation, {}, null)
      else (mayRetry(ctx, operation) ? retrying : escalating).push(operation)
    } catch (error) {
      // An unreadable operation must not block the recovery of others; the next start tries it again.
      ctx.log.error(
        { err: error, operation: operation.id },
        'could not recover a redemption: trying again at the next start',
      )
    }
  }
  escalateAll(ctx, escalating)
  return retryEach(ctx, retrying)
}

function mayRetry(ctx: Ctx, operation: Operation): boolean {
  if (operation.state !== 'intent' || !saleIsOpen(ctx, operation.saleId)) return false
  const age = ctx.clock.now() - (operation.firstSentAt ?? operation.createdAt)
  return age >= 0 && age <= ctx.profile.limits.redeemRetryDeadlineMs
}

function escalateAll(ctx: Ctx, operations: readonly Operation[]): void {
  for (let start = 0; start < operations.length; start += ESCALATIONS_A_COMMIT) {
    const some = operations.slice(start, start + ESCALATIONS_A_COMMIT)
    ctx.transact((tx) => {
      for (const { id, state } of some)
        ctx.outbox.journal.move(tx, id, 'escalated', {
          facts: {
            outcome: 'not-applied',
            detail:
              state === 'retry'
                ? 'the terminal stopped before the second answer'
                : 'the terminal stopped before the answer, and the time to retry has passed',
          },
        })
    })
  }
}

async function retryEach(ctx: Ctx, operations: readonly Operation[]): Promise<void> {
  const retries = operations.map(async (operation) => {
    try {
      const { trace } = ctx.outbox.journal.call(operation.id, 'redeem')
      await collectorMutexOf(ctx).run(operation.collector, 'live', () =>
        inTrace(trace, () => retry(ctx, operation, UNKNOWN_SEND)),
      )
    } catch (error) {
      ctx.log.error(
        { err: error, operation: operation.id },
        'could not recover a redemption: trying again at the next start',
      )
    }
  })
  await Promise.all(retries)
}

/**
 * Moves redemptions through their states. Each transition is committed before the next byte is sent. A redemption is
 * sent at most twice, with the same bytes under the same key (specification 3 §4.5 rule 6).
 */
export const redemptionsOf = perLane((ctx: Ctx) => {
  redemptionsStateOf(ctx)
  return {
    ...bound(ctx, {
      recover,
    }),
    events: redemptionsStateOf(ctx).events,
  }
})

const takenChange = (mismatch: ApprovalMismatch | null | undefined): { entryDetails?: { taken: TakenAnyway } } =>
  mismatch?.ours && mismatch.taken
    ? { entryDetails: { taken: { confirmationNumber: mismatch.confirmationNumber, ...mismatch.taken } } }
    : {}

const mismatchFacts = ({ confirmationNumber, transDateTime, ours }: ApprovalMismatch): Facts => ({
  confirmationNumber,
  transDateTime,
  detail: ours ? MISMATCHED : ANOTHERS_ECHO,
})

/**
 * Whether the outcome of the first send is unknown. If so, one immediate and identical retry is required (specification
 * 3 §4.5 rule 6), regardless of a gateway's Retry-After. `meaning` is null without an answer or without a connection.
 */
export const isRetried = (
  meaning: RedeemMeaning | null,
): meaning is Extract<RedeemMeaning, { kind: 'unknown' }> | null => meaning === null || meaning.kind === 'unknown'
