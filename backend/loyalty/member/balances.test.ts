import { describe, expect, it } from 'vitest'
import { CashResponse } from '../../../contracts/central/cash.ts'
import { balancesOf } from './balances.ts'

const response = (
  responseCode: string,
  fields: object = {
    cashBalance: '12840',
    dreamBalance: '3210',
    availableCashBalance: '6745',
    availableDollarAmount: '710.00',
  },
) => CashResponse.parse({ responseCode, ...fields })

describe('the balances in an answer to INQUIRE or REDEEM', () => {
  it('are read from an approval', () => {
    expect(balancesOf(response('0000'))).toEqual({
      responseCode: '0000',
      cashMiles: 12_840,
      dreamMiles: 3210,
      availableCashMiles: 6745,
      availableCents: 71_000,
    })
  })
  it.each(['0001', '0005', '7777', ''])(
    'are ignored with the response code %j, although the answer contains them',
    (code) => {
      expect(balancesOf(response(code))).toBeNull()
    },
  )
  it('are null when the answer lacks them or contains invalid ones', () => {
    expect(balancesOf(response('0000', {}))).toBeNull()
    expect(
      balancesOf(response('0000', { cashBalance: '-1', dreamBalance: 'many', availableDollarAmount: '1.005' })),
    ).toBeNull()
  })
})
