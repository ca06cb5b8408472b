import { EventEmitter } from 'node:events'
import { CashResponse, RedeemRequest } from '../../../contracts/central/cash.ts'
import { encode, cashClientOf } from '../services/cash.ts'
import { jsonOf } from '../../core/central/wire.ts'
import { type Again, againAfter } from '../../core/central/retry.ts'
import type { Answer } from '../../core/central/transport.ts'
import type { Tx } from '../../core/db/transact.ts'
import { type ApprovalMismatch, type RedeemMeaning, meaningOfRedeem } from '../services/answers.ts'
import { inTrace } from '../../core/trace.ts'
import type { Facts, Operation } from '../../core/outbox/operation.ts'
import type { TakenAnyway } from '../../core/outbox/operation-lists.ts'
import { ANOTHERS_ECHO, reversalsOf } from './reverse.ts'
import { collectorMutexOf } from '../../store/collector-turns.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

export interface RedemptionEvents {
  /**
   * The open sale of an approval gets its tender line in the approval's own commit; a throw has it reversed instead.
   */
  'redemption.approved': [tx: Tx, operation: Operation, response: CashResponse]
}

/** A redemption that was checked: what it takes of the collector, what it pays, and its request. */
export interface NewRedemption {
  readonly saleId: string
  readonly collectorHash: Uint8Array
  readonly units: number
  readonly amountCents: number
  readonly miles: number
  readonly request: RedeemRequest
}

/**
 * So many escalations of a restart share a commit: each stands or falls with its own commit, and a thousand need not
 * cost a thousand syncs.
 */
const ESCALATIONS_A_COMMIT = 250

type Approval = Extract<RedeemMeaning, { kind: 'approved' }>
type Declined = Extract<RedeemMeaning, { kind: 'declined' }>

/** What is known about the first send when the retry leaves. */
interface FirstSend {
  readonly mismatched: ApprovalMismatch | null
  /** No byte of it left this machine. */
  readonly isUnseen: boolean
  readonly again: Again
}
/** A restart does not know what became of the first send. */
const UNKNOWN_SEND: FirstSend = { mismatched: null, isUnseen: false, again: {} }

/** Kept with an entry whose approval cannot be applied as asked. */
export const MISMATCHED = 'approved, and cannot be applied as asked'

export type Redemptions = ReturnType<typeof redemptionsOf>

const redemptionsStateOf = perLane(() => {
  const events = new EventEmitter<RedemptionEvents>()
  return {
    events,
  }
})

const saleIsOpen = (ctx: Ctx, saleId: string): boolean => saleRowsOf(ctx).byId(saleId)?.state === 'open'

/** Records the intent with its exact bytes, in the transaction that checks the sale. `sendRedemption` follows. */
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

/** Sends a recorded redemption and returns it with its outcome. The caller holds the collector's turn. */
export const sendRedemption = async (ctx: Ctx, operation: Operation): Promise<Operation> =>
  settleFirst(ctx, operation, await cashClientOf(ctx).sendStored(ctx.outbox.journal.call(operation.id, 'redeem')))

/** Attempt 1 has been answered or has failed: final, or the one identical retry at once. */
async function settleFirst(ctx: Ctx, operation: Operation, answer: Answer): Promise<Operation> {
  if (answer.kind === 'no-token') return declineUnseen(ctx, operation, answer)
  const meaning = answer.kind === 'answer' ? meaningOf(ctx, operation, answer) : null
  if (!isRetried(meaning)) return settled(ctx, operation, meaning)
  ctx.log.warn(
    { operation: operation.id, reason: answer.kind === 'answer' ? meaning?.responseCode : answer.reason },
    'redemption outcome unknown: retrying once',
  )
  return retry(ctx, operation, {
    mismatched: meaning?.mismatched ?? null,
    isUnseen: answer.kind === 'never-sent',
    again: againAfter(answer),
  })
}

const declineUnseen = (
  ctx: Ctx,
  operation: Operation,
  answer: Extract<Answer, { kind: 'never-sent' | 'no-token' }>,
): Operation =>
  decline(ctx, operation, {
    outcome: answer.kind === 'no-token' && answer.cause === 'refused' ? 'secret-refused' : 'unreachable',
    detail: answer.reason,
  })

const settled = (ctx: Ctx, operation: Operation, meaning: Approval | Declined): Operation =>
  meaning.kind === 'approved'
    ? approve(ctx, operation, 1, meaning)
    : decline(ctx, operation, {
        responseCode: meaning.responseCode,
        outcome: meaning.outcome,
        detail: meaning.message,
      })

/** The number of an approval that does not fit is on the disk before the retry leaves. */
async function retry(ctx: Ctx, operation: Operation, first: FirstSend): Promise<Operation> {
  const facts = { outcome: 'retrying', ...(first.mismatched ? kept(first.mismatched) : {}) }
  const retrying = ctx.transact((tx) =>
    ctx.outbox.journal.move(tx, operation.id, 'retry', { sending: 'redeem', facts, ...withTaken(first.mismatched) }),
  )
  return settleSecond(
    ctx,
    retrying,
    first,
    await cashClientOf(ctx).sendStored(ctx.outbox.journal.call(retrying.id, 'redeem'), first.again),
  )
}

/**
 * Where the first send may have arrived, only an answer that speaks of this very redemption can settle it. Where it
 * reached nobody, the second send decides as a first one would.
 */
function settleSecond(
  ctx: Ctx,
  operation: Operation,
  { mismatched: first, isUnseen }: FirstSend,
  answer: Answer,
): Operation {
  if (isUnseen && (answer.kind === 'never-sent' || answer.kind === 'no-token'))
    return declineUnseen(ctx, operation, answer)
  const meaning = answer.kind === 'answer' ? meaningOf(ctx, operation, answer) : null
  if (meaning?.kind === 'approved') return approve(ctx, operation, 2, meaning)
  const second = meaning?.kind === 'unknown' ? meaning.mismatched : null
  // A number that is surely ours goes before one that came with another echo.
  const given = [second, first].find((one) => one?.ours) ?? second ?? first
  // A refusal of this very redemption: a number that came with another echo was another's.
  if (meaning?.kind === 'declined' && (meaning.definitive || isUnseen) && !given?.ours) {
    return decline(ctx, operation, {
      responseCode: meaning.responseCode,
      outcome: meaning.outcome,
      confirmationNumber: null,
      transDateTime: null,
      detail: meaning.message,
    })
  }
  const responseCode = meaning?.responseCode ?? null
  if (given) return giveBack(ctx, operation, { ...kept(given), responseCode }, given)
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
    ctx.log.error({ operation: operation.id }, 'approved after its sale was gone: reversing')
  } catch (error) {
    ctx.log.error({ err: error, operation: operation.id }, 'approved, and the sale could not take it: reversing')
  }
  // Miles that were taken and cannot be applied go back. When it was the disk that failed, this throws too, and the
  // restart recovers.
  return ctx.transact((tx) => reversalsOf(ctx).order(tx, record(tx)))
}

const decline = (ctx: Ctx, operation: Operation, facts: Facts): Operation =>
  ctx.transact((tx) => ctx.outbox.journal.move(tx, operation.id, 'declined', { facts }))

const escalate = (ctx: Ctx, operation: Operation, facts: Facts): Operation =>
  ctx.transact((tx) =>
    ctx.outbox.journal.move(tx, operation.id, 'escalated', { facts: { ...facts, outcome: 'not-applied' } }),
  )

/**
 * An approval that cannot be applied is never merely "not applied": it is reversed by its number, unless that is of a
 * redemption that stands here.
 */
function giveBack(ctx: Ctx, operation: Operation, facts: Facts, given: ApprovalMismatch | null): Operation {
  // After a crash between the two sends the number stands with the entry alone.
  if (
    ctx.outbox.journal.redemptionStands(facts.confirmationNumber ?? operation.confirmationNumber ?? '', operation.id)
  ) {
    return escalate(ctx, operation, { ...facts, detail: `${MISMATCHED}: its number is that of another redemption` })
  }
  ctx.log.error({ operation: operation.id }, 'approved, and it cannot be applied as asked: reversing')
  return ctx.transact((tx) => reversalsOf(ctx).order(tx, operation, facts, withTaken(given)))
}

/**
 * What a restart finds. `intent` may have been sent: while its sale is open and the deadline has not passed, it gets
 * its one identical retry; else it is escalated. `retry` had its second send: escalated, or reversed where an
 * approval has left its number. `reversing` is sent again. All is decided, and every retry has its collector's turn,
 * when this returns; the promise is kept when the retries are over.
 */
function recover(ctx: Ctx): Promise<void> {
  const escalating: Operation[] = []
  const retrying: Operation[] = []
  for (const operation of ctx.outbox.journal.openRedemptions()) {
    try {
      if (operation.state === 'reversing') reversalsOf(ctx).resume(operation)
      else if (operation.state === 'retry' && operation.confirmationNumber !== null) giveBack(ctx, operation, {}, null)
      else (mayRetry(ctx, operation) ? retrying : escalating).push(operation)
    } catch (error) {
      // The others must not wait for one that cannot be read; the next start looks at it again.
      ctx.log.error({ err: error, operation: operation.id }, 'a redemption could not be recovered')
    }
  }
  escalateAll(ctx, escalating)
  return retryEach(ctx, retrying)
}

/**
 * `intent` may have been sent: while its sale is open and the deadline has not passed, it gets its one identical
 * retry.
 */
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
      ctx.log.error({ err: error, operation: operation.id }, 'a redemption could not be recovered')
    }
  })
  await Promise.all(retries)
}

/**
 * Drives redemptions through their states. Each transition is committed before the next byte leaves; at most two sends
 * of a redeem, both of the same bytes under the same key (specification 3 §4.5 rule 6).
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

/** What the program says it took stands in the journal beside the transition. */
const withTaken = (given: ApprovalMismatch | null | undefined): { kept?: { taken: TakenAnyway } } =>
  given?.ours && given.taken
    ? { kept: { taken: { confirmationNumber: given.confirmationNumber, ...given.taken } } }
    : {}

const kept = ({ confirmationNumber, transDateTime, ours }: ApprovalMismatch): Facts => ({
  confirmationNumber,
  transDateTime,
  detail: ours ? MISMATCHED : ANOTHERS_ECHO,
})

/**
 * Whether the first send of a redemption is in doubt: then the one identical retry goes at once (specification 3 §4.5
 * rule 6), whatever a gateway may have asked for. `meaning`: of the answer, null where there is none: "no response" is
 * no connection too.
 */
export const isRetried = (
  meaning: RedeemMeaning | null,
): meaning is Extract<RedeemMeaning, { kind: 'unknown' }> | null => meaning === null || meaning.kind === 'unknown'
