import { PERSON_KEY_GAP_MS } from './keys.ts'
import { LANGUAGES } from './languages.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'

/** GS1-128 of a pack of four energy drinks, with a price of its own in the training catalog. */
const PACK = ']C10110628451103728\r'

for (const { language, cashier, localize } of LANGUAGES) {
  test(`a price check rings nothing, a quantity rings that many pieces, a pack rings one line (${language})`, async ({
    window,
    store,
  }) => {
    await signIn(window, cashier)
    const ready = localize('Ready for the next customer', 'Prêt pour le prochain client')
    await expect(window.getByRole('heading', { name: ready })).toBeVisible()
    const rows = window.getByRole('row')

    const pending = window.getByText(localize('3 × the next item', '3 × le prochain article'))
    const enterThree = async (): Promise<void> => {
      await window.keyboard.press('*')
      const field = localize('Quantity of the next item', 'Quantité du prochain article')
      await expect(window.getByRole('textbox', { name: field })).toBeFocused()
      await window.keyboard.type('3', { delay: PERSON_KEY_GAP_MS })
      await window.keyboard.press('Enter')
      await expect(pending).toBeVisible()
    }

    await test.step('a price check shows a scanned pack and a typed look-up code, and rings nothing', async () => {
      await window.keyboard.press('Control+F2')
      const dialog = window.getByRole('dialog', { name: localize('Check a price', 'Vérifier un prix') })
      await expect(dialog.getByText(localize('Nothing is rung', 'Rien n’est enregistré'))).toBeVisible()
      // The terminal answers the dialog's request for scans before it answers the typed code.
      await window.keyboard.type('4011', { delay: PERSON_KEY_GAP_MS })
      await window.keyboard.press('Enter')
      await expect(dialog.getByRole('heading', { name: localize('Bananas (bunch)', 'Bananes (régime)') })).toBeVisible()
      await store.scanner.send(PACK)
      await expect(dialog.getByText(localize('Pack of 4', 'Paquet de 4'))).toBeVisible()
      await expect(dialog.getByText(localize('$13.99', '13,99 $'))).toBeVisible()
      await window.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(rows).toHaveCount(0)
    })

    await test.step('a quantity typed before a scan applies to that scan only', async () => {
      await enterThree()
      await store.scanner.send(ean13(ITEMS.apples.code))
      await expect(rows.filter({ hasText: localize('Apples', 'Pommes') })).toContainText(localize('$20.97', '20,97 $'))
      await expect(pending).toBeHidden()
    })

    await test.step('a pack with its own price is one line, and “2*94011” rings the code 94011 twice', async () => {
      await store.scanner.send(PACK)
      await expect(rows.filter({ hasText: localize('pack of 4', 'paquet de 4') })).toContainText(
        localize('$13.99', '13,99 $'),
      )
      await window.keyboard.press('F2')
      await window.keyboard.type('2*94011', { delay: PERSON_KEY_GAP_MS })
      await window.keyboard.press('Enter')
      await expect(rows.filter({ hasText: localize('Bananas', 'Bananes') })).toContainText(localize('$4.98', '4,98 $'))
    })

    await test.step('more pieces of an item than its limit per sale are refused, and the limit is shown', async () => {
      await enterThree()
      await store.scanner.send(PACK)
      await expect(window.getByText(localize('At most 12 of this item', 'Au plus 12 de cet article'))).toBeVisible()
    })
  })
}
