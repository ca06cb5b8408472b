import { describe, expect, it } from 'vitest'
import { last4, maskNumbers } from './masking.ts'

describe('masking', () => {
  it('keeps the last four digits', () => {
    expect(last4('80000000011')).toBe('0011')
  })
  it.each([
    ['Collector 80000000011 not found', 'Collector •••• 0011 not found'],
    ['card 4111 1111 1111 1111 refused', 'card •••• 1111 refused'],
    ['8000-000-0011', '•••• 0011'],
    ['account closed on 2026, code 224', 'account closed on 2026, code 224'],
  ])('of %j is %j', (text, masked) => {
    expect(maskNumbers(text)).toBe(masked)
  })
})
