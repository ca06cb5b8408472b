import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { variantsFor } from './variants.ts'
import { LANGUAGES } from './languages.ts'

test.use({ viewport: { width: 1024, height: 768 } })

const press = async (window: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await window.keyboard.press(key, { delay: PERSON_KEY_GAP_MS })
}

for (const { language, manager, localize } of variantsFor(LANGUAGES, 0)) {
  test(`a manager sets receipts, taxes and permissions, and saves the changes as a file: ${language}`, async ({
    window,
    store,
  }) => {
    const button = (english: string, french: string) => window.getByRole('button', { name: localize(english, french) })
    const view = (english: string, french: string) => window.getByRole('radio', { name: localize(english, french) })
    const dialog = window.getByRole('dialog')
    const save = dialog.getByRole('button', { name: localize('Save', 'Enregistrer'), exact: true })
    const money = (dollars: string): string => localize(`$${dollars}`, `${dollars.replace('.', ',')} $`)

    await signIn(window, manager)
    await expect(
      window.getByRole('heading', { name: localize('Ready for the next customer', 'Prêt pour le prochain client') }),
    ).toBeVisible()
    await press(window, 'Shift+F1')
    await openStorePage(window, localize('Setup', 'Configuration'), localize('Settings', 'Réglages'))

    await test.step('the manager adds a line to every receipt', async () => {
      await button('Change: Receipt header', 'Modifier : En-tête du reçu').click()
      await dialog.getByRole('button', { name: localize('Add line', 'Ajouter une ligne') }).click()
      await dialog.getByRole('textbox', { name: localize('Line 1', 'Ligne 1') }).fill('Open late')
      await save.click()
      await expect(dialog).toHaveCount(0)
      await expect(window.getByRole('row', { name: localize('Receipt header', 'En-tête du reçu') })).toContainText(
        manager.name,
      )
    })

    await test.step('an invalid tax rate is rejected with a reason, and a valid one is saved', async () => {
      await view('Taxes', 'Taxes').click()
      await button('Change: Tax rates', 'Modifier : Taux de taxe').click()
      await dialog.getByRole('button', { name: localize('Add tax', 'Ajouter une taxe') }).click()
      await dialog.getByRole('combobox').selectOption('HST')
      const rate = dialog.getByRole('textbox', { name: localize('Rate of tax 1', 'Taux de la taxe 1') })
      await rate.fill('99')
      await save.click()
      await expect(dialog.getByText(localize('Expected: at most 50.', 'Attendu : au plus 50.'))).toBeVisible()
      await rate.fill('15')
      await save.click()
      await expect(dialog).toHaveCount(0)
    })

    await test.step('a manager takes from cashiers the permission to hold a sale', async () => {
      await view('Permissions', 'Permissions').click()
      await button('Change: Put a sale on hold', 'Modifier : Mettre une vente en attente').click()
      await dialog
        .getByRole('radiogroup', { name: localize('Cashier', 'Caissier') })
        .getByText(localize('No', 'Non'), { exact: true })
        .click()
      await save.click()
      await expect(dialog).toHaveCount(0)
    })

    await test.step('the manager sees the changed settings on a page and saves them as a file', async () => {
      await view('Differences', 'Écarts').click()
      await expect(window.getByRole('table').getByRole('row')).toHaveCount(4)
      const [file] = await Promise.all([
        window.waitForEvent('download'),
        button('Export CSV', 'Exporter en CSV').click(),
      ])
      const text = await readFile(await file.path(), 'utf8')
      expect(text).toContain('receipt.header,[],"[""Open late""]"')
      expect(text).toContain('approvals.actions.hold')
    })

    await test.step('the next sale has the changed tax rate, and its receipt has the added line', async () => {
      await press(window, 'Shift+F1')
      await store.scanner.send(ean13(ITEMS.detergent.code))
      await press(window, 'Escape')
      await expect(window.getByRole('status', { name: 'Total' })).toHaveText(money('22.99'))
      await press(window, 'F9')
      const [paper] = await store.printer.printed(1)
      expect(paper).toContain('Open late')
    })
  })
}
