import { describe, expect, test } from 'vitest'
import { looksLikePaymentCard } from './payment-card.ts'

describe('a reference that a cashier types', () => {
  test.each(['4111111111111111', '4111 1111 1111 1111', '5500-0000-0000-0004', 'visa 378282246310005'])(
    '%s is a card number',
    (text) => {
      expect(looksLikePaymentCard(text)).toBe(true)
    },
  )
  test.each(['', 'R77', 'TPV-4417', '004417', '4111111111111112', '123456789012', 'A0000000000B'])(
    '%s is none',
    (text) => {
      expect(looksLikePaymentCard(text)).toBe(false)
    },
  )
})
