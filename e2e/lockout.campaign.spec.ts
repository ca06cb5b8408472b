import { CAISSIERE, CASHIER } from './lane.ts'
import { lockPin, signIn } from './sign-in.ts'
import { expect, test } from './store.ts'

test('a PIN locked by wrong entries stays locked after a restart, while other people can sign in', async ({
  window,
  store,
}) => {
  await lockPin(window, CASHIER)
  await store.lane.kill()
  await store.lane.restart()
  await window.goto(store.lane.launchUrl)
  await signIn(window, CASHIER)
  await expect(
    window.getByRole('alert').filter({ hasText: 'have another manager (Staff) or the installer unlock you' }),
  ).toBeVisible()
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toHaveCount(0)
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
})
