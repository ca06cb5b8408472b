import type { Page } from '@playwright/test'
import { MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { openDisplay } from './windows.ts'

/** Spring water 18 L: $7.99 without tax, with the deposit `water-jug`. */
const JUG = '0628451171102'

const LANGUAGES = [
  [
    'English',
    {
      switchTo: null,
      ready: 'Ready for the next customer',
      group: 'Setup',
      page: 'Catalog',
      tab: 'Deposits',
      add: 'Add deposit or fee',
      id: 'Id',
      names: ['Name (English)', 'Name (Français)'],
      amount: 'Amount',
      typed: '12',
      file: null,
      save: 'Save',
      saved: 'Deposit or fee saved.',
      deposit: /Deposit water jug.*\$24\.00/,
      customer: 'Your items',
      onReceipt: /Deposit water jug\s.*12\.00\s+24\.00/s,
      done: 'Sale complete',
      empties: 'Take back empties',
      count: 'Number of Deposit water jug',
      take: 'Add to the sale',
      payOut: /^Pay out \$24\.00/,
      paidOut: 'Pay out',
      amountPaid: '$24.00',
      payout: /PAID OUT FOR EMPTIES[\s\S]*Cash paid out\s+\$?24\.00/,
      one: 'Add one: Spring water 18 L',
      refund: 'Refund',
      refunded: '$20.00',
      reason: 'Damaged',
      returned: 'Return complete',
    },
  ],
  [
    'French',
    {
      switchTo: 'Français',
      ready: 'Prêt pour le prochain client',
      group: 'Configuration',
      page: 'Catalogue',
      tab: 'Consignes',
      add: 'Ajouter une consigne ou des frais',
      id: 'Identifiant',
      names: ['Nom (English)', 'Nom (Français)'],
      amount: 'Montant',
      typed: '10',
      file: {
        lines: ['id;name_en;name_fr;kind;amount', 'water-jug;Deposit water jug;Consigne, cruche d’eau;deposit;12,00'],
        title: 'Importer « consignes.csv »?',
        changed: '1 modification',
        apply: 'Importer',
        imported: 'Fichier importé.',
      },
      save: 'Enregistrer',
      saved: 'Consigne ou frais enregistrés.',
      deposit: /Consigne, cruche d’eau.*24,00\s\$/,
      customer: 'Vos articles',
      onReceipt: /(Consigne, cruche d.eau|Deposit water jug)\s.*12[.,]00\s+24[.,]00/s,
      done: 'Vente terminée',
      empties: 'Reprendre des contenants vides',
      count: 'Nombre : Consigne, cruche d’eau',
      take: 'Ajouter à la vente',
      payOut: /^Remettre 24,00\s\$/,
      paidOut: 'À remettre',
      amountPaid: /24,00\s\$/,
      payout: /(REMBOURSEMENT DE CONSIGNE|PAID OUT FOR EMPTIES)[\s\S]*(Argent remis|Cash paid out)\s+\$?24[.,]00/,
      one: 'Ajouter un : Eau de source 18 L',
      refund: 'Remboursement',
      refunded: /20,00\s\$/,
      reason: 'Endommagé',
      returned: 'Retour terminé',
    },
  ],
] as const

const shownId = async (window: Page): Promise<string> =>
  (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''

for (const [language, texts] of LANGUAGES) {
  test(`a manager adds a deposit; a sale charges it, empties and a return give it back, in ${language}`, async ({
    window,
    store,
  }) => {
    const { scanner, printer, lane } = store
    await signIn(window, MANAGER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    await window.keyboard.press('Shift+F1')
    if (texts.switchTo) {
      await window.getByRole('button', { name: /Sam/ }).first().click()
      await window.getByRole('button', { name: texts.switchTo }).click()
      await window.keyboard.press('Escape')
    }

    await test.step('the manager adds a deposit for water jugs', async () => {
      await openStorePage(window, texts.group, texts.page)
      await window.getByRole('tab', { name: texts.tab }).click()
      await window.getByRole('button', { name: texts.add }).click()
      const form = window.getByRole('dialog')
      await form.getByLabel(texts.id, { exact: true }).fill('water-jug')
      await form.getByLabel(texts.names[0], { exact: true }).fill('Deposit water jug')
      await form.getByLabel(texts.names[1], { exact: true }).fill('Consigne, cruche d’eau')
      await form.getByLabel(texts.amount, { exact: true }).fill(texts.typed)
      await form.getByRole('button', { name: texts.save }).click()
      await expect(window.getByText(texts.saved)).toBeVisible()
    })

    const { file } = texts
    if (file)
      await test.step('a file with semicolons and decimal commas changes the deposit to $12.00', async () => {
        await window.locator('input[type="file"]').setInputFiles({
          name: 'consignes.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from(file.lines.join('\r\n')),
        })
        const dialog = window.getByRole('alertdialog', { name: file.title })
        await expect(dialog.getByText(file.changed)).toBeVisible()
        await dialog.getByRole('button', { name: file.apply }).click()
        await expect(window.getByText(file.imported)).toBeVisible()
        await expect(window.getByRole('row', { name: /water-jug/ })).toContainText(/12,00/)
      })

    let sale = ''
    await test.step('two jugs show their deposit below them, on both screens and on the receipt', async () => {
      await window.keyboard.press('F1')
      await expect(window.getByRole('heading', { name: texts.ready })).toBeVisible()
      const customer = await openDisplay(window, lane)
      for (let count = 0; count < 2; count += 1) await scanner.send(ean13(JUG))
      await expect(window.getByRole('grid').getByRole('row').nth(1)).toContainText(texts.deposit)
      await expect(customer.getByRole('list', { name: texts.customer })).toContainText(texts.deposit)
      await window.keyboard.press('F9')
      await expect(window.getByRole('heading', { name: texts.done })).toBeVisible()
      sale = await shownId(window)
      expect((await printer.printed(1))[0]).toMatch(texts.onReceipt)
      await window.keyboard.press('Enter')
    })

    await test.step('a scanned and a counted empty jug are paid out in cash with a document', async () => {
      await window.keyboard.press('Control+F3')
      const dialog = window.getByRole('dialog', { name: texts.empties })
      await expect(dialog).toBeVisible()
      await scanner.send(ean13(JUG))
      const count = dialog.getByLabel(texts.count, { exact: true })
      await expect(count).toHaveValue('1')
      await count.fill('2')
      await dialog.getByRole('button', { name: texts.take }).click()
      await expect(window.getByRole('button', { name: texts.payOut })).toBeVisible()
      await window.keyboard.press('F9')
      await expect(window.getByText(texts.paidOut, { exact: true })).toBeVisible()
      await expect(window.getByText(texts.amountPaid).first()).toBeVisible()
      expect((await printer.printed(2))[1]).toMatch(texts.payout)
      await window.keyboard.press('Enter')
    })

    await test.step('a return of one jug refunds its deposit', async () => {
      await window.keyboard.press('Shift+F10')
      await scanner.send(`]C0${sale}\r`)
      await window.getByRole('button', { name: texts.one }).click()
      await expect(window.getByRole('status', { name: texts.refund })).toHaveText(texts.refunded)
      await window.getByText(texts.reason).click()
      await window.keyboard.press('F9')
      await expect(window.getByRole('heading', { name: texts.returned })).toBeVisible()
      expect((await printer.printed(3))[2]).toMatch(/20[.,]00/)
    })
  })
}
