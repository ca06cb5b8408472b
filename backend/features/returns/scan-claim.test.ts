import { expect, test } from 'vitest'
import type { Item } from '../../../contracts/api/catalog.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import { testClock } from '../../http/testing.ts'
import { createScanClaim, SCAN_CLAIM_MS } from './scan-claim.ts'

const ITEM = {
  sku: '1001',
  barcode: '0628451101000',
  name: { 'en-CA': 'Apples', 'fr-CA': 'Pommes' },
  priceCents: 699 as Item['priceCents'],
  openPrice: null,
  taxCategory: 'zero-rated',
  departmentId: 'd',
  categoryId: null,
} satisfies Item

function opened() {
  const clock = testClock()
  const told: TerminalEvent[] = []
  const claim = createScanClaim({
    clock,
    findByBarcode: (code) => (code === ITEM.barcode ? ITEM : undefined),
    findBySku: () => undefined,
    publish: (event) => {
      told.push(event)
    },
  })
  return { clock, told, claim }
}

test('scans are the sale’s until a return claims them, and again once it lets go', () => {
  const { told, claim } = opened()
  expect(claim.take(ITEM.barcode, false)).toBe(false)
  claim.claim()
  expect(claim.take(ITEM.barcode, false)).toBe(true)
  expect(told).toEqual([{ type: 'item-for-return', item: ITEM }])
  claim.release()
  expect(claim.take(ITEM.barcode, false)).toBe(false)
})

test('what is not in the catalog, or has a price of its own on its label, is called unknown and rings nowhere', () => {
  const { told, claim } = opened()
  claim.claim()
  expect([claim.take('999', false), claim.take(ITEM.barcode, true)]).toEqual([true, true])
  expect(told.map(({ type }) => type)).toEqual(['scan-unknown', 'scan-unknown'])
})

test('a screen that died gives the scans back by itself', () => {
  const { clock, claim } = opened()
  claim.claim()
  clock.advance(SCAN_CLAIM_MS - 1)
  expect(claim.take(ITEM.barcode, false)).toBe(true)
  clock.advance(1)
  expect(claim.take(ITEM.barcode, false)).toBe(false)
})
