import { expect, test } from 'vitest'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { asSale, member } from '../../testing/sales.ts'
import { mayAskAgain } from './member-inquiry.ts'

test.each<readonly [NonNullable<Sale['member']>['noRedemption'], boolean]>([
  ['central-unreachable', true],
  ['central-secret-refused', true],
  ['central-outage', true],
  ['central-refused', true],
  ['temporarily-unavailable', true],
  ['account-inactive', false],
  ['insufficient-miles', false],
  ['keyed', false],
  [null, false],
])('%s: the program may be asked again without another swipe: %s', (noRedemption, may) => {
  expect(mayAskAgain(asSale({ member: member({ noRedemption }), redemption: null }))).toBe(may)
})
