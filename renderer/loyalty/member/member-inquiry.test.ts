import { expect, test } from 'vitest'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { asSale, member } from '../../testing/sales.ts'
import { canRepeatInquiry } from './member-inquiry.ts'

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
])('after an inquiry with the result %s, another inquiry without a swipe is possible: %s', (noRedemption, may) => {
  expect(canRepeatInquiry(asSale({ member: member({ noRedemption }), redemption: null }))).toBe(may)
})
