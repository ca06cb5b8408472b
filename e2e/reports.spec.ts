import { readFile } from 'node:fs/promises'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { variantsFor } from './variants.ts'
import { LANGUAGES } from './languages.ts'

test.use({ viewport: { width: 1024, height: 768 } })

for (const { language, manager, localize } of variantsFor(LANGUAGES, 0)) {
  test(`a sale appears in the report of its day, in its export file and in the journal: ${language}`, async ({
    window,
    store: { scanner },
  }) => {
    const sales = localize('Sales', 'Ventes')
    const button = (english: string, french: string) => window.getByRole('button', { name: localize(english, french) })
    const money = (dollars: string): string => localize(`$${dollars}`, `${dollars.replace('.', ',')} $`)

    await test.step('a sale is paid in cash', async () => {
      await signIn(window, manager)
      await expect(
        window.getByRole('heading', { name: localize('Ready for the next customer', 'Prêt pour le prochain client') }),
      ).toBeVisible()
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(window.getByRole('status', { name: 'Total' })).toHaveText(money('22.59'))
      await window.keyboard.press('F9', { delay: PERSON_KEY_GAP_MS })
      await expect(window.getByRole('heading', { name: localize('Sale complete', 'Vente terminée') })).toBeVisible()
      await window.keyboard.press('Enter', { delay: PERSON_KEY_GAP_MS })
    })

    await test.step('the report of today shows the sale next to last week’s, as a chart and as a table', async () => {
      await window.keyboard.press('Shift+F1', { delay: PERSON_KEY_GAP_MS })
      await openStorePage(window, sales, localize('Reports', 'Rapports'))
      const summary = window.getByRole('region', { name: localize('Summary', 'Sommaire') })
      await expect(summary).toContainText(money('22.59'))
      await expect(summary).toContainText(localize('Up $22.59', 'Hausse de 22,59 $'))
      await window.getByRole('combobox').selectOption('items')
      const row = window.getByRole('table').getByRole('row').last()
      await expect(row).toContainText(money('19.99'))
      await expect(row).toContainText(localize('Up $19.99', 'Hausse de 19,99 $'))
      await expect(window.locator('figure svg').first()).toBeVisible()
    })

    await test.step('the manager exports the report’s table as a file', async () => {
      const downloading = window.waitForEvent('download')
      await button('Export table (CSV)', 'Exporter le tableau (CSV)').click()
      const file = await (await downloading).path()
      expect(await readFile(file, 'utf8')).toContain(',1,19.99,0,0.00\r\n')
      await expect(
        window.getByText(
          localize('Export saved. It is in the audit trail.', 'Exportation enregistrée. Elle figure dans l’audit.'),
        ),
      ).toBeVisible()
    })

    await test.step('the electronic journal finds the sale by item name and amount and shows its receipt', async () => {
      await openStorePage(window, sales, 'Journal')
      await window.getByRole('textbox', { name: localize('Amount', 'Montant') }).fill(localize('22.59', '22,59'))
      await window
        .getByRole('textbox', { name: localize('Item, number or barcode', 'Article') })
        .fill(localize('deterg', 'détersif'))
      const rows = window.getByRole('table').getByRole('row')
      await expect(rows).toHaveCount(2)
      await window.getByRole('textbox', { name: localize('Amount', 'Montant') }).fill('1')
      await expect(window.getByText(localize('No matching entries', 'Aucune entrée correspondante'))).toBeVisible()
      await window.getByRole('textbox', { name: localize('Amount', 'Montant') }).fill(localize('22.59', '22,59'))
      await rows.last().getByRole('button').click()
      await expect(window.getByRole('dialog').getByRole('article')).toContainText(localize('22.59', '22,59'))
    })
  })
}
