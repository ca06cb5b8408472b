import { z } from 'zod'
import { jsonOf } from '../../core/central/wire.ts'
import type { Answer } from '../../core/central/transport.ts'
import { earningRefusedByIssuance } from '../../core/central/response-codes.ts'
import { meaningOfIssue, type IssueMeaning, type ParallelError } from '../services/issue-answer.ts'
import type { AnswerFacts, IssuedEntry } from '../../core/outbox/notices.ts'
import { EXPECTED_REFUSAL, type IssuanceState, type OperationType } from '../../core/outbox/states.ts'
import type { Facts, Operation } from '../../core/outbox/operation.ts'

/**
 * "Retry at least 2 additional times, then contact support" (specification 3 §4.2 rule 4): a call is escalated after
 * three answers of 500.
 */
const FAILURES_BEFORE_ESCALATION = 3
/**
 * A parallel transaction of the collector causes the parallel-transaction error and ends within seconds (specification
 * 3 §4.2 rule 5). Six attempts with growing pauses outlast it; after them the call is escalated.
 */
const REFUSALS_BEFORE_ESCALATION = 6

const REVERSING_TYPES: ReadonlySet<OperationType> = new Set<OperationType>(['return', 'post-reverse', 'reverse-event'])

const Sent = z.object({
  checkoutTransactionId: z.string().optional(),
  clientTransactionId: z.string().optional(),
  collectorNumber: z.string().optional(),
  locationCode: z.string().optional(),
  sponsorCode: z.string().optional(),
  issuances: z.array(z.object({ locationCode: z.string().optional() })).optional(),
})

/**
 * The journal transition for an answer, and the next step of the queue: continue, pause this collector, or pause all
 * calls.
 */
export interface IssueSettlement {
  readonly to: IssuanceState
  readonly facts: Facts
  readonly next: 'go-on' | 'rest' | 'no-central'
  readonly answer: AnswerFacts | null
  /**
   * True if the service certainly did nothing for this send: it did not arrive, or it was refused because of a parallel
   * transaction.
   */
  readonly undone?: true
}

export type SentOperation = Pick<Operation, 'type' | 'failures' | 'refusals' | 'outcome'>

/**
 * Whether the program refused the account of a sale whose receipt already printed that it earns no miles. Then no
 * action is needed.
 */
const expectedRefusal = (operation: SentOperation, code: string | null): boolean =>
  operation.outcome !== null && code !== null && earningRefusedByIssuance(code) !== null

const final = (to: IssuanceState, facts: Facts, answer: AnswerFacts | null = null): IssueSettlement => ({
  to,
  facts,
  next: 'go-on',
  answer,
})
const noCentral = (detail: string): IssueSettlement => ({
  to: 'queued',
  facts: { detail },
  next: 'no-central',
  answer: null,
})
const again = (facts: Facts, spent: boolean): IssueSettlement => ({
  to: spent ? 'escalated' : 'queued',
  facts,
  next: spent ? 'go-on' : 'rest',
  answer: null,
})

export function issueSettlementOf(
  operation: SentOperation,
  answer: Answer,
  request: Uint8Array,
  parallelError?: ParallelError,
): IssueSettlement {
  if (answer.kind === 'unknown') return noCentral(answer.reason)
  if (answer.kind !== 'answer') return { ...noCentral(answer.reason), undone: true }
  const sent = Sent.parse(jsonOf(request))
  const meaning = meaningOfIssue(answer.status, jsonOf(answer.bytes), {
    request: sent,
    takes: REVERSING_TYPES.has(operation.type),
    parallelError,
  })
  switch (meaning.kind) {
    case 'outage':
      return noCentral('outage')
    case 'confirmed':
      return final('confirmed', factsOf(meaning), answerFactsOf(meaning, sent))
    case 'rejected-entries':
      return final('rejected', factsOf(meaning), answerFactsOf(meaning, sent))
    case 'accepted':
      return final('accepted', factsOf(meaning), answerFactsOf(meaning, sent))
    case 'dead':
      return final('dead', {
        responseCode: meaning.code,
        detail: meaning.message,
        outcome: expectedRefusal(operation, meaning.code) ? EXPECTED_REFUSAL : null,
      })
    case 'parallel': {
      const refusals = operation.refusals + 1
      const facts = { refusals, responseCode: meaning.code, detail: meaning.message }
      return { ...again(facts, refusals >= REFUSALS_BEFORE_ESCALATION), undone: true }
    }
    case 'retry': {
      const failures = operation.failures + 1
      return again({ failures, detail: meaning.message }, failures >= FAILURES_BEFORE_ESCALATION)
    }
  }
}

type Answered = Extract<IssueMeaning, { readonly entries: readonly IssuedEntry[] }>

const factsOf = ({ miles, transactionId, code, message }: Answered): Facts => ({
  miles: miles.earned,
  pendingMiles: miles.pending,
  rejectedMiles: miles.rejected,
  transactionId,
  responseCode: code,
  detail: message,
})

type Sent = z.infer<typeof Sent>
const answerFactsOf = (
  { kind, code, entries }: Answered,
  { locationCode, sponsorCode, issuances }: Sent,
): AnswerFacts => ({
  code,
  entries,
  confirmed: kind === 'confirmed',
  sponsorCode: sponsorCode ?? null,
  // The request of an event (POST/EVENT, REVERSE/EVENT) has its location only in its entries (specification 3 §2.3,
  // §4.4).
  locationCode: locationCode ?? issuances?.find((entry) => entry.locationCode !== undefined)?.locationCode ?? null,
})
