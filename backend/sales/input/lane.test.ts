import { expect, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import type { Window } from '../../../packages/lab/rig/window.ts'

const central = useCentral()
const APPLES = '0628451101000'
const FLOWERS = '0628451107118'
const priceAsked = (event: TerminalEvent): event is Extract<TerminalEvent, { type: 'price-asked' }> =>
  event.type === 'price-asked'
const ALEX = { staffId: 'alex', pin: '1234' }

const touch = (window: Pick<Window, 'call' | 'stream'>) =>
  window.call('POST', '/api/input/acting', { stream: window.stream })

test('after a sign-out and a sign-in, a form no longer captures codes: they are rung in the sale', async () => {
  const harness = await openTerminalHarness(central)
  await harness.call('POST', '/api/input/claims', { what: 'items', claimed: true, stream: harness.stream })
  await harness.call('POST', '/api/sign-out', {})
  await harness.call('POST', '/api/sign-in', ALEX)
  await harness.call('POST', '/api/training/scan', { code: APPLES })
  await expect.poll(async () => (await harness.current())?.lines).toHaveLength(1)
})

test('a question to the cashier goes to the window with a signed-in person, not the last touched one', async () => {
  const harness = await openTerminalHarness(central)
  const another = await harness.openWindow()
  await touch(harness)
  await touch(another)
  await harness.call('POST', '/api/training/scan', { code: FLOWERS })
  expect(await harness.event(priceAsked)).toMatchObject({ item: { sku: '1037' } })
})

test('a question to the cashier goes to the window of the latest sign-in, not to an earlier one', async () => {
  const harness = await openTerminalHarness(central)
  const another = await harness.openWindow()
  await touch(harness)
  await another.call('POST', '/api/sign-in', ALEX)
  await another.call('POST', '/api/training/scan', { code: FLOWERS })
  expect(await another.event(priceAsked)).toMatchObject({ item: { sku: '1037' } })
})
