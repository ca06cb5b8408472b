import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clearNotices, notify, useNotices, type Tone } from './notices.ts'

const localize = (tone: Tone, text: string): void => notify(tone, () => text, { topic: text })
const shown = (): Tone[] => useNotices.getState().notices.map(({ tone }) => tone)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  clearNotices()
  vi.useRealTimers()
})

test('a success notice is removed after eight seconds, and a problem notice stays', () => {
  localize('success', 'done')
  localize('danger', 'not done')
  vi.advanceTimersByTime(7_999)
  expect(shown()).toEqual(['success', 'danger'])
  vi.advanceTimersByTime(1)
  expect(shown()).toEqual(['danger'])
  vi.advanceTimersByTime(60_000)
  expect(shown()).toEqual(['danger'])
})

test('a fourth notice removes the oldest success notice, even if a problem notice is older', () => {
  localize('warning', 'the receipt was not printed')
  for (const paper of ['first', 'second', 'third']) localize('success', paper)
  expect(shown()).toEqual(['warning', 'success', 'success'])
})

test('a fourth problem notice removes the oldest one', () => {
  for (const problem of ['first', 'second', 'third', 'fourth']) localize('danger', problem)
  expect(useNotices.getState().notices.map(({ topic }) => topic)).toEqual(['second', 'third', 'fourth'])
})
