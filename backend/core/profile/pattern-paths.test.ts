import { expect, test } from 'vitest'
import { CardPatterns } from '../../../contracts/core/profile.ts'
import { isBoundedPattern, pathsOf } from './pattern-paths.ts'

test('the number of paths through a pattern is the number that the engine would try', () => {
  expect(pathsOf('^8\\d{10}$')).toBe(1)
  expect(pathsOf('8\\d{10}'), 'at every character of the text').toBe(512)
  expect(pathsOf('^(?:8|9)[0-9]{2,4}$')).toBe(2 * 3)
  expect(pathsOf('^a|b'), 'one of them begins anywhere').toBe(512 * 2)
  expect(pathsOf('^.*=')).toBe(513)
  expect(pathsOf('^(?:;|%B)?8'), 'left out, or either').toBe(3)
  expect(pathsOf('^(?:a|b){0,3}$')).toBe(1 + 2 + 4 + 8)
})

test.each([
  ...Object.values(CardPatterns.parse({})),
  '^;(8\\d{10})=\\d*\\?$',
  '^%B(?<number>8\\d{10})\\^[^^]*\\^',
  '^0?(8\\d{10})$',
  '(8\\d{10})',
  '^.*?=(8\\d{10})$',
  '^\\p{L}*(8\\d{10})$',
])('a card pattern with a bounded number of paths is accepted: %s', (source) => {
  expect(isBoundedPattern(source)).toBe(true)
  expect(() => new RegExp(source, 'u')).not.toThrow()
})

test.each([
  ['repetition within repetition', '^(\\d+)+$'],
  ['lazy repetition within repetition', '^(?:\\d+?)*?x'],
  ['alternatives that overlap', '^(a|a)*$'],
  ['alternatives of two lengths', '^(?:\\d|\\d\\d)*$'],
  ['one unbounded repetition after another', '^\\d*\\d*\\d*x'],
  ['two unbounded repetitions with text between them', '^.*;.*=(8\\d{10})'],
  ['an unbounded repetition that can begin anywhere', '\\d*x'],
  ['many bounded choices', '^(?:a?){40}a{40}'],
  ['many bounded choices in a row', `^${'a?'.repeat(30)}${'a'.repeat(30)}`],
  ['wide bounds', '^\\d{0,500}\\d{0,500}x'],
  ['repetition within repetition in a lookahead', '^(?=(\\d+)+x)8'],
  ['repetition within repetition after an empty class', '^[^](\\d+)+[x]'],
  ['repetition within repetition in a lookbehind', '(?<=(\\d+)+)x'],
  ['inline flags', '^(?i:a)'],
])('a card pattern that could freeze the lane is rejected: %s', (_case, source) => {
  expect(() => new RegExp(source, 'u'), 'the language has it').not.toThrow()
  expect(isBoundedPattern(source)).toBe(false)
})
