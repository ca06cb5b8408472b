import { variantsFor } from './variants.ts'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { LANGUAGES } from './languages.ts'
import { signInAgain } from './sign-in.ts'
import { openStorePage } from './store-page.ts'
import { expect, test } from './store.ts'

test.use({ viewport: { width: 1024, height: 768 } })

const NOOR = 'Noor Haddad'
const OWN_PIN = '70493'

for (const { language, manager, localize } of variantsFor(LANGUAGES, 0)) {
  test(`a manager adds, promotes and deactivates a cashier: ${language}`, async ({ window }) => {
    const button = (english: string, french: string) => window.getByRole('button', { name: localize(english, french) })
    const dialog = window.getByRole('dialog')
    const inDialog = (english: string, french: string) =>
      dialog.getByRole('button', { name: localize(english, french), exact: true })
    const noor = window
      .getByRole('table', { name: localize('Staff', 'Personnel') })
      .getByRole('row', { name: new RegExp(NOOR) })
    const atSignIn = window.getByRole('button', { name: new RegExp(`^${NOOR}`) })
    const ready = window.getByRole('heading', {
      name: localize('Ready for the next customer', 'Prêt pour le prochain client'),
    })
    const openStaff = async (): Promise<void> => {
      await signInAgain(window, manager)
      await expect(ready).toBeVisible()
      await window.keyboard.press('Shift+F1')
      await openStorePage(window, localize('Setup', 'Configuration'), localize('Staff', 'Personnel'))
    }
    let pin = ''

    await test.step('an added person gets a one-time PIN, which the page shows once', async () => {
      await openStaff()
      await button('Add person', 'Ajouter une personne').click()
      await inDialog('Save', 'Enregistrer').click()
      await expect(dialog.getByText(localize('Enter a name.', 'Entrez un nom.'))).toBeVisible()
      await dialog.getByLabel(localize('Name', 'Nom')).fill(NOOR)
      await inDialog('Save', 'Enregistrer').click()
      pin = await dialog.getByLabel(localize('One-time PIN', 'NIP à usage unique'), { exact: true }).innerText()
      expect(pin).toMatch(/^\d{6}$/)
      await inDialog('Done', 'Terminé').click()
      await expect(noor).toContainText(localize('Cashier', 'Caissier'))
      await expect(window.getByText(pin)).toHaveCount(0)
    })

    await test.step('a one-time PIN only allows the choice of a new PIN', async () => {
      await window.keyboard.press('Shift+F12')
      await atSignIn.click()
      // Typed with pauses: six digits without a pause count as a scan.
      await window.keyboard.type(pin, { delay: PERSON_KEY_GAP_MS })
      await window.keyboard.press('Enter')
      await expect(window.getByText(localize('Choose a new PIN', 'Choisissez un nouveau NIP'))).toBeVisible()
      await window.keyboard.type(OWN_PIN)
      await window.keyboard.press('Enter')
      await window.keyboard.type(OWN_PIN)
      await window.keyboard.press('Enter')
      await expect(ready).toBeVisible()
      await window.keyboard.press('Shift+F12')
    })

    await test.step('the manager gives a cashier another role', async () => {
      await openStaff()
      await button(`Edit ${NOOR}`, `Modifier ${NOOR}`).click()
      await dialog
        .getByRole('radiogroup', { name: localize('Role', 'Rôle') })
        .getByText(localize('Supervisor', 'Superviseur'), { exact: true })
        .click()
      await inDialog('Save', 'Enregistrer').click()
      await expect(noor).toContainText(localize('Supervisor', 'Superviseur'))
    })

    await test.step('the sign-in screen does not offer a deactivated person', async () => {
      await button(`Edit ${NOOR}`, `Modifier ${NOOR}`).click()
      await inDialog('Deactivate', 'Désactiver').click()
      await expect(noor).toContainText(localize('Inactive', 'Inactif'))
      await expect(dialog).toHaveCount(0)
      await window.keyboard.press('Shift+F12')
      await expect(window.getByRole('button', { name: new RegExp(`^${manager.name}`) })).toBeVisible()
      await expect(atSignIn).toHaveCount(0)
    })
  })
}
