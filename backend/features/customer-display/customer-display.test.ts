import { expect, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/events.ts'
import { useCentre } from '../../testing/centre.ts'
import { openCounter } from '../../testing/counter.ts'

type ChoiceShown = Extract<TerminalEvent, { type: 'choice-shown' }>
const centre = useCentre()

test('the customer sees the units on the stepper, and never more than can be redeemed', async () => {
  const counter = await openCounter(centre)
  await counter.ring('1021', 2)
  const sale = await counter.swipe('fine')
  expect(sale.redemptionChoice?.maxUnits).toBe(4)
  expect((await counter.call('PUT', `/api/sales/${sale.id}/choice-shown`, { units: 3 })).body).toEqual({ units: 3 })
  expect(await counter.event((event): event is ChoiceShown => event.type === 'choice-shown')).toEqual({
    type: 'choice-shown',
    saleId: sale.id,
    units: 3,
  })
  expect(await counter.refused('PUT', `/api/sales/${sale.id}/choice-shown`, { units: 5 })).toBe(
    'redemption-units-invalid',
  )
  expect(await counter.refused('PUT', `/api/sales/${sale.id}/choice-shown`, { units: 0 })).toBe('body-invalid')
  await counter.call('PUT', `/api/sales/${sale.id}/choice-shown`, { units: null })
  expect(
    await counter.event((event): event is ChoiceShown => event.type === 'choice-shown' && event.units === null),
  ).toMatchObject({ saleId: sale.id })
  // Nothing was redeemed, and the sale has not moved.
  expect(await counter.current()).toMatchObject({ version: sale.version, redemption: null })
  expect(await counter.refused('PUT', '/api/sales/N1010100000001K7QZ/choice-shown', { units: null })).toBe('not-found')
})
