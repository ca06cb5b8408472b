import { MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'

test.use({ profile: { payments: ['cash', 'manufacturer-coupon', 'voucher'] } })

const LANGUAGES = [
  [
    'English',
    {
      switchTo: null,
      ready: 'Ready for the next customer',
      group: 'Setup',
      page: 'Catalog',
      tab: 'Coupons',
      add: 'Add manufacturer’s coupon',
      code: 'Barcode or number',
      names: ['Name (English)', 'Name (Français)'],
      value: 'Value',
      sku: 'SKU',
      save: 'Save',
      saved: 'Coupon saved.',
      due: 'Due',
      number: 'Coupon number',
      check: 'Check coupon',
      missing: /lacks the items of this coupon/,
      named: 'Apples: $2 off',
      take: 'Take coupon: $2.00',
      one: 'Take coupon: $1.00',
      payments: 'Payments taken',
      left: '$3.99',
      done: 'Sale complete',
      refund: 'Refund',
      addOne: 'Add one: Apples, Gala (bag)',
      total: '$7.00',
      credit: /Paid by cheque or manufacturer’s coupon/,
    },
  ],
  [
    'French',
    {
      switchTo: 'Français',
      ready: 'Prêt pour le prochain client',
      group: 'Configuration',
      page: 'Catalogue',
      tab: 'Bons',
      add: 'Ajouter un bon de fabricant',
      code: 'Code à barres ou numéro',
      names: ['Nom (English)', 'Nom (Français)'],
      value: 'Valeur',
      sku: 'UGS',
      save: 'Enregistrer',
      saved: 'Bon enregistré.',
      due: 'À payer',
      number: 'Numéro du bon',
      check: 'Vérifier le bon',
      missing: /n’a pas les articles de ce bon/,
      named: 'Pommes : 2 $ de rabais',
      take: /Prendre le bon : 2,00\s\$/,
      one: /Prendre le bon : 1,00\s\$/,
      payments: 'Paiements reçus',
      left: /3,99\s\$/,
      done: 'Vente terminée',
      refund: 'Remboursement',
      addOne: 'Ajouter un : Pommes Gala (sac)',
      total: /7,00\s\$/,
      credit: /Payé par chèque ou bon du fabricant/,
    },
  ],
] as const

/** A GS1 coupon code in DataBar (AI 8110) of the supplier of the apples: $1 off one piece. */
const ONE_DOLLAR = ']e0' + '8110' + '10628451' + '123456' + '3100' + '11' + '0' + '000' + '\r'

for (const [language, texts] of LANGUAGES) {
  test(`manufacturers’ coupons are listed, scanned, typed and used; a return refunds one, in ${language}`, async ({
    window,
    store,
  }) => {
    const { scanner, printer } = store
    await signIn(window, MANAGER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    await window.keyboard.press('Shift+F1')
    if (texts.switchTo) {
      await window.getByRole('button', { name: /Sam/ }).first().click()
      await window.getByRole('button', { name: texts.switchTo }).click()
      await window.keyboard.press('Escape')
    }

    await test.step('the manager lists a coupon of $2 for apples', async () => {
      await openStorePage(window, texts.group, texts.page)
      await window.getByRole('tab', { name: texts.tab }).click()
      await window.getByRole('button', { name: texts.add }).click()
      const form = window.getByRole('dialog')
      const type = (label: string, text: string): Promise<void> => form.getByLabel(label, { exact: true }).fill(text)
      await type(texts.code, '9900000000011')
      await type(texts.names[0], 'Apples: $2 off')
      await type(texts.names[1], 'Pommes : 2 $ de rabais')
      await type(texts.value, '2')
      await type(texts.sku, '1001')
      await form.getByRole('button', { name: texts.save }).click()
      await expect(window.getByText(texts.saved)).toBeVisible()
      await expect(window.getByRole('row', { name: /9900000000011/ })).toBeVisible()
    })

    await test.step('a typed coupon needs its item, and pays its value', async () => {
      await window.keyboard.press('F1')
      await expect(window.getByRole('heading', { name: texts.ready })).toBeVisible()
      await scanner.send(ean13(ITEMS.apples.code))
      await expect(window.getByRole('grid').getByRole('row')).toHaveCount(1)
      await window.keyboard.press('Control+F12')
      const number = window.getByRole('textbox', { name: texts.number })
      await number.fill('9900000000011')
      await window.getByRole('button', { name: texts.check }).click()
      await expect(window.getByRole('heading', { name: texts.named })).toBeVisible()
      await window.getByRole('button', { name: texts.take }).click()
      await expect(window.getByRole('list', { name: texts.payments })).toContainText('9900000000011')
      await window.keyboard.press('Control+F12')
      await number.fill('9900000000011')
      await window.getByRole('button', { name: texts.check }).click()
      await expect(window.getByText(texts.missing)).toBeVisible()
      await window.keyboard.press('Escape')
    })

    await test.step('a scanned GS1 coupon opens its payment with its value', async () => {
      await scanner.send(ean13(ITEMS.apples.code))
      await scanner.send(ONE_DOLLAR)
      await window.getByRole('button', { name: texts.one }).click()
      await expect(window.getByRole('list', { name: texts.payments })).toContainText('0628451-123456')
    })

    let sale = ''
    await test.step('the receipt has both coupons below the total, and no tax is lower', async () => {
      await window.keyboard.press('F9')
      await expect(window.getByRole('heading', { name: texts.done })).toBeVisible()
      sale = (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''
      const [paper = ''] = await printer.printed(1)
      expect(paper).toMatch(/(Manufacturer’s coupon|Bon du fabricant)\s+\$?2[.,]00/)
      expect(paper).toMatch(/(Coupon no\.|Nº du bon)\s+0628451-123456/)
      await window.keyboard.press('Enter')
    })

    await test.step('a return refunds the coupon of its goods as store credit, and the rest in cash', async () => {
      await window.keyboard.press('Shift+F10')
      await scanner.send(`]C0${sale}\r`)
      await window.getByRole('button', { name: texts.addOne }).click()
      await expect(window.getByRole('status', { name: texts.refund })).toHaveText(texts.total)
      await expect(window.getByText(texts.credit)).toBeVisible()
      await window.getByRole('button', { name: texts.addOne }).click()
      await expect(window.getByText(texts.credit)).toBeVisible()
    })
  })
}
