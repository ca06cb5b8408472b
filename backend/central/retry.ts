import type { Answer } from './transport.ts'

/**
 * Sends a call that moves nothing, and once more at once, identical, after 0008, 0096 or silence (specification 3 §4.5
 * rule 6, §7.2). What provably never left is not sent again: nobody is silent there.
 */
export async function sendWithRetry(
  send: () => Promise<Answer>,
  isDoubtful: (answer: Extract<Answer, { kind: 'answer' }>) => boolean,
): Promise<Answer> {
  const first = await send()
  const silent = first.kind === 'unknown'
  return silent || (first.kind === 'answer' && isDoubtful(first)) ? send() : first
}
