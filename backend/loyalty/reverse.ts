import PQueue from 'p-queue'
import { CashResponse, RedeemRequest, ReverseRequest } from '../../contracts/central/cash.ts'
import { jsonOf } from '../central/json.ts'
import type { Answer } from '../central/transport.ts'
import { meaningOfReverse, type ReverseMeaning } from '../domain/answers.ts'
import type { RedemptionsOptions } from './redeem.ts'
import { REVERSAL_UNANSWERED, type Facts, type NewCall, type Operation } from '../outbox/operations.ts'

export interface ReversalsOptions extends Pick<
  RedemptionsOptions,
  'journal' | 'transact' | 'lanes' | 'cash' | 'clock' | 'chance' | 'log' | 'hasPaid' | 'onReversalExpired'
> {
  readonly moved: (operation: Operation) => Operation
  readonly newCall: (purpose: 'reverse', request: ReverseRequest) => NewCall
  readonly send: (operation: Operation, purpose: 'reverse') => Promise<Answer>
}

/**
 * Reversals that are not answered are sent again after this long, doubling, until they are final; so many rounds of
 * doubtful answers escalate.
 */
const BASE_MS = 2_000
const CAP_MS = 60_000
const DOUBTFUL_ROUNDS = 8
/** After an outage no more than this many reversals are on their way at once. */
const AT_ONCE = 8

/** Kept with an entry whose approval came under the echo of another request: nobody knows whose its number is. */
export const ANOTHERS_ECHO = 'approved under the echo of another request'

/** What a round has heard: `silent` may have been done, `not-seen` reached nobody. */
type Heard = ReverseMeaning | { readonly kind: 'silent' | 'not-seen'; readonly responseCode: null }

export type Reversals = ReturnType<typeof createReversals>

/**
 * Gives redeemed miles back: one identical retry at once after 0008, 0096 or silence (specification 3 §4.5 rule 6,
 * §7.2). What is still open then goes on in the background under its key, and stands on the manager's list meanwhile:
 * its window closes at 03:00.
 */
export function createReversals(options: ReversalsOptions) {
  const { journal, transact, lanes, cash, clock, chance, log, moved } = options
  const deliveries = new PQueue({ concurrency: AT_ONCE })
  const resting = new Set<() => void>()
  let stopped = false

  /**
   * Records that a redemption is to be reversed by its confirmation number; call inside the transaction that gives it
   * up.
   */
  function record(operation: Operation, facts: Facts = {}, beside: { kept?: object } = {}): Operation {
    const redeemed = RedeemRequest.parse(jsonOf(journal.call(operation.id, 'redeem').request))
    const request = cash.reverseRequest(
      redeemed,
      facts.confirmationNumber ?? operation.confirmationNumber ?? '',
      clock.now(),
    )
    return journal.move(operation.id, 'reversing', {
      newCall: options.newCall('reverse', request),
      facts: { ...facts, outcome: 'reversing', failures: 0 },
      ...beside,
    })
  }

  function heard(operation: Operation, answer: Answer): Heard {
    if (answer.kind === 'unknown') return { kind: 'silent', responseCode: null }
    if (answer.kind !== 'answer') return { kind: 'not-seen', responseCode: null }
    const asked = ReverseRequest.parse(jsonOf(journal.call(operation.id, 'reverse').request))
    return meaningOfReverse(CashResponse.safeParse(jsonOf(answer.bytes)).data, asked)
  }

  async function sendOnce(operation: Operation): Promise<Heard> {
    // The send is counted before the first byte leaves, as an arrow from the state to itself.
    const sending = moved(journal.move(operation.id, 'reversing', { sending: 'reverse' }))
    return heard(sending, await options.send(sending, 'reverse'))
  }

  async function deliver(operation: Operation): Promise<void> {
    await lanes.run(operation.collector, 'now', async () => {
      if (stopped || journal.get(operation.id)?.state !== 'reversing') return
      let said = await sendOnce(operation)
      if (!stopped && (said.kind === 'silent' || said.kind === 'unknown')) said = await sendOnce(operation)
      if (!settle(operation.id, said) && !stopped) goOn(operation.id, said)
    })
  }

  /** The arrow of an answer that ends it; false for one that does not. */
  function settle(id: string, said: Heard): boolean {
    switch (said.kind) {
      case 'reversed':
        moved(journal.move(id, 'reversed', { facts: { outcome: 'reversed' } }))
        return true
      case 'expired':
        moved(expire(id, said.responseCode))
        return true
      case 'refused':
        moved(
          journal.move(id, 'reversal-escalated', {
            facts: { responseCode: said.responseCode, outcome: 'reversal-escalated' },
          }),
        )
        return true
      case 'unknown':
      case 'later':
      case 'silent':
      case 'not-seen':
        return false
    }
  }

  /**
   * Not settled in this round: on the manager's list at once, and the same bytes and key again later, for days if need
   * be.
   */
  function goOn(id: string, said: Heard): void {
    const before = journal.get(id)
    if (before?.state !== 'reversing') return
    // No connection, no answer and an outage use up no round.
    // mutant: reversal-sent-is-done
    const failures = before.failures + (said.kind === 'unknown' ? 1 : 0)
    if (failures >= DOUBTFUL_ROUNDS) {
      moved(
        journal.move(id, 'reversal-escalated', {
          facts: { failures, responseCode: said.responseCode, outcome: 'reversal-escalated' },
        }),
      )
      return
    }
    const changed =
      before.outcome !== REVERSAL_UNANSWERED ||
      failures !== before.failures ||
      said.responseCode !== before.responseCode
    later(
      changed
        ? moved(
            journal.move(id, 'reversing', {
              facts: {
                failures,
                responseCode: said.responseCode,
                /* mutant: reversal-on-no-list */ outcome: REVERSAL_UNANSWERED,
              },
            }),
          )
        : before,
    )
  }

  /**
   * The window has closed: the miles stay redeemed, and what they paid goes back in another form (specification 3 §4.5
   * rule 7).
   */
  const expire = (id: string, responseCode: string | null): Operation =>
    transact(() => {
      const before = journal.get(id)
      // A number whose window closed long ago is another's rather than that of a request of just now: no store credit
      // for it, and a person asks the program.
      if (before?.detail === ANOTHERS_ECHO && before.approvedOnAttempt === null) {
        return journal.move(id, 'reversal-escalated', { facts: { responseCode, outcome: 'reversal-escalated' } })
      }
      const outcome = before && options.hasPaid?.(before) === false ? 'reversal-owed' : 'reversal-expired'
      const expired = journal.move(id, 'reversal-expired', { facts: { responseCode, outcome } })
      options.onReversalExpired?.(expired)
      return expired
    })

  function later(operation: Operation): void {
    if (stopped) return
    const wait = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(Math.ceil(operation.sends / 2), 10))
    const callOff = clock.after(Math.round(wait * (0.5 + chance.fraction() / 2)), () => {
      resting.delete(callOff)
      start(operation)
    })
    resting.add(callOff)
  }

  /** Nothing leaves before the commit of what ordered it. */
  function start(operation: Operation): void {
    transact.afterCommit(() => {
      deliveries
        .add(() => deliver(operation))
        .catch((error: unknown) => {
          log.error({ err: error, operation: operation.id }, 'the reversal could not be recorded')
        })
    })
  }

  return {
    record,
    start,
    /**
     * Gives an approved redemption up whose window is known to be closed, without a call; call inside the transaction
     * that gives it up.
     */
    expire: (operation: Operation): Operation => expire(operation.id, null),
    stop(): void {
      stopped = true
      for (const callOff of resting) callOff()
    },
  }
}
