import { namesCode } from './wire.ts'
import { isRejectedForNow } from './waits.ts'
import type { Answer, CentralCall } from './transport.ts'

const isBareRefusal = (answer: Answer): boolean =>
  answer.kind === 'answer' && answer.status >= 400 && answer.status < 500 && !namesCode('responseCode', answer.bytes)

/**
 * How the one retry of a call differs from its first sending: after a 4xx without `responseCode` it uses a fresh token.
 */
export type RetryPlan = Pick<CentralCall, 'renewToken'>
export const againAfter = (first: Answer): RetryPlan => (isBareRefusal(first) ? { renewToken: true } : {})

/**
 * Whether INQUIRE, ECHO or REVERSE is sent once more, immediately and unchanged: after 0008, 0096, a timeout or no
 * connection (specification 3 §4.5 rule 6, §7.2), and after an unreadable answer. It is not sent again after a
 * gateway's 429 or 503 with Retry-After and without `responseCode`.
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
  isRejectedForNow(answer) && answer.headers.has('retry-after') && !namesCode('responseCode', answer.bytes)

/** Sends a call that moves no miles, with one retry as `isRepeated` decides. */
export async function sendWithRetry(
  send: (again: RetryPlan) => Promise<Answer>,
  isDoubtful: (answer: Extract<Answer, { kind: 'answer' }>) => boolean,
): Promise<Answer> {
  const first = await send({})
  return isRepeated(first, isDoubtful) ? send(againAfter(first)) : first
}
