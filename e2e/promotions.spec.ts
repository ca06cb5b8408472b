import type { Page } from '@playwright/test'
import { MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'
import { openDisplay } from './windows.ts'

const LANGUAGES = [
  [
    'English',
    {
      switchTo: null,
      ready: 'Ready for the next customer',
      group: 'Setup',
      page: 'Catalog',
      add: 'Add promotion',
      names: ['Name (English)', 'Name (Français)'],
      units: 'Units in a set',
      dollars: 'Dollars',
      items: 'Applies to',
      bySku: 'Items by SKU',
      skus: 'SKUs',
      sku: 'SKU 1',
      quantity: 'Quantity 1',
      calculate: 'Calculate prices',
      saves: 'The customer saves $7.96.',
      save: 'Save',
      saved: 'Promotion saved.',
      now: 'Now',
      line: /Apples 2 for \$10 -\$3\.98/,
      total: 'You saved',
      amount: '$3.98',
      customer: 'Your items',
      done: 'Sale complete',
      one: 'Add one: Apples, Gala (bag)',
      refund: 'Refund',
      half: '$5.00',
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
      add: 'Ajouter une promotion',
      names: ['Nom (English)', 'Nom (Français)'],
      units: 'Unités par lot',
      dollars: 'Dollars',
      items: 'S’applique à',
      bySku: 'Articles par UGS',
      skus: 'UGS',
      sku: 'UGS 1',
      quantity: 'Quantité 1',
      calculate: 'Calculer les prix',
      saves: /Le client économise 7,96\s\$\./,
      save: 'Enregistrer',
      saved: 'Promotion enregistrée.',
      now: 'En cours',
      line: /Pommes 2 pour 10\s\$ [-−]3,98\s\$/,
      total: 'Vous économisez',
      amount: /3,98\s\$/,
      customer: 'Vos articles',
      done: 'Vente terminée',
      one: 'Ajouter un : Pommes Gala (sac)',
      refund: 'Remboursement',
      half: /5,00\s\$/,
      reason: 'Endommagé',
      returned: 'Retour terminé',
    },
  ],
] as const

const shownId = async (window: Page): Promise<string> =>
  (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''

for (const [language, texts] of LANGUAGES) {
  test(`a manager tries and saves a promotion; a sale with it is paid and returned in part, in ${language}`, async ({
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

    await test.step('the manager tries the promotion “2 for $10” on four bags, and saves the promotion', async () => {
      await openStorePage(window, texts.group, texts.page)
      await window.getByRole('tab', { name: 'Promotions' }).click()
      await window.getByRole('button', { name: texts.add }).click()
      const form = window.getByRole('dialog')
      const type = (label: string, text: string): Promise<void> => form.getByLabel(label, { exact: true }).fill(text)
      await type('Id', 'apples-2for10')
      await type(texts.names[0], 'Apples 2 for $10')
      await type(texts.names[1], 'Pommes 2 pour 10 $')
      await type(texts.units, '2')
      await type(texts.dollars, '10')
      await form.getByLabel(texts.items, { exact: true }).selectOption(texts.bySku)
      await type(texts.skus, '1001')
      await type(texts.sku, '1001')
      await type(texts.quantity, '4')
      await form.getByRole('button', { name: texts.calculate }).click()
      await expect(form.getByText(texts.saves)).toBeVisible()
      await form.getByRole('button', { name: texts.save }).click()
      await expect(window.getByText(texts.saved)).toBeVisible()
      await expect(window.getByRole('row', { name: /2 (for|pour) \$?10/ })).toContainText(texts.now)
    })

    await test.step('lane and customer display show the reduction at the line, and the amount saved', async () => {
      await window.keyboard.press('F1')
      await expect(window.getByRole('heading', { name: texts.ready })).toBeVisible()
      const customer = await openDisplay(window, lane)
      for (let count = 0; count < 2; count += 1) await scanner.send(ean13(ITEMS.apples.code))
      await expect(window.getByRole('grid').getByRole('row')).toContainText(texts.line)
      for (const screen of [window, customer])
        await expect(screen.getByRole('term').filter({ hasText: texts.total }).locator('..')).toContainText(
          texts.amount,
        )
      await expect(customer.getByRole('list', { name: texts.customer })).toContainText(texts.line)
    })

    let sale = ''
    await test.step('the receipt has a row of the promotion and the amount saved', async () => {
      await window.keyboard.press('F9')
      await expect(window.getByRole('heading', { name: texts.done })).toBeVisible()
      sale = await shownId(window)
      const [paper = ''] = await printer.printed(1)
      expect(paper).toMatch(/(Apples 2 for \$10|Pommes 2 pour 10 \$)\s+-3[.,]98/)
      expect(paper).toMatch(/(You saved|Vous avez économisé)\s+\$?3[.,]98/)
      await window.keyboard.press('Enter')
    })

    await test.step('a return of one bag refunds half of what was paid', async () => {
      await window.keyboard.press('Shift+F10')
      await scanner.send(`]C0${sale}\r`)
      await window.getByRole('button', { name: texts.one }).click()
      await expect(window.getByRole('status', { name: texts.refund })).toHaveText(texts.half)
      await window.getByText(texts.reason).click()
      await window.keyboard.press('F9')
      await expect(window.getByRole('heading', { name: texts.returned })).toBeVisible()
      expect((await printer.printed(2))[1]).toMatch(/5[.,]00/)
    })
  })
}
