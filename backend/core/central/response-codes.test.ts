import { expect, test } from 'vitest'
import { CASH_RESPONSE_CODES } from '../../../contracts/central/cash.ts'
import { ISSUANCE_ERROR_CODES, type IssuanceErrorCode } from '../../../contracts/central/issuance.ts'
import { exceptionMessages } from '../i18n.ts'
import { meaningOfIssue } from '../../loyalty/services/issue-answer.ts'
import { ISSUANCE_MEANINGS, findCode, correctionOf } from './response-codes.ts'

test.each(Object.keys(ISSUANCE_ERROR_CODES) as IssuanceErrorCode[])(
  'the meaning of issuance code %s agrees with its HTTP status',
  (code) => {
    const { status } = ISSUANCE_ERROR_CODES[code]
    const answer = meaningOfIssue(status, { transactionId: 'T', errors: [{ errorCode: code }] })
    expect(answer).toMatchObject({ kind: ISSUANCE_MEANINGS[code].outcome, code })
  },
)

test('every code of both services has a message in both languages', () => {
  const codes = [...Object.keys(CASH_RESPONSE_CODES), ...Object.keys(ISSUANCE_ERROR_CODES)]
  const known = codes.flatMap((code) => findCode(` ${code} `) ?? [])
  expect(known).toEqual(codes)
  for (const code of known) {
    const { says, todo } = exceptionMessages({ code })
    for (const words of [says, todo]) {
      expect(words['en-CA'].length, code).toBeGreaterThan(5)
      expect(words['fr-CA'], code).not.toBe(words['en-CA'])
      expect(words['fr-CA']).not.toContain('exceptions.')
    }
  }
  expect(findCode('9999')).toBeUndefined()
})

test('an issuance code decides whether a corrected copy changes the card, the location or nothing', () => {
  expect([
    correctionOf('234'),
    correctionOf('230'),
    correctionOf('221'),
    correctionOf('0051'),
    correctionOf(null),
  ]).toEqual(['card', 'location', null, null, null])
})
