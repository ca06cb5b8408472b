import { PATHS } from './central.ts'
import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'

// The service does not answer the first REDEEM: the timeout must be long enough for the test to see the waiting screen.
test.use({ limits: { cashTimeoutMs: 4_000 } })

test('the redeem panel explains the limit, one tap redeems up to it, and a timeout leads to a retry', async ({
  window,
  store,
}) => {
  const { central, scanner, reader } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  for (let count = 0; count < 4; count += 1) await scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$90.35')

  await test.step('the screen explains the limits when two units are left for the day', async () => {
    await reader.send(track2(COLLECTORS.nearLimit))
    await expect(window.getByRole('button', { name: 'Redeem $20.00' })).toBeVisible()
    await window.keyboard.press('Shift+F4')
    await expect(window.getByText('Maximum left today: $20.00.')).toBeVisible()
    const limits = window.getByRole('list', { name: 'Limits' }).getByRole('listitem')
    await expect(limits.first()).toContainText('Daily limit')
    await expect(limits.first()).toContainText('up to $20.00')
    await expect(limits.first()).toContainText('applies')
    await expect(limits.filter({ hasText: 'This sale' })).toContainText('up to $90.00')
    await window.keyboard.press('Escape')
  })

  await test.step('for private balances, the screen explains only limits that reveal no miles', async () => {
    await reader.send(track2(COLLECTORS.suppressed))
    await expect(window.getByRole('button', { name: 'Redeem $90.00' })).toBeVisible()
    await window.keyboard.press('Shift+F4')
    const limits = window.getByRole('list', { name: 'Limits' })
    await expect(limits).toContainText('This saleup to $90.00applies')
    await expect(limits).not.toContainText('miles')
    await expect(limits).not.toContainText('offer')
    await window.keyboard.press('Escape')
  })

  await test.step('one tap redeems the proposed amount; without an answer the lane retries the same call', async () => {
    await central.faults({ path: PATHS.redeem, times: 1, action: { kind: 'hang-before' } })
    await window.getByRole('button', { name: 'Redeem $90.00' }).click()
    await expect(window.getByRole('heading', { name: 'Redeeming $90.00' })).toBeVisible()
    await expect(window.getByRole('progressbar', { name: 'Redemption in progress' })).toBeVisible()
    await expect(window.getByRole('region', { name: 'Redeem miles' })).toContainText('$90.00 paid with miles')
    const [first, second] = await central.requests(PATHS.redeem)
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
  })
})
