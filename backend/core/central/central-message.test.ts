import { expect, test } from 'vitest'
import { CASH_RESPONSE_CODES } from '../../../contracts/central/cash.ts'
import { ISSUANCE_ERROR_CODES } from '../../../contracts/central/issuance.ts'
import { centralMessage } from './response-codes.ts'

test('a service’s message is omitted when the specification has it, in any case or with a full stop', () => {
  for (const { message } of [...Object.values(CASH_RESPONSE_CODES), ...Object.values(ISSUANCE_ERROR_CODES)])
    expect([centralMessage({ message }), centralMessage({ message: `${message.toUpperCase()}.` })]).toEqual([
      null,
      null,
    ])
})

test('any other message of a service loses its control characters and is cut to 160 characters', () => {
  expect(centralMessage({ message: ' Fusion de comptes\u0000 en cours\u202e\r\n' })).toBe('Fusion de comptes en cours')
  expect(centralMessage({ message: '<b>x</b>' })).toBe('<b>x</b>')
  expect(centralMessage({ message: 'x'.repeat(1_000) })).toHaveLength(160)
  expect([centralMessage({}), centralMessage({ message: null }), centralMessage({ message: '\u0007' })]).toEqual([
    null,
    null,
    null,
  ])
})
