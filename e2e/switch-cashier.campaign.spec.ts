import { CAISSIERE, CASHIER } from './lane.ts'
import { signIn, signInAgain } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'

test('a name and a PIN change the cashier, keep the sale, and apply the new cashier’s language', async ({
  window,
  store,
}) => {
  const { scanner, printer, lane } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByRole('row', { name: /Laundry detergent/ })).toBeVisible()

  await test.step('a name and a PIN change the cashier, and a wrong PIN changes nothing', async () => {
    await window.keyboard.press('F12')
    const dialog = window.getByRole('dialog', { name: 'Change cashier' })
    await expect(dialog.getByRole('button', { name: CASHIER.name })).toHaveCount(0)
    await dialog.getByRole('button', { name: CAISSIERE.name }).click()
    await window.keyboard.type('0000')
    await window.keyboard.press('Enter')
    await expect(dialog.getByRole('alert')).toContainText('Wrong PIN. Try again.')
    await window.keyboard.type(CAISSIERE.pin)
    await window.keyboard.press('Enter')
    await expect(window.getByText('Marie Gagnon est maintenant à cette caisse.')).toBeVisible()
    await expect(window.getByRole('row', { name: /Détersif à lessive/ })).toBeVisible()
  })

  await test.step('a touch changes the cashier, and a person’s chosen language remains after a restart', async () => {
    await window.getByRole('button', { name: 'Caissier Marie Gagnon' }).click()
    await window.getByRole('button', { name: 'English' }).click()
    await window.getByRole('button', { name: 'Change cashier' }).click()
    await window.getByRole('dialog', { name: 'Change cashier' }).getByRole('button', { name: CASHIER.name }).click()
    await window.keyboard.type(CASHIER.pin)
    await window.keyboard.press('Enter')
    await expect(window.getByText('Alex Tremblay is now at this lane.')).toBeVisible()
    await window.getByRole('button', { name: 'Cashier Alex Tremblay' }).click()
    // The screen changes language at once; the answer confirms that the lane has stored the language for the person.
    const stored = window.waitForResponse((answer) => answer.url().endsWith('/api/staff/me/locale'))
    await window.getByRole('button', { name: 'Français' }).click()
    await expect(window.getByRole('row', { name: /Détersif à lessive/ })).toBeVisible()
    await stored
    await window.keyboard.press('Escape')
    await lane.kill()
    await expect(window.getByText('Connexion perdue. Reconnexion…')).toBeVisible()
    await lane.restart()
    await signInAgain(window, CASHIER)
    await expect(window.getByRole('row', { name: /Détersif à lessive/ })).toBeVisible()
    await expect(window.getByText('Connexion perdue. Reconnexion…')).toHaveCount(0)
    await window.keyboard.press('F12')
    await window.getByRole('dialog').getByRole('button', { name: CAISSIERE.name }).click()
    await window.keyboard.type(CAISSIERE.pin)
    await window.keyboard.press('Enter')
    await expect(window.getByText('Marie Gagnon is now at this lane.')).toBeVisible()
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    expect((await printer.printed(1))[0], 'Alex opened the sale, and Marie took the money').toContain(
      'Cashier: Marie Gagnon',
    )
  })
})
