import { namesCode } from './wire.ts'
import { isTurnedAway } from './waits.ts'
import type { Answer, CentralCall } from './transport.ts'

/**
 * A 4xx of the cash service without `responseCode`: the call may have been done, or its token refused. Its one retry
 * goes with a fresh token.
 */
const isBareRefusal = (answer: Answer): boolean =>
  answer.kind === 'answer' && answer.status >= 400 && answer.status < 500 && !namesCode('responseCode', answer.bytes)

/** How the one identical retry differs from the first send: after a 4xx without `responseCode` its token is fresh. */
export type Again = Pick<CentralCall, 'renewToken'>
export const againAfter = (first: Answer): Again => (isBareRefusal(first) ? { renewToken: true } : {})

/**
 * Whether INQUIRE, ECHO or REVERSE is sent once more at once, identical: after 0008, 0096, silence or no connection
 * (specification 3 §4.5 rule 6, §7.2), and after an answer that cannot be read. A gateway that asks the lane to come
 * back later (429 or 503 with Retry-After and without `responseCode`) is not asked again at once.
 */
export function isRepeated(
  first: Answer,
  isDoubtful: (answer: Extract<Answer, { kind: 'answer' }>) => boolean,
): boolean {
  switch (first.kind) {
    case 'answer':
      return isDoubtful(first) && !asksToWait(first)
    case 'unknown':
    case 'never-sent':
      return true
    case 'no-token':
      return false
  }
}

const asksToWait = (answer: Extract<Answer, { kind: 'answer' }>): boolean =>
  isTurnedAway(answer) && answer.headers.has('retry-after') && !namesCode('responseCode', answer.bytes)

/** Sends a call that moves nothing, and once more as `isRepeated` says. */
export async function sendWithRetry(
  send: (again: Again) => Promise<Answer>,
  isDoubtful: (answer: Extract<Answer, { kind: 'answer' }>) => boolean,
): Promise<Answer> {
  const first = await send({})
  return isRepeated(first, isDoubtful) ? send(againAfter(first)) : first
}
