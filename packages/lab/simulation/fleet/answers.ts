import { CashResponse, RedeemRequest } from '../../../../contracts/central/cash.ts'
import { jsonOf } from '../../../../backend/core/central/wire.ts'
import type { Answer } from '../../../../backend/core/central/transport.ts'
import { meaningOfRedeem } from '../../../../backend/loyalty/services/answers.ts'
import { isRetried } from '../../../../backend/loyalty/calls/redeem.ts'
import {
  issueSettlementOf,
  type SentOperation,
  type IssueSettlement,
} from '../../../../backend/loyalty/calls/settlement.ts'

export const answerOf = (status: number, body: object | null, retryAfterSeconds?: number): Answer => ({
  kind: 'answer',
  status,
  headers: new Headers(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  bytes: new TextEncoder().encode(body === null ? '<html>try later</html>' : JSON.stringify(body)),
  latencyMs: 0,
  requestHeaders: {},
})

export const REDEEM_REQUEST = RedeemRequest.parse({
  acquirerId: 'A',
  cardEntryMode: 'SWIPE',
  collectorNumber: '80000000011',
  dateTime: '2026-11-25T10:00:00-05:00',
  deviceId: 'D',
  dollarRedeemRequest: '10.00',
  postTaxBasketAmount: '50.00',
  sponsorCode: 'S',
  storeId: '1',
  traceId: 'T',
  vendorId: 'V',
})
const ISSUE_REQUEST = new TextEncoder().encode('{}')

export const REDEEMED = answerOf(200, {
  responseCode: '0000',
  txnConfirmationNumber: 'C1',
  unitsRedeemed: '1',
  unitValueDollars: '10.00',
  milesRedeemed: '95',
})
export const ISSUED = answerOf(200, { transactionId: 'T1', issuances: [{ milesAmount: 5, status: 'CONFIRMED' }] })
/** The response to calls that move no miles. Its content has no effect. */
export const OK_ANSWER = answerOf(200, { responseCode: '0000' })

/**
 * Caches the result per response object: the model has only a few, and parsing fifty million responses would take too
 * long.
 */
function once<Read>(read: (answer: Answer) => Read): (answer: Answer) => Read {
  const known = new Map<Answer, Read>()
  return (answer) => {
    const before = known.get(answer)
    if (before !== undefined) return before
    const now = read(answer)
    known.set(answer, now)
    return now
  }
}

const meaningOf = (answer: Answer) =>
  answer.kind === 'answer'
    ? meaningOfRedeem(CashResponse.safeParse(jsonOf(answer.bytes)).data, REDEEM_REQUEST, { units: 1, miles: 95 })
    : null

export const endOfRedeem = once((answer): 'declined' | 'approved' | 'retry' => {
  if (answer.kind === 'no-token') return 'declined'
  const meaning = meaningOf(answer)
  return isRetried(meaning) ? 'retry' : meaning.kind
})
/** Returns whether a response to the second send of a redemption approves it; any other response escalates it. */
export const isApproved = once((answer) => meaningOf(answer)?.kind === 'approved')

const settlements = new Map<number, (answer: Answer) => IssueSettlement>()
export function settlement({ failures, refusals }: Pick<SentOperation, 'failures' | 'refusals'>, answer: Answer) {
  const before = failures * 16 + refusals
  const known = settlements.get(before)
  if (known) return known(answer)
  const made = once((one) =>
    issueSettlementOf({ type: 'issue', failures, refusals, outcome: null }, one, ISSUE_REQUEST),
  )
  settlements.set(before, made)
  return made(answer)
}
