import { expect, test } from 'vitest'
import { scanReach } from './scan-codes.ts'

const isReachable = scanReach({
  collectorPattern: '^(8[0-9]{10})$',
  badgePattern: '^STAFF-([0-9A-Z]{6,32})$',
  controlCode: 'WORD77',
})

test.each(['036000291452', '4011', 'SUMMER2026', 'X001ABCDEF', '004HQ3NIDBVD', '8000000001', '90000000011'])(
  'a scan of %s can find an item or a coupon',
  (code) => {
    expect(isReachable(code)).toBe(true)
  },
)

test.each(['80000000011', 'STAFF-A10001', '4111111111111111', ';99999=123456?', 'WORD77.REDEEM'])(
  'a scan of %s is taken for a card, badge, voucher or control, and finds no item',
  (code) => {
    expect(isReachable(code)).toBe(false)
  },
)
