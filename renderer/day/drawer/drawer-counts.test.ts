import { expect, test } from 'vitest'
import { cashCents, cashInput, NO_CASH } from './drawer-counts.ts'

test('a drawer count adds up coins and notes, and omits denominations that were not counted', () => {
  const draft = { ...NO_CASH, pieces: { 2000: '3', 25: '4', 10: '', 5: '01' } }
  expect(cashCents(draft)).toBe(61_05)
  expect(cashInput(draft)).toEqual({ by: 'pieces', pieces: { 2000: 3, 25: 4, 5: 1 } })
})

test('a cash count entered as one sum ignores the coins and notes that were typed before', () => {
  const draft = { by: 'sum', pieces: { 2000: '3' }, sumCents: 200_00 } as const
  expect(cashCents(draft)).toBe(200_00)
  expect(cashInput(draft)).toEqual({ by: 'sum', cents: 200_00 })
})
