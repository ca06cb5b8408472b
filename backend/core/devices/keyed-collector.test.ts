import { expect, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

type SaleChanged = Extract<TerminalEvent, { type: 'sale-changed' }>

const central = useCentral()
const DETERGENT = '1021'
const NUMBER = '80000000011'

test('a typed collector number earns miles on the sale, even before the first item, and can never redeem', async () => {
  const harness = await openTerminalHarness(central)
  const { status, body } = await harness.call('POST', '/api/devices/keyed-collector', { number: '8000 000-0011' })
  expect([status, body]).toEqual([200, { done: true }])
  const identified = await harness.event((event): event is SaleChanged => event.type === 'sale-changed')
  expect(identified.sale).toMatchObject({ lines: [], member: { last4: '0011', entryMode: 'KEYED' } })
  const sale = await harness.ring(DETERGENT)
  const earning = await harness.until(({ milesPreview }) => milesPreview !== null)
  expect(earning).toMatchObject({ id: sale.id, member: { noRedemption: 'keyed' }, redemptionChoice: null })
  expect(
    await harness.refused('POST', `/api/sales/${sale.id}/redemption`, { version: earning.version, units: 1 }),
  ).toBe('redemption-not-allowed')
  expect(JSON.stringify([identified, earning])).not.toContain(NUMBER)
})

test('an invalid collector number is rejected without repeating it', async () => {
  const harness = await openTerminalHarness(central)
  for (const number of ['8000000001', '800000000111', '70000000011', 'abcdefghijk', '4111 1111 1111 1111']) {
    const { status, body } = await harness.call('POST', '/api/devices/keyed-collector', { number })
    expect([status, body.code]).toEqual([422, 'collector-number-wrong'])
    expect(JSON.stringify(body)).not.toContain(number)
  }
  expect(await harness.current()).toBeNull()
})
