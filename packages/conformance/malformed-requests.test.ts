import { describe, expect, it } from 'vitest'
import { createRng } from './seeded-run.ts'
import type { Received } from './expect.ts'
import { type MalformedRequest, makeMalformed, findFlaw } from './malformed-requests.ts'

const malformed: MalformedRequest = { kind: 'missing', path: '/checkout/issuance/issue', asked: { method: 'POST' } }
const received = (status: number, body: unknown): Received => ({
  status,
  headers: { 'content-type': 'application/json' },
  text: JSON.stringify(body),
  json: body,
  body: body as Record<string, unknown>,
})

describe('findFlaw, which examines the answer to an invalid request,', () => {
  it('accepts a documented error', () =>
    expect(findFlaw(malformed, received(400, { responseCode: '400', message: 'Bad request' }))).toBeUndefined())
  it.each([
    ['no responseCode', received(400, { message: 'Bad request' })],
    ['no message', received(400, { responseCode: '400' })],
    [
      "status 500: a bad request is the caller's mistake",
      received(500, { responseCode: '500', message: 'Internal error' }),
    ],
    [
      'the answer contains internals of the program',
      received(400, { responseCode: '400', message: 'TypeError at packages/central/http/call.ts:20' }),
    ],
  ])('reports what is wrong with the answer: %s', (wrong, answer) => expect(findFlaw(malformed, answer)).toBe(wrong))
  it('accepts an answer without responseCode when the request had no token', () =>
    expect(findFlaw(malformed, received(401, { message: 'no token' }))).toBeUndefined())
})

it('the generator of malformed requests makes equal requests from equal seeds, and all twenty kinds', () => {
  const calls = [{ path: '/checkout/issuance/issue', body: { collectorNumber: '80000000011', basketPreTaxAmount: 1 } }]
  const run = (seed: number): MalformedRequest[] => {
    const rng = createRng(seed)
    return Array.from({ length: 2_000 }, () => makeMalformed(rng, calls, 'token'))
  }
  expect(JSON.stringify(run(7))).toBe(JSON.stringify(run(7)))
  expect(JSON.stringify(run(7))).not.toBe(JSON.stringify(run(8)))
  expect(new Set(run(7).map(({ kind }) => kind)).size).toBe(20)
})
