import { expect, test } from 'vitest'
import { lockedUntil, parseProblem } from './problem.ts'

const messages = { 'en-CA': 'Too many wrong PINs.', 'fr-CA': 'Trop de NIP erronés.' }

test('a parsed problem has the code, the messages in both languages and the correlation id of the answer', () => {
  const problem = parseProblem({
    code: 'pin-locked',
    messages,
    correlationId: 'c0ffee',
    details: [{ path: 'lockedUntil', message: '2026-11-21T15:00:00Z' }],
  })
  expect(problem).toMatchObject({ code: 'pin-locked', messages, correlationId: 'c0ffee' })
  expect(lockedUntil(problem)).toBe('2026-11-21T15:00:00Z')
})

test.each([[undefined], ['<html>'], [{}], [{ code: 7 }]])(
  'an answer that is not problem+json (%j) counts as the problem internal, without messages',
  (body) => {
    expect(parseProblem(body)).toMatchObject({ code: 'internal', messages: null })
  },
)

test('a problem with messages in one language only counts as a problem without messages', () => {
  expect(parseProblem({ code: 'internal', messages: { 'en-CA': 'x' } }).messages).toBeNull()
})
