import { expect, test } from 'vitest'
import { caretIn, dateTyped, isDay, isTime, timeTyped } from './date-text.ts'

test('a date field inserts dashes, and a time field a colon, between typed digits', () => {
  expect(['2', '2026', '20261', '2026120', '20261201'].map(dateTyped)).toEqual([
    '2',
    '2026',
    '2026-1',
    '2026-12-0',
    '2026-12-01',
  ])
  expect(['0', '06', '063', '0630'].map(timeTyped)).toEqual(['0', '06', '06:3', '06:30'])
})

test('a date or time typed or pasted with other separators is accepted, and a formatted one stays unchanged', () => {
  expect(['2026/12/01', '2026.12.01', '2026 12 01', '2026-12-01'].map(dateTyped)).toEqual(
    Array.from({ length: 4 }, () => '2026-12-01'),
  )
  expect(['2026-', '2026-12-'].map(dateTyped)).toEqual(['2026', '2026-12'])
  expect(['0930', '09:30', '09h30'].map(timeTyped)).toEqual(Array.from({ length: 3 }, () => '09:30'))
})

test('a date or time field pads a month, day or hour of one digit when its separator is typed', () => {
  expect(dateTyped('2026-4-')).toBe('2026-04')
  expect(dateTyped('2026-04-7/')).toBe('2026-04-07')
  expect(timeTyped('9:')).toBe('09')
  expect(timeTyped('9h')).toBe('09')
})

test('a date or time field ignores letters and digits beyond its format', () => {
  expect(dateTyped('2026-12-011')).toBe('2026-12-01')
  expect(dateTyped('tomorrow')).toBe('')
  expect(timeTyped('06:300')).toBe('06:30')
})

test('a date field keeps the caret behind the same digit when dashes are inserted', () => {
  expect(caretIn('2026-12-1', 5)).toBe(6)
  expect(caretIn('2026-12-21', 6)).toBe(7)
  expect(caretIn('2026-12', 7)).toBe(7)
  expect(caretIn('2026', 0)).toBe(0)
})

test('a date field accepts only dates that exist in the calendar', () => {
  expect(['2026-12-01', '2028-02-29', '1931-05-06'].every(isDay)).toBe(true)
  expect(['2026-02-29', '2026-13-01', '2026-1-1', '0112-12-26', '2026-12', ''].some(isDay)).toBe(false)
})

test('a time field accepts times from 00:00 to 23:59 only', () => {
  expect(['00:00', '23:59'].every(isTime)).toBe(true)
  expect(['24:00', '6:00', '06:60', ''].some(isTime)).toBe(false)
})
