import { PERSON_KEY_GAP_MS } from './keys.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { variantsFor } from './variants.ts'
import { LANGUAGES } from './languages.ts'

test.use({ viewport: { width: 1024, height: 768 } })

for (const { language, cashier, manager, localize } of variantsFor(LANGUAGES, 1)) {
  test(`a manager backs up a lane and restores the backup after a sale: ${language}`, async ({ window, store }) => {
    // Raises the time limit: the lane starts twice and restores a backup in between.
    test.setTimeout(240_000)
    const { lane, scanner } = store
    const ready = window.getByRole('heading', {
      name: localize('Ready for the next customer', 'Prêt pour le prochain client'),
    })
    const dialog = window.getByRole('dialog')
    const open = async (): Promise<void> => {
      await signIn(window, manager)
      await expect(ready).toBeVisible()
      await window.keyboard.press('Shift+F1')
      await openStorePage(window, localize('Lane', 'Caisse'), localize('Backups', 'Sauvegardes'))
    }
    const row = window.getByRole('row', { name: localize('Manual', 'Manuelle') })

    await test.step('the manager makes a backup, and the copy is verified', async () => {
      await open()
      await window.getByRole('button', { name: localize('Back up now', 'Sauvegarder') }).click()
      await expect(window.getByText(localize('Backup complete.', 'Sauvegarde terminée.'))).toBeVisible()
      await expect(row).toContainText(localize('Intact', 'Intacte'))
      await window.keyboard.press('Shift+F12')
    })

    await test.step('a cashier completes a sale that the backup does not contain', async () => {
      await signIn(window, cashier)
      await expect(ready).toBeVisible()
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(window.getByRole('status', { name: 'Total' })).toHaveText(localize('$22.59', '22,59 $'))
      await window.keyboard.press('F9')
      await expect(window.getByRole('heading', { name: localize('Sale complete', 'Vente terminée') })).toBeVisible()
      // Sign out, because the next step begins at the sign-in screen.
      await window.keyboard.press('Shift+F12')
    })

    await test.step('the preview lists what a restore would lose, and a manager’s PIN starts the restore', async () => {
      await open()
      await row.getByRole('button', { name: localize('Restore', 'Restaurer') }).click()
      // The preview reads the whole backup first, which takes long on a busy disk.
      await expect(dialog.getByRole('progressbar')).toHaveCount(0, { timeout: 60_000 })
      const lost = dialog.getByRole('row').filter({ hasText: localize('Sales', 'Ventes') })
      await expect(lost).toContainText(localize('$22.59', '22,59 $'))
      await lost.getByText(localize('Sales', 'Ventes')).click()
      await expect(lost.getByRole('listitem')).toContainText('N10101')
      await dialog.getByRole('button', { name: manager.name }).click()
      await window.keyboard.type(manager.pin, { delay: PERSON_KEY_GAP_MS })
      await window.keyboard.press('Enter')
      await lane.startAgain()
    })

    await test.step('after a restore the lane runs in its second epoch, and the window needs no new link', async () => {
      await signIn(window, manager)
      await expect(
        window.getByText(localize('Lane epoch 2.', 'Époque 2 de la caisse.'), { exact: false }),
      ).toBeVisible()
      await expect(
        window.getByRole('row', { name: localize('Before a restore', 'Avant une restauration') }),
      ).toBeVisible()
    })
  })
}
