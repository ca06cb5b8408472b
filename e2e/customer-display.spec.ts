import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'
import { openDisplay } from './windows.ts'

test('the customer display shows the sale, and never a balance', async ({ window, store }) => {
  const { scanner, reader, lane } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const customer = await openDisplay(window, lane)

  await test.step('the customer display shows offers while no customer is served', async () => {
    await expect(customer.getByRole('heading', { name: 'Welcome' })).toBeVisible()
    await expect(customer.getByRole('region', { name: 'Earn more today' }).getByRole('listitem').first()).toBeVisible()
  })

  await test.step('the customer display shows lines, total, miles to earn and what miles can pay', async () => {
    for (let count = 0; count < 4; count += 1) await scanner.send(ean13(ITEMS.detergent.code))
    await reader.send(track2(COLLECTORS.fine))
    await expect(customer.getByRole('list', { name: 'Your items' })).toContainText('Laundry detergent 2.95 L$79.96')
    await expect(customer.getByText('$90.35')).toBeVisible()
    for (const [name, amount] of [
      ['Subtotal', '$79.96'],
      ['HST', '$10.39'],
    ] as const)
      await expect(customer.getByRole('term').filter({ hasText: name }).locator('..')).toHaveText(`${name}${amount}`)
    await expect(customer.getByText('Miles to earn').locator('..')).toContainText(/\d+ miles/)
    await expect(customer.getByText('Pay $90.00 with miles')).toBeVisible()
  })

  await test.step('the customer display shows the amount to redeem while the cashier changes it', async () => {
    await expect(window.getByRole('button', { name: 'Redeem $90.00' })).toBeVisible()
    await window.keyboard.press('Shift+F4')
    await expect(customer.getByText('$90.00 with miles?')).toBeVisible()
    await window.keyboard.press('ArrowDown')
    await window.keyboard.press('ArrowDown')
    await expect(customer.getByText('$70.00 with miles?')).toBeVisible()
    await expect(customer.getByText('665 miles')).toBeVisible()
    await window.keyboard.press('Escape')
    await expect(customer.getByText('Pay $90.00 with miles')).toBeVisible()
    for (const balance of ['4,750', '4750', '12,300', '500.00'])
      await expect(customer.getByText(balance)).toHaveCount(0)
  })

  await test.step('the customer display shows the redeemed and remaining amounts, then change and thanks', async () => {
    await window.keyboard.press('F4')
    await expect(customer.getByText('Paid with miles').locator('..')).toContainText('$90.00')
    await expect(customer.getByRole('term').filter({ hasText: 'Paid' }).locator('..')).toHaveText('Paid-$90.00')
    await expect(customer.getByText('Balance due').locator('..')).toContainText('$0.35')
    await expect(window.getByRole('status', { name: 'Due' })).toHaveText('$0.35')
    await window.keyboard.press('F6')
    await expect(window.getByRole('group', { name: 'Received' }).getByRole('spinbutton')).toBeFocused()
    await window.keyboard.type('500')
    await window.keyboard.press('Enter')
    await expect(customer.getByRole('heading', { name: 'Thank you!' })).toBeVisible()
    await expect(customer.getByText('Your change').locator('..')).toContainText('$4.65')
    await expect(customer.getByText('Miles earned').locator('..')).toContainText(/\d+ miles/)
  })
})
