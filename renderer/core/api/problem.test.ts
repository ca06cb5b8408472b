import { expect, test } from 'vitest'
import { lockedUntil, parseProblem } from './problem.ts'

const messages = { 'en-CA': 'Too many wrong PINs.', 'fr-CA': 'Trop de NIP erronés.' }

test('a problem keeps its code, its words in both languages, and what support asks for', () => {
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
  'an answer that is no problem (%j) becomes internal, without invented words',
  (body) => {
    expect(parseProblem(body)).toMatchObject({ code: 'internal', messages: null })
  },
)

test('words in one language only are no words', () => {
  expect(parseProblem({ code: 'internal', messages: { 'en-CA': 'x' } }).messages).toBeNull()
})
