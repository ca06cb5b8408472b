import { beforeEach, expect, test } from 'vitest'
import { clearNotices, notify, useNotices, type Tone } from './notices.ts'

const say = (tone: Tone, words: string): void => notify(tone, () => words, { topic: words })
const shown = (): Tone[] => useNotices.getState().notices.map(({ tone }) => tone)

beforeEach(clearNotices)

test('news gives way before a problem that nobody has read', () => {
  say('warning', 'the receipt was not printed')
  for (const paper of ['first', 'second', 'third']) say('success', paper)
  expect(shown()).toEqual(['warning', 'success', 'success'])
})

test('of problems alone the oldest gives way', () => {
  for (const problem of ['first', 'second', 'third', 'fourth']) say('danger', problem)
  expect(useNotices.getState().notices.map(({ topic }) => topic)).toEqual(['second', 'third', 'fourth'])
})
