import type { Page } from '@playwright/test'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { LANGUAGES } from './languages.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test, type Store } from './store.ts'

test.use({
  profile: {
    region: 'QC',
    timeZone: 'America/Toronto',
    store: {
      id: 'N101',
      name: 'Northstar Front Street',
      taxNumbers: ['TPS 123456789 RT0001', 'TVQ 1234567890 TQ0001'],
    },
    receipt: { secondLanguage: 'en-CA' },
  },
})

async function printedCode(printer: Store['printer'], nth: number): Promise<string> {
  const paper = (await printer.printed(nth))[nth - 1] ?? ''
  return /Code\s+([A-Z]{4}(?:-[A-Z]{4,5}){3})/.exec(paper)?.[1] ?? paper
}

for (const { language, cashier, localize } of LANGUAGES) {
  test(`in Québec a price above the shelf price is compensated, a small gift card paid out (${language})`, async ({
    window,
    store,
  }) => {
    const { scanner, printer } = store
    const ready = (page: Page): Promise<void> =>
      expect(
        page.getByRole('heading', { name: localize('Ready for the next customer', 'Prêt pour le prochain client') }),
      ).toBeVisible()
    const done = async (): Promise<void> => {
      await window.keyboard.press('F9')
      await expect(window.getByRole('heading', { name: localize('Sale complete', 'Vente terminée') })).toBeVisible()
      const next = window.getByRole('button', { name: localize('Next customer', 'Client suivant') })
      await expect(next).toBeFocused()
    }
    await signIn(window, cashier)
    await ready(window)

    await test.step('one key corrects a line to the shelf price: two bags, one of them free', async () => {
      await scanner.send(ean13(ITEMS.apples.code))
      await scanner.send(ean13(ITEMS.apples.code))
      const row = window.getByRole('row', { name: localize('Apples', 'Pommes') })
      await expect(row).toContainText(localize('$13.98', '13,98 $'))
      await window.keyboard.press('Control+F9')
      const dialog = window.getByRole('dialog', { name: localize('Price on the shelf', 'Prix en tablette') })
      await expect(dialog).toContainText(localize('$15.00', '15,00 $'))
      await window.keyboard.type('599', { delay: PERSON_KEY_GAP_MS })
      await expect(dialog.getByRole('status')).toContainText(localize('$5.99', '5,99 $'))
      await window.keyboard.press('Enter')
      await expect(row).toContainText(localize('$5.99', '5,99 $'))
      await done()
      const [receipt = ''] = await printer.printed(1)
      for (const text of ['Pommes', 'Apples', 'erreur de prix', 'price error', 'Sous-total', 'Subtotal'])
        expect(receipt).toContain(text)
      await window.keyboard.press('Enter')
      await ready(window)
    })

    await test.step('a gift card of $4.02 is sold, scanned and paid out as $4.00, once', async () => {
      await window.keyboard.press('Control+g')
      await window.keyboard.type('402')
      await window.keyboard.press('Enter')
      await expect(window.getByRole('row', { name: localize('Gift card', 'Carte-cadeau') })).toBeVisible()
      await done()
      await window.keyboard.press('Enter')
      await ready(window)
      const code = await printedCode(printer, 3)
      const scan = (): Promise<unknown> => scanner.send(`]C0${code.replaceAll('-', '')}\r`)
      await scan()
      const offer = window.getByRole('button', {
        name: localize('Pay out $4.02 in cash', 'Rembourser 4,02 $ comptant'),
      })
      await offer.click()
      const paid = localize('Give $4.00 in cash.', 'Remettez 4,00 $ comptant.')
      await expect(window.getByText(paid, { exact: false }).first()).toBeVisible()
      expect((await printer.printed(4))[3]).toContain('Remis comptant')
      await scan()
      await expect(offer).toBeHidden()
      await expect(window.getByText(localize('empty', 'vide'), { exact: false }).first()).toBeVisible()
    })
  })
}
