import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clearNotices, notify, useNotices } from './notices.ts'

const said = (): string[] => useNotices.getState().notices.map(({ tone }) => tone)

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => {
  clearNotices()
  vi.useRealTimers()
})

test('news leaves by itself, whichever screens show it meanwhile; a problem stays', () => {
  notify('success', () => 'done')
  notify('danger', () => 'not done')
  vi.advanceTimersByTime(7_999)
  expect(said()).toEqual(['success', 'danger'])
  vi.advanceTimersByTime(1)
  expect(said()).toEqual(['danger'])
  vi.advanceTimersByTime(60_000)
  expect(said()).toEqual(['danger'])
})
