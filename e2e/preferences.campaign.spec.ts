import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { reloadByLink } from './windows.ts'

test('`?` opens the list of keyboard shortcuts, and the chosen appearance remains after a reload', async ({
  window,
  store,
}) => {
  await window.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()

  await test.step('the question mark opens the list of keyboard shortcuts', async () => {
    await window.keyboard.press('?')
    const map = window.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const [action, key] of [
      ['Search items', 'F2'],
      ['Cash', 'F6'],
      ['Card', 'F7'],
      ['Redeem', 'F4'],
    ] as const)
      await expect(
        map
          .getByText(new RegExp(`^${action}`))
          .first()
          .locator('..'),
      ).toContainText(key)
    await window.keyboard.press('Escape')
    await expect(map).toHaveCount(0)
  })

  await test.step('the dark appearance chosen on a lane remains after a reload', async () => {
    await window.getByRole('button', { name: new RegExp(CASHIER.name) }).click()
    await window.getByRole('button', { name: 'Dark' }).click()
    await window.keyboard.press('Escape')
    await expect(window.locator('html')).toHaveAttribute('data-theme', 'dark')
    await reloadByLink(window, store.lane)
    await signIn(window, CASHIER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    await expect(window.locator('html')).toHaveAttribute('data-theme', 'dark')
  })

  await test.step('with reduced motion, the screen runs no animation after a scan', async () => {
    await store.scanner.send(ean13(ITEMS.apples.code))
    await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$6.99')
    const moving = await window.evaluate<number>(
      'document.getAnimations().filter((animation) => Number(animation.effect?.getComputedTiming().duration) > ' +
        '1).length',
    )
    expect(moving).toBe(0)
  })
})
