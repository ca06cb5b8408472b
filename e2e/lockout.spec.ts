import { CAISSIERE, CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { expect, test } from './store.ts'

test('a PIN that was guessed at stays locked through a restart of the terminal; the others sign in', async ({ window, store }) => {
  await window.getByRole('button', { name: CASHIER.name }).click()
  for (let count = 0; count < 4; count += 1) {
    await window.keyboard.type('0000')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('alert').filter({ hasText: 'That PIN is not right.' })).toBeVisible()
  }
  await window.keyboard.type('0000')
  await window.keyboard.press('Enter')
  await expect(window.getByRole('alert').filter({ hasText: 'ask a manager to lift the lock' })).toBeVisible()
  await store.lane.kill()
  await store.lane.restart()
  await window.goto(store.lane.launchUrl)
  await signIn(window, CASHIER)
  await expect(window.getByRole('alert').filter({ hasText: 'ask a manager to lift the lock' })).toBeVisible()
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toHaveCount(0)
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
})
