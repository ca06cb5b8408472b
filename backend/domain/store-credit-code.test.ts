import { expect, test } from 'vitest'
import { systemChance } from '../clock.ts'
import { storeCreditCodeOf } from './store-credit-code.ts'

test('is made of the random digits of the UUID alone', () => {
  expect(storeCreditCodeOf('01234567-89ab-4cde-8f01-234567890abc')).toBe('ABCDEFGHJKMNPQRT')
  expect(storeCreditCodeOf('01234567-89ab-4cde-9f01-234567890abc'), 'the variant says nothing').toBe('ABCDEFGHJKMNPQRT')
  expect(storeCreditCodeOf('01234567-89ab-4cde-8e01-234567890abc')).not.toBe('ABCDEFGHJKMNPQRT')
})

test('every position takes every letter, and no two are alike', () => {
  const codes = Array.from({ length: 2_000 }, () => storeCreditCodeOf(systemChance.uuid()))
  expect(new Set(codes).size).toBe(codes.length)
  for (let place = 0; place < 16; place += 1) expect(new Set(codes.map((code) => code[place])).size).toBe(16)
})
