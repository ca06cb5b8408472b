import { expect, test } from 'vitest'
import { sendWithRetry, type RetryPlan } from './retry.ts'
import type { Answer } from './transport.ts'

const answer = (status: number, headers: Record<string, string> = {}, body = ''): Answer => ({
  kind: 'answer',
  status,
  headers: new Headers(headers),
  bytes: Buffer.from(body),
  latencyMs: 1,
  requestHeaders: {},
})
const silence: Answer = { kind: 'unknown', reason: 'no answer' }

async function sends(answer: Answer): Promise<RetryPlan[][]> {
  const calls: RetryPlan[][] = [[], []]
  for (const call of calls)
    await sendWithRetry(
      async (again) => {
        call.push(again)
        return answer
      },
      ({ status }) => status !== 200,
    )
  return calls
}

test.each([
  ['is not answered', silence],
  ['gets no connection', { kind: 'never-sent', reason: 'ECONNREFUSED' } as const],
  ['is answered 500 without a code', answer(500)],
  ['is answered 503 without Retry-After', answer(503)],
  ['is answered 0096 with Retry-After', answer(503, { 'retry-after': '30' }, '{"responseCode":"0096"}')],
])('a call that %s is retried once, immediately, even if the call before it failed too', async (_case, answer) => {
  expect(await sends(answer)).toEqual([
    [{}, {}],
    [{}, {}],
  ])
})

test('a call refused by 4xx without a response code is retried once, with a fresh token', async () => {
  expect(await sends(answer(404))).toEqual([
    [{}, { renewToken: true }],
    [{}, { renewToken: true }],
  ])
})

test.each([
  ['succeeds', answer(200)],
  ['is answered 503 with Retry-After', answer(503, { 'retry-after': '30' })],
  ['is answered 429 with Retry-After', answer(429, { 'retry-after': '5' })],
  ['is not sent, because it has no token', { kind: 'no-token', cause: 'refused', reason: 'invalid_client' } as const],
])('a call that %s is not retried', async (_case, answer) => {
  expect(await sends(answer)).toEqual([[{}], [{}]])
})
