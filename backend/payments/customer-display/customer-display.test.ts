import { expect, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

type ChoiceShown = Extract<TerminalEvent, { type: 'choice-shown' }>
const central = useCentral()

test('the customer display gets the units that the cashier selects, up to the redeemable number', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring('1021', 2)
  const sale = await harness.swipe('fine')
  expect(sale.redemptionChoice?.maxUnits).toBe(4)
  expect((await harness.call('PUT', `/api/sales/${sale.id}/choice-shown`, { units: 3 })).body).toEqual({ units: 3 })
  expect(await harness.event((event): event is ChoiceShown => event.type === 'choice-shown')).toEqual({
    type: 'choice-shown',
    saleId: sale.id,
    units: 3,
  })
  expect(await harness.refused('PUT', `/api/sales/${sale.id}/choice-shown`, { units: 5 })).toBe(
    'redemption-units-invalid',
  )
  expect(await harness.refused('PUT', `/api/sales/${sale.id}/choice-shown`, { units: 0 })).toBe('body-invalid')
  await harness.call('PUT', `/api/sales/${sale.id}/choice-shown`, { units: null })
  expect(
    await harness.event((event): event is ChoiceShown => event.type === 'choice-shown' && event.units === null),
  ).toMatchObject({ saleId: sale.id })
  expect(await harness.current()).toMatchObject({ version: sale.version, redemption: null })
  expect(await harness.refused('PUT', '/api/sales/N1010100000001K7QZ/choice-shown', { units: null })).toBe('not-found')
})
