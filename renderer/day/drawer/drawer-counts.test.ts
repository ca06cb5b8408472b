import { expect, test } from 'vitest'
import { cashCents, givenCash, NO_CASH } from './drawer-counts.ts'

test('coins and notes add up, and what was not counted is not sent', () => {
  const draft = { ...NO_CASH, pieces: { 2000: '3', 25: '4', 10: '', 5: '01' } }
  expect(cashCents(draft)).toBe(61_05)
  expect(givenCash(draft)).toEqual({ by: 'pieces', pieces: { 2000: 3, 25: 4, 5: 1 } })
})

test('a sum alone leaves the pieces that were typed before out of it', () => {
  const draft = { by: 'sum', pieces: { 2000: '3' }, sumCents: 200_00 } as const
  expect(cashCents(draft)).toBe(200_00)
  expect(givenCash(draft)).toEqual({ by: 'sum', cents: 200_00 })
})
