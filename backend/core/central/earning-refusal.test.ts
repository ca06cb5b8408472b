import { describe, expect, it } from 'vitest'
import { CASH_RESPONSE_CODES } from '../../../contracts/central/cash.ts'
import { ISSUANCE_ERROR_CODES } from '../../../contracts/central/issuance.ts'
import { earningRefusedByInquire, earningRefusedByIssuance } from './response-codes.ts'

describe('an account that cannot earn miles', () => {
  it('is recognised by the INQUIRE codes for an inactive or invalid account, and by no other cash code', () => {
    const refused = Object.keys(CASH_RESPONSE_CODES)
      .map((code) => [code, earningRefusedByInquire(code)])
      .filter(([, reason]) => reason !== null)
    expect(refused).toEqual([
      ['0002', 'account-inactive'],
      ['0025', 'collector-invalid'],
    ])
    expect([null, '', '9999', ' 0025 '].map(earningRefusedByInquire)).toEqual([null, null, null, 'collector-invalid'])
  })
  it('is recognised when the issuance service reports it as closed, deleted or not found', () => {
    const refused = Object.keys(ISSUANCE_ERROR_CODES)
      .map((code) => [code, earningRefusedByIssuance(code)])
      .filter(([, reason]) => reason !== null)
    expect(refused).toEqual(
      expect.arrayContaining([
        ['224', 'account-closed'],
        ['232', 'account-deleted'],
        ['234', 'collector-invalid'],
      ]),
    )
    expect(refused).toHaveLength(3)
    expect(earningRefusedByIssuance(null)).toBeNull()
  })
})
