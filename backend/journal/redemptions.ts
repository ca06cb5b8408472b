import { CASH_PATHS, CashResponse, RedeemRequest, ReverseRequest } from '../../contracts/central/cash.ts'
import { encode, type CashClient } from '../central/cash.ts'
import { jsonOf } from '../central/json.ts'
import type { Answer } from '../central/transport.ts'
import type { Chance, Clock } from '../clock.ts'
import type { Transact } from '../db/transact.ts'
import { meaningOfRedeem, meaningOfReverse, type RedeemMeaning } from '../domain/answers.ts'
import type { Logger } from '../log.ts'
import { createGate } from './gate.ts'
import type { Lanes } from './lanes.ts'
import type { Facts, Journal, NewCall, Operation } from './store.ts'

export interface RedemptionsOptions {
  readonly journal: Journal
  readonly transact: Transact
  readonly lanes: Lanes
  readonly cash: CashClient
  readonly clock: Clock
  readonly chance: Chance
  readonly retryDeadlineMs: number
  readonly log: Logger
  /** Runs in the approval's own transaction: the tender line and the sale's new state. `response` is what the centre said. */
  readonly onApproved: (operation: Operation, response: CashResponse) => void
  /** Runs in the transaction that records that a reversal came too late (0080): what its miles paid goes back in another form. */
  readonly onReversalExpired?: (operation: Operation) => void
  /** True while the sale is open: an approval may still be applied to it. */
  readonly saleIsOpen: (saleId: string) => boolean
  /** Told after every committed arrow. What it throws is logged: a screen that cannot be told holds up no money. */
  readonly onMoved: (operation: Operation) => void
  readonly onCentre: (reachable: boolean) => void
}

export interface RedemptionPlan {
  readonly saleId: string
  readonly collectorHash: Uint8Array
  readonly units: number
  readonly amountCents: number
  readonly miles: number
  /** The last look at the sale, inside the transaction that records the intent; throws to refuse. */
  readonly check: () => void
  /** Makes the request after that look, at the moment it is recorded, so that its dateTime is the time of the first send. */
  readonly request: () => RedeemRequest
}

/** Reversals that are not answered are sent again after this long, doubling, until they are final; this many doubtful answers escalate. */
const REVERSAL_BASE_MS = 2_000
const REVERSAL_CAP_MS = 60_000
const REVERSAL_ATTEMPTS = 8
/** After an outage no more than this many reversals are on their way at once. */
const REVERSALS_AT_ONCE = 8
/** So many escalations of a restart share a commit: each stands or falls with its own commit, and a thousand need not cost a thousand syncs. */
const ESCALATIONS_A_COMMIT = 250

type Approval = Extract<RedeemMeaning, { kind: 'approved' }>

export type Redemptions = ReturnType<typeof createRedemptions>

/**
 * Drives redemptions through their states. Each arrow is committed before the next byte leaves; at most two sends of a
 * redeem, both of the same bytes under the same key (specification 3 §4.5 rule 6).
 */
export function createRedemptions(options: RedemptionsOptions) {
  const { journal, transact, lanes, cash, clock, chance, log } = options
  const reversals = createGate(REVERSALS_AT_ONCE)
  const resting = new Set<() => void>()
  let stopped = false

  function moved(operation: Operation): Operation {
    try {
      options.onMoved(operation)
    } catch (error) {
      log.error({ err: error, operation: operation.id }, 'a redemption moved, and the screens could not be told')
    }
    return operation
  }

  const newCall = (purpose: 'redeem' | 'reverse', request: { traceId: string; dateTime: string }): NewCall => ({
    purpose, path: CASH_PATHS[purpose], idempotencyKey: chance.uuid(), traceId: request.traceId, dateTime: request.dateTime, request: encode(request),
  })

  async function send(operation: Operation, purpose: 'redeem' | 'reverse'): Promise<Answer> {
    const answer = await cash.sendStored(journal.call(operation.id, purpose))
    // A secret that was refused says nothing of the wire.
    if (answer.kind !== 'no-token' || answer.cause === 'unreachable') options.onCentre(answer.kind === 'answer')
    return answer
  }

  function approve(operation: Operation, attempt: 1 | 2, meaning: Approval): Operation {
    const record = (): Operation => journal.move(operation.id, 'approved', {
      facts: {
        approvedOnAttempt: attempt, units: meaning.units, amountCents: meaning.amountCents, miles: meaning.miles, confirmationNumber: meaning.confirmationNumber,
        transDateTime: meaning.transDateTime, responseCode: meaning.responseCode, outcome: 'approved',
      },
    })
    try {
      if (options.saleIsOpen(operation.saleId)) {
        return moved(transact(() => {
          const approved = record()
          options.onApproved(approved, meaning.response)
          return approved
        }))
      }
      log.error({ operation: operation.id }, 'approved after its sale was gone: reversing')
    } catch (error) {
      log.error({ err: error, operation: operation.id }, 'approved, and the sale could not take it: reversing')
    }
    // Miles that were taken and cannot be applied go back. When it was the disk that failed, this throws too, and the restart recovers.
    const reversing = moved(transact(() => recordReversal(record())))
    startReversal(reversing)
    return reversing
  }

  /** Records that an approved redemption is to be reversed; call inside the transaction that gives it up. */
  function recordReversal(operation: Operation): Operation {
    const redeemed = RedeemRequest.parse(jsonOf(journal.call(operation.id, 'redeem').request))
    const request = cash.reverseRequest(redeemed, operation.confirmationNumber ?? '', clock.now())
    return journal.move(operation.id, 'reversing', { newCall: newCall('reverse', request), facts: { outcome: 'reversing', failures: 0 } })
  }

  const decline = (operation: Operation, facts: Facts): Operation => moved(journal.move(operation.id, 'declined', { facts }))
  const escalate = (operation: Operation, facts: Facts): Operation => moved(journal.move(operation.id, 'escalated', { facts: { ...facts, outcome: 'not-applied' } }))

  function meaningOf(operation: Operation, answer: Extract<Answer, { kind: 'answer' }>): RedeemMeaning {
    const request = RedeemRequest.parse(jsonOf(journal.call(operation.id, 'redeem').request))
    const parsed = CashResponse.safeParse(jsonOf(answer.bytes))
    return meaningOfRedeem(parsed.success ? parsed.data : undefined, request)
  }

  /** Attempt 1 has been answered or has failed: final, or the one identical retry at once. */
  async function settleFirst(operation: Operation, answer: Answer): Promise<Operation> {
    if (answer.kind === 'never-sent') return decline(operation, { outcome: 'unreachable', detail: answer.reason })
    if (answer.kind === 'no-token') return decline(operation, { outcome: 'unreachable', detail: answer.reason })
    const meaning = answer.kind === 'answer' ? meaningOf(operation, answer) : null
    if (meaning?.kind === 'approved') return approve(operation, 1, meaning)
    if (meaning?.kind === 'declined') return decline(operation, { responseCode: meaning.responseCode, outcome: meaning.outcome })
    log.warn({ operation: operation.id, reason: answer.kind === 'unknown' ? answer.reason : meaning?.responseCode }, 'redemption outcome unknown: retrying once')
    return retry(operation)
  }

  async function retry(operation: Operation): Promise<Operation> {
    const retrying = moved(journal.move(operation.id, 'retry', { sending: 'redeem', facts: { outcome: 'retrying' } }))
    return settleSecond(retrying, await send(retrying, 'redeem'))
  }

  /** After the first send was unknown, only an answer that speaks of this very redemption can settle it. */
  function settleSecond(operation: Operation, answer: Answer): Operation {
    if (answer.kind !== 'answer') return escalate(operation, { detail: answer.reason })
    const meaning = meaningOf(operation, answer)
    if (meaning.kind === 'approved') return approve(operation, 2, meaning)
    if (meaning.kind === 'declined' && meaning.definitive) return decline(operation, { responseCode: meaning.responseCode, outcome: meaning.outcome })
    return escalate(operation, { responseCode: meaning.responseCode })
  }

  async function deliverReversal(operation: Operation): Promise<void> {
    await lanes.run(operation.collector, 'now', async () => {
      const current = journal.get(operation.id)
      if (stopped || current?.state !== 'reversing') return
      // The send is counted before the first byte leaves, as an arrow from the state to itself.
      const sending = moved(journal.move(operation.id, 'reversing', { sending: 'reverse', facts: { outcome: 'reversing' } }))
      const answer = await send(sending, 'reverse')
      const asked = ReverseRequest.parse(jsonOf(journal.call(operation.id, 'reverse').request))
      const meaning = answer.kind === 'answer' ? meaningOfReverse(CashResponse.safeParse(jsonOf(answer.bytes)).data, asked) : null
      switch (meaning?.kind) {
        case 'reversed':
          moved(journal.move(operation.id, 'reversed', { facts: { outcome: 'reversed' } }))
          return
        case 'expired':
          moved(transact(() => {
            const expired = journal.move(operation.id, 'reversal-expired', { facts: { responseCode: meaning.responseCode, outcome: 'reversal-expired' } })
            options.onReversalExpired?.(expired)
            return expired
          }))
          return
        case 'refused':
          moved(journal.move(operation.id, 'reversal-escalated', { facts: { responseCode: meaning.responseCode, outcome: 'reversal-escalated' } }))
          return
        case 'unknown': {
          const failures = sending.failures + 1
          if (failures < REVERSAL_ATTEMPTS) {
            moved(journal.move(operation.id, 'reversing', { facts: { failures, responseCode: meaning.responseCode } }))
            later(operation, sending.sends)
          } else {
            moved(journal.move(operation.id, 'reversal-escalated', { facts: { failures, responseCode: meaning.responseCode, outcome: 'reversal-escalated' } }))
          }
          return
        }
        case 'later':
        case undefined:
          // No connection and no answer use up no attempt: the same bytes and key wait, for days if need be.
          later(operation, sending.sends)
      }
    })
  }

  function later(operation: Operation, sends: number): void {
    if (stopped) return
    const wait = Math.min(REVERSAL_CAP_MS, REVERSAL_BASE_MS * 2 ** Math.min(sends, 10))
    const callOff = clock.after(Math.round(wait * (0.5 + chance.fraction() / 2)), () => {
      resting.delete(callOff)
      startReversal(operation)
    })
    resting.add(callOff)
  }

  function startReversal(operation: Operation): void {
    reversals(() => deliverReversal(operation)).catch((error: unknown) => { log.error({ err: error, operation: operation.id }, 'the reversal could not be recorded') })
  }

  /** `intent` may have been sent: while its sale is open and the deadline has not passed, it gets its one identical retry. */
  function mayRetry(operation: Operation): boolean {
    if (operation.state !== 'intent' || !options.saleIsOpen(operation.saleId)) return false
    const age = clock.now() - (operation.firstSentAt ?? operation.createdAt)
    return age >= 0 && age <= options.retryDeadlineMs
  }

  /** No screen shows a sale that was closed before the start: only of an open one are they told, however many there are. */
  function escalateAll(operations: readonly Operation[]): void {
    for (let start = 0; start < operations.length; start += ESCALATIONS_A_COMMIT) {
      const some = operations.slice(start, start + ESCALATIONS_A_COMMIT)
      for (const operation of transact(() => some.map(({ id, state }) => journal.move(id, 'escalated', {
        facts: { outcome: 'not-applied', detail: state === 'retry' ? 'the terminal stopped before the second answer' : 'the terminal stopped before the answer, and the time to retry has passed' },
      })))) if (options.saleIsOpen(operation.saleId)) moved(operation)
    }
  }

  return {
    /** Redeems and answers when the outcome is known. `plan.check` throws to refuse before anything is recorded. */
    redeem: (plan: RedemptionPlan): Promise<Operation> => lanes.run(Buffer.from(plan.collectorHash).toString('hex'), 'now', async () => {
      const operation = moved(transact(() => {
        plan.check()
        return journal.open({
          kind: 'redemption', intention: 'redeem', saleId: plan.saleId, collectorHash: plan.collectorHash, state: 'intent', call: newCall('redeem', plan.request()), sending: true,
          facts: { units: plan.units, amountCents: plan.amountCents, miles: plan.miles, outcome: 'sending' },
        })
      }))
      return settleFirst(operation, await send(operation, 'redeem'))
    }),

    recordReversal,
    startReversal,

    /** Sends a reversal that was given up once more, since a person says that the centre can take it now: the same bytes and key. */
    reverseAgain(id: string, staffId: string): Operation {
      const reversing = moved(journal.order(id, 'reversing', staffId, { facts: { failures: 0, outcome: 'reversing', responseCode: null } }))
      startReversal(reversing)
      return reversing
    },

    /**
     * What a restart finds. `intent` may have been sent: while its sale is open and the deadline has not passed, it gets
     * its one identical retry; else it is escalated. `retry` had its second send: escalated. `reversing` is sent again.
     */
    async recover(): Promise<void> {
      const escalating: Operation[] = []
      const retrying: Operation[] = []
      for (const operation of journal.openRedemptions()) {
        try {
          if (operation.state === 'reversing') startReversal(operation)
          else (mayRetry(operation) ? retrying : escalating).push(operation)
        } catch (error) {
          // The others must not wait for one that cannot be read; the next start looks at it again.
          log.error({ err: error, operation: operation.id }, 'a redemption could not be recovered')
        }
      }
      escalateAll(escalating)
      for (const operation of retrying) {
        try {
          await lanes.run(operation.collector, 'now', () => retry(operation))
        } catch (error) {
          log.error({ err: error, operation: operation.id }, 'a redemption could not be recovered')
        }
      }
    },

    stop(): void {
      stopped = true
      for (const callOff of resting) callOff()
    },
  }
}
