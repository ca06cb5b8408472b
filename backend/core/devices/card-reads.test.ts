import { expect, test } from 'vitest'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import { testClock } from '../http/testing.ts'
import { createCardReads } from './reads.ts'

const NUMBER = '80000000011' as CollectorNumber

test('a card read can be used once', () => {
  const reads = createCardReads(testClock(), 120_000)
  const card = reads.hold(NUMBER, 'SWIPE')
  expect(card).toMatchObject({ collectorNumber: NUMBER, entryMode: 'SWIPE', last4: '0011' })
  expect(reads.take(card.readId)?.collectorNumber).toBe(NUMBER)
  expect(reads.take(card.readId)).toBeUndefined()
})

test('a card read expires exactly at the end of its time limit', () => {
  const clock = testClock()
  const reads = createCardReads(clock, 120_000)
  const [early, late] = [reads.hold(NUMBER, 'SWIPE'), reads.hold(NUMBER, 'SCAN')]
  clock.advance(119_999)
  expect(reads.take(early.readId)?.entryMode).toBe('SWIPE')
  clock.advance(1)
  expect(reads.take(late.readId)).toBeUndefined()
})

test('every read has its own id, and an unknown id returns no read', () => {
  const reads = createCardReads(testClock(), 120_000)
  const [first, second] = [reads.hold(NUMBER, 'SWIPE'), reads.hold(NUMBER, 'SWIPE')]
  expect(first.readId).not.toBe(second.readId)
  expect(reads.take('00000000-0000-4000-8000-000000000000')).toBeUndefined()
  expect(reads.take(NUMBER), 'a number is no read').toBeUndefined()
  expect(reads.take(second.readId)).toBeDefined()
  expect(reads.take(first.readId)).toBeDefined()
})

test('the id of a read does not contain the last digits of the card number', () => {
  const card = createCardReads(testClock(), 120_000).hold(NUMBER, 'SWIPE')
  expect(card.readId).not.toContain('0011')
})
