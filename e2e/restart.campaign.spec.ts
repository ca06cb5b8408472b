import { CASHIER } from './lane.ts'
import { signIn, signInAgain } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { reloadByLink } from './windows.ts'

test('a window that stayed open while the terminal restarted shows the sale and reports the recovery', async ({
  window,
  store,
}) => {
  const { lane, scanner } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByRole('log')).toHaveText(/^Laundry detergent 2\.95 L, \$19\.99\. Total \$22\.59\.$/)

  await lane.kill()
  await expect(window.getByText('Connection lost')).toBeVisible()
  await lane.restart()
  await signInAgain(window, CASHIER)
  const notice = window.getByRole('status').filter({ hasText: 'Sale restored after restart.' })
  await expect(notice).toBeVisible()
  await expect(window.getByRole('grid')).toContainText('Laundry detergent')
  await expect(notice).toHaveCount(1)

  await test.step('a reload of the window does not count as a restart of the terminal', async () => {
    await reloadByLink(window, lane)
    await signIn(window, CASHIER)
    await expect(window.getByRole('grid')).toContainText('Laundry detergent')
    await expect(notice).toHaveCount(0)
  })

  await test.step('a start of the terminal without an open sale shows no recovery notice', async () => {
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    await window.keyboard.press('Enter')
    await lane.kill()
    await expect(window.getByText('Connection lost')).toBeVisible()
    await lane.restart()
    await signInAgain(window, CASHIER)
    await expect(window.getByText('Connection lost')).toHaveCount(0)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    await expect(notice).toHaveCount(0)
  })
})
