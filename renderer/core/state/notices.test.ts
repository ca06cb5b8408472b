import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clearNotices, notify, useNotices, type Tone } from './notices.ts'

const say = (tone: Tone, words: string): void => notify(tone, () => words, { topic: words })
const shown = (): Tone[] => useNotices.getState().notices.map(({ tone }) => tone)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  clearNotices()
  vi.useRealTimers()
})

test('news leaves by itself, whichever screens show it meanwhile; a problem stays', () => {
  say('success', 'done')
  say('danger', 'not done')
  vi.advanceTimersByTime(7_999)
  expect(shown()).toEqual(['success', 'danger'])
  vi.advanceTimersByTime(1)
  expect(shown()).toEqual(['danger'])
  vi.advanceTimersByTime(60_000)
  expect(shown()).toEqual(['danger'])
})

test('news gives way before a problem that nobody has read', () => {
  say('warning', 'the receipt was not printed')
  for (const paper of ['first', 'second', 'third']) say('success', paper)
  expect(shown()).toEqual(['warning', 'success', 'success'])
})

test('of problems alone the oldest gives way', () => {
  for (const problem of ['first', 'second', 'third', 'fourth']) say('danger', problem)
  expect(useNotices.getState().notices.map(({ topic }) => topic)).toEqual(['second', 'third', 'fourth'])
})
