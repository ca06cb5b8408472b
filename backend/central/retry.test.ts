import { expect, test } from 'vitest'
import { createRepeats, sendWithRetry } from './retry.ts'
import type { Answer } from './transport.ts'

const answer = (status: number, headers: Record<string, string> = {}): Answer => ({
  kind: 'answer',
  status,
  headers: new Headers(headers),
  bytes: new Uint8Array(),
  latencyMs: 1,
  requestHeaders: {},
})
const silence: Answer = { kind: 'unknown', reason: 'no answer' }

/** How often each of these calls is sent when all of its sends are answered like this. */
async function sends(calls: number, said: Answer): Promise<number[]> {
  const repeats = createRepeats()
  const counts: number[] = []
  for (let call = 0; call < calls; call += 1) {
    let count = 0
    await sendWithRetry(
      async () => {
        count += 1
        return said
      },
      ({ status }) => status !== 200,
      repeats,
    )
    counts.push(count)
  }
  return counts
}

test('after silence the call goes once more at once; in an outage one call in twenty does', async () => {
  const counts = await sends(60, silence)
  expect(counts[0]).toBe(2)
  expect(counts.slice(1, 19)).toEqual(Array(18).fill(1))
  expect(counts.filter((count) => count === 2)).toHaveLength(3)
})

test('after an answer in doubt every call goes once more at once', async () => {
  expect(await sends(5, answer(408))).toEqual([2, 2, 2, 2, 2])
})

test.each([
  ['taken', answer(200)],
  ['turned away for now', answer(503, { 'retry-after': '30' })],
  ['turned away without a word', answer(503)],
  ['one too many', answer(429)],
  ['never sent', { kind: 'never-sent', reason: 'ECONNREFUSED' } as const],
])('a call that is %s is not repeated', async (_what, said) => {
  expect(await sends(3, said)).toEqual([1, 1, 1])
})
