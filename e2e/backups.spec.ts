import { A_PERSON } from './keys.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { inTurn } from './in-turn.ts'
import { LANGUAGES } from './languages.ts'

test.use({ viewport: { width: 1024, height: 768 } })

for (const { language, cashier, manager, words: say } of inTurn(LANGUAGES, 1)) {
  test(`a backup by hand, a sale after it, and the way back: ${language}`, async ({ window, store }) => {
    // Two starts of the lane and a restore between them: a busy machine takes its time.
    test.setTimeout(240_000)
    const { lane, scanner } = store
    const ready = window.getByRole('heading', {
      name: say('Ready for the next customer', 'Prêt pour le prochain client'),
    })
    const dialog = window.getByRole('dialog')
    const open = async (): Promise<void> => {
      await signIn(window, manager)
      await expect(ready).toBeVisible()
      await window.keyboard.press('Shift+F1')
      await openStorePage(window, say('Lane', 'Caisse'), say('Backups', 'Sauvegardes'))
    }
    const row = window.getByRole('row', { name: say('Manual', 'Manuelle') })

    await test.step('the manager backs up, and the copy is proved', async () => {
      await open()
      await window.getByRole('button', { name: say('Back up now', 'Sauvegarder') }).click()
      await expect(window.getByText(say('Backup complete.', 'Sauvegarde terminée.'))).toBeVisible()
      await expect(row).toContainText(say('Intact', 'Intacte'))
      await window.keyboard.press('Shift+F12')
    })

    await test.step('a cashier sells', async () => {
      await signIn(window, cashier)
      await expect(ready).toBeVisible()
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(window.getByRole('status', { name: 'Total' })).toHaveText(say('$22.59', '22,59 $'))
      await window.keyboard.press('F9')
      await expect(window.getByRole('heading', { name: say('Sale complete', 'Vente terminée') })).toBeVisible()
      // Whoever signs in next finds the lane ready, without a word of this sale.
      await window.keyboard.press('Shift+F12')
    })

    await test.step('the preview names what would be lost, and a PIN restores', async () => {
      await open()
      await row.getByRole('button', { name: say('Restore', 'Restaurer') }).click()
      // The copy is read to its end: a busy disk takes its time.
      await expect(dialog.getByRole('progressbar')).toHaveCount(0, { timeout: 60_000 })
      const lost = dialog.getByRole('row').filter({ hasText: say('Sales', 'Ventes') })
      await expect(lost).toContainText(say('$22.59', '22,59 $'))
      await lost.getByText(say('Sales', 'Ventes')).click()
      await expect(lost.getByRole('listitem')).toContainText('N10101')
      await dialog.getByRole('button', { name: manager.name }).click()
      await window.keyboard.type(manager.pin, { delay: A_PERSON })
      await window.keyboard.press('Enter')
      await lane.startAgain()
    })

    await test.step('the lane is back, in its second epoch, and the window needs no new link', async () => {
      await signIn(window, manager)
      await expect(window.getByText(say('Lane epoch 2.', 'Époque 2 de la caisse.'), { exact: false })).toBeVisible()
      await expect(window.getByRole('row', { name: say('Before a restore', 'Avant une restauration') })).toBeVisible()
    })
  })
}
