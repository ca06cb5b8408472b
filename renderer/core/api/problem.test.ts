import { expect, test } from 'vitest'
import { lockedUntil, parseProblem } from './problem.ts'

const messages = { 'en-CA': 'Too many wrong PINs.', 'fr-CA': 'Trop de NIP erronés.' }

test('keeps a problem’s code, its messages in both languages and its correlation id', () => {
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
  'maps an answer that is not a problem (%j) to internal, without messages',
  (body) => {
    expect(parseProblem(body)).toMatchObject({ code: 'internal', messages: null })
  },
)

test('ignores messages in one language only', () => {
  expect(parseProblem({ code: 'internal', messages: { 'en-CA': 'x' } }).messages).toBeNull()
})
