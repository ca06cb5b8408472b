import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CASHIER, MANAGER } from './lane.ts'
import { signIn, signInAgain } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'

test('a sale stays on hold while another customer is served and the terminal restarts', async ({ window, store }) => {
  const { scanner, lane } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()

  await test.step('one key and a name put the sale on hold', async () => {
    await scanner.send(ean13(ITEMS.apples.code))
    await expect(window.getByRole('row', { name: /Apples, Gala/ })).toBeVisible()
    await window.keyboard.press('F5')
    await expect(window.getByRole('dialog', { name: 'Hold this sale' })).toContainText('1 item, $6.99')
    await window.keyboard.type('Forgot his wallet', { delay: PERSON_KEY_GAP_MS })
    await window.keyboard.press('Enter')
    await expect(window.getByText('On hold as “Forgot his wallet”.')).toBeVisible()
    await expect(window.getByRole('button', { name: 'On hold 1 sale', exact: true })).toBeVisible()
  })

  await test.step('the lane serves the next customer, and the sale is still on hold after a restart', async () => {
    await scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('row', { name: /Laundry detergent/ })).toBeVisible()
    await lane.kill()
    await expect(window.getByText('Connection lost. Reconnecting…')).toBeVisible()
    await lane.restart()
    await signInAgain(window, CASHIER)
    await expect(window.getByText('Connection lost. Reconnecting…')).toHaveCount(0)
    await expect(window.getByRole('row', { name: /Laundry detergent/ })).toBeVisible()
    await expect(window.getByRole('button', { name: 'On hold 1 sale', exact: true })).toBeVisible()
    await window.keyboard.press('Shift+F5')
    await expect(window.getByText('A sale is open. Finish it or put it on hold first.')).toBeVisible()
    await window.keyboard.press('Escape')
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  })

  await test.step('Enter resumes the held sale, which cannot be put on hold again after a payment', async () => {
    await window.keyboard.press('Enter')
    await window.getByRole('button', { name: 'Sales on hold' }).click()
    await expect(window.getByRole('row', { name: /^Forgot his wallet, 1 item, \$6\.99, for/ })).toBeFocused()
    await window.keyboard.press('Enter')
    await expect(window.getByRole('row', { name: /Apples, Gala/ })).toBeVisible()
    await expect(window.getByRole('button', { name: 'On hold 1 sale', exact: true })).toHaveCount(0)
    await window.keyboard.press('F6')
    await window.keyboard.type('200')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('status', { name: 'Due' })).toHaveText('$4.99')
    await window.keyboard.press('F5')
    await expect(window.getByRole('dialog')).toHaveCount(0)
  })
})

test('in French, a manager sees on the queue page that a sale is on hold, and resumes it', async ({
  window,
  store,
}) => {
  await signIn(window, MANAGER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await window.getByRole('button', { name: 'Manager Sam Okafor' }).click()
  await window.getByRole('button', { name: 'Français' }).click()
  await window.keyboard.press('Escape')
  await store.scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('row', { name: /Pommes/ })).toBeVisible()
  await window.getByRole('button', { name: 'Mettre en attente' }).click()
  await window.getByRole('dialog').getByRole('button', { name: 'Mettre en attente' }).click()
  await expect(window.getByText('En attente sous « 1 ».')).toBeVisible()
  await window.keyboard.press('Shift+F1')
  await openStorePage(window, 'Milles', 'File')
  await expect(window.getByText('1 vente en attente, jusqu’à la reprise.')).toBeVisible()
  await window.getByRole('button', { name: 'Voir les ventes en attente' }).click()
  await window.getByRole('button', { name: 'Reprendre la vente' }).click()
  await expect(window.getByRole('row', { name: /Pommes/ })).toBeVisible()
})
