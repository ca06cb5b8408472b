import { expect, test } from 'vitest'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { approved, saleActions, NINA, percent, SAM } from '../../../packages/lab/testing/sale-actions.ts'
import { COFFEE, DETERGENT } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

test('an action that the permissions set to “never” is refused, even with the PIN of an approver', async () => {
  const harness = await openTerminalHarness(central, {
    approvals: { actions: { discount: { cashier: 'never' }, hold: { cashier: 'never' } } },
  })
  const { discount, send, now } = saleActions(harness)
  await harness.ring(COFFEE)
  expect(await discount(percent(50), 1)).toMatchObject({
    code: 'not-permitted',
    details: [{ path: 'action', message: 'discount' }],
  })
  expect(await discount(percent(50), 1, { approval: SAM })).toMatchObject({ code: 'not-permitted' })
  expect((await discount(percent(5), 1)).sale.discounts, 'below the limit it is no action').toHaveLength(1)
  expect(await send('POST', '/hold', {})).toMatchObject({ code: 'not-permitted' })
  expect((await now()).state).toBe('open')
})

test('a supervisor who is not named as an approver can neither approve the action nor act alone', async () => {
  const harness = await openTerminalHarness(central, {
    moreStaff: [NINA],
    approvals: {
      actions: {
        'line-void': { cashier: 'with-approval', supervisor: 'with-approval', approvers: ['manager'] },
        'sale-void': { cashier: 'with-approval' },
      },
    },
  })
  const { send, trail, now } = saleActions(harness)
  const nina = { staffId: 'nina', pin: '5678' }
  await harness.ring(COFFEE)
  await harness.ring(DETERGENT)
  const refused = await send('POST', '/lines/1/void', {})
  expect(refused).toMatchObject({ code: 'approval-required', approval: { approvers: ['manager'] } })
  expect(await send('POST', '/lines/1/void', { approval: nina })).toMatchObject({ code: 'approver-not-allowed' })
  await harness.call('POST', '/api/sign-in', nina)
  expect(await send('POST', '/lines/1/void', {}), 'nor alone').toMatchObject({ code: 'approval-required' })
  expect(await send('POST', '/lines/1/void', { approval: nina }), 'nor by their own PIN').toMatchObject({
    code: 'approval-required',
  })
  expect(await send('POST', '/lines/1/void', { approval: SAM })).toMatchObject({
    sale: { lines: [{ voided: true }, {}] },
  })
  expect(trail().findLast(({ kind }) => kind === 'approval-given')).toMatchObject({ actor: 'sam', askedBy: 'nina' })

  await harness.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  const { id, version } = await now()
  expect(await harness.refused('POST', `/api/sales/${id}/cancel`, { version })).toBe('approval-required')
  expect((await approved(harness, 'POST', `/api/sales/${id}/cancel`, { version }, nina)).body.sale).toMatchObject({
    state: 'cancelled',
  })
})

test('a change of the permissions applies to the next command', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam' })
  const { send } = saleActions(harness)
  const value = { cashier: 'never', supervisor: 'alone', manager: 'with-approval', approvers: ['manager'] }
  await harness.call('PUT', '/api/settings/approvals.actions.line-void', {
    seen: 0,
    to: { kind: 'value', value },
    from: null,
  })
  await harness.ring(COFFEE)
  expect(await send('POST', '/lines/1/void', {})).toMatchObject({ code: 'approval-required' })
  await harness.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
  expect(await send('POST', '/lines/1/void', {})).toMatchObject({ code: 'not-permitted' })
})
