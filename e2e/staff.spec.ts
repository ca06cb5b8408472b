import { inTurn } from './in-turn.ts'
import { A_PERSON } from './keys.ts'
import { LANGUAGES } from './languages.ts'
import { signInAgain } from './sign-in.ts'
import { openStorePage } from './store-page.ts'
import { expect, test } from './store.ts'

test.use({ viewport: { width: 1024, height: 768 } })

const NOOR = 'Noor Haddad'
const OWN_PIN = '70493'

for (const { language, manager, words: say } of inTurn(LANGUAGES, 0)) {
  test(`a manager takes on a cashier, promotes them, and ends their work here: ${language}`, async ({ window }) => {
    const button = (english: string, french: string) => window.getByRole('button', { name: say(english, french) })
    const dialog = window.getByRole('dialog')
    const inDialog = (english: string, french: string) =>
      dialog.getByRole('button', { name: say(english, french), exact: true })
    const noor = window
      .getByRole('table', { name: say('Staff', 'Personnel') })
      .getByRole('row', { name: new RegExp(NOOR) })
    const atSignIn = window.getByRole('button', { name: new RegExp(`^${NOOR}`) })
    const ready = window.getByRole('heading', {
      name: say('Ready for the next customer', 'Prêt pour le prochain client'),
    })
    const openStaff = async (): Promise<void> => {
      await signInAgain(window, manager)
      await expect(ready).toBeVisible()
      await window.keyboard.press('Shift+F1')
      await openStorePage(window, say('Setup', 'Configuration'), say('Staff', 'Personnel'))
    }
    let pin = ''

    await test.step('who is added has a PIN at once, told once', async () => {
      await openStaff()
      await button('Add person', 'Ajouter une personne').click()
      await inDialog('Save', 'Enregistrer').click()
      await expect(dialog.getByText(say('Enter a name.', 'Entrez un nom.'))).toBeVisible()
      await dialog.getByLabel(say('Name', 'Nom')).fill(NOOR)
      await inDialog('Save', 'Enregistrer').click()
      pin = await dialog.getByLabel(say('One-time PIN', 'NIP à usage unique'), { exact: true }).innerText()
      expect(pin).toMatch(/^\d{6}$/)
      await inDialog('Done', 'Terminé').click()
      await expect(noor).toContainText(say('Cashier', 'Caisse'))
      await expect(window.getByText(pin)).toHaveCount(0)
    })

    await test.step('it opens nothing but the choice of a PIN of one’s own', async () => {
      await window.keyboard.press('Shift+F12')
      await atSignIn.click()
      // Six digits without a pause are a scanner's.
      await window.keyboard.type(pin, { delay: A_PERSON })
      await window.keyboard.press('Enter')
      await expect(window.getByText(say('Choose a new PIN', 'Choisissez un nouveau NIP'))).toBeVisible()
      await window.keyboard.type(OWN_PIN)
      await window.keyboard.press('Enter')
      await window.keyboard.type(OWN_PIN)
      await window.keyboard.press('Enter')
      await expect(ready).toBeVisible()
      await window.keyboard.press('Shift+F12')
    })

    await test.step('another role', async () => {
      await openStaff()
      await button(`Edit ${NOOR}`, `Modifier ${NOOR}`).click()
      await dialog
        .getByRole('radiogroup', { name: say('Role', 'Rôle') })
        .getByText(say('Supervisor', 'Supervision'), { exact: true })
        .click()
      await inDialog('Save', 'Enregistrer').click()
      await expect(noor).toContainText(say('Supervisor', 'Supervision'))
    })

    await test.step('who works here no more is offered at no sign-in', async () => {
      await button(`Edit ${NOOR}`, `Modifier ${NOOR}`).click()
      await inDialog('Deactivate', 'Désactiver').click()
      await expect(noor).toContainText(say('Inactive', 'Inactif'))
      await expect(dialog).toHaveCount(0)
      await window.keyboard.press('Shift+F12')
      await expect(window.getByRole('button', { name: new RegExp(`^${manager.name}`) })).toBeVisible()
      await expect(atSignIn).toHaveCount(0)
    })
  })
}
