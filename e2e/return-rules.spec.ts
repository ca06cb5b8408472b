import { LANGUAGES } from './languages.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'

test.use({ profile: { returns: { departments: [{ id: 'household', days: 0 }] } } })

for (const { language, cashier, manager, localize } of LANGUAGES) {
  test(`a return of a final-sale item is refused with a message; a manager can approve it (${language})`, async ({
    window,
    store,
  }) => {
    const { scanner, printer } = store
    await signIn(window, cashier)
    const ready = localize('Ready for the next customer', 'Prêt pour le prochain client')
    await expect(window.getByRole('heading', { name: ready })).toBeVisible()

    await test.step('the receipt shows that the item cannot be returned', async () => {
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(window.getByRole('row')).toHaveCount(1)
      await window.keyboard.press('F9')
      await expect(window.getByRole('heading', { name: localize('Sale complete', 'Vente terminée') })).toBeVisible()
      expect((await printer.printed(1))[0]).toContain(localize('Final sale: no return', 'Vente ferme : aucun retour'))
    })

    const sale = (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''
    await window.keyboard.press('Enter')
    await window.keyboard.press('Shift+F10')
    await expect(window.getByRole('heading', { name: localize('Return items', 'Retour d’articles') })).toBeVisible()
    const captured = window.waitForResponse((response) => response.url().endsWith('/input/claims'))
    await scanner.send(`]C0${sale}\r`)
    await captured

    await test.step('a scan adds the piece to the return; the screen shows the broken rule and next step', async () => {
      await scanner.send(ean13(ITEMS.detergent.code))
      const rule = window.getByRole('alert').filter({ hasText: localize('final sale', 'vente ferme') })
      await expect(rule).toContainText(localize('a manager must approve', 'un gérant doit approuver'))
      await window.getByRole('radio').first().press('Space')
      await window.keyboard.press('F9')
      const dialog = window.getByRole('dialog')
      await expect(dialog).toContainText(
        localize('Return outside the store’s rules.', 'Retour hors des règles du magasin.'),
      )
      await expect(dialog.getByRole('list').first()).toContainText(localize('final sale', 'vente ferme'))
    })

    await test.step('the PIN of a manager approves the return', async () => {
      const dialog = window.getByRole('dialog')
      const person = dialog.getByRole('button', { name: manager.name })
      if (await person.isVisible()) await person.click()
      await window.keyboard.type(manager.pin)
      await window.keyboard.press('Enter')
      await expect(window.getByRole('heading', { name: localize('Return complete', 'Retour terminé') })).toBeVisible()
    })
  })
}
