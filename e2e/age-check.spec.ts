import type { Page } from '@playwright/test'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { variantsFor } from './variants.ts'
import { LANGUAGES } from './languages.ts'

test.use({
  profile: { ageChecks: { clearlyOver: true, departments: [{ id: 'household', minimumAge: 19 }] } },
  viewport: { width: 1024, height: 768 },
})

const press = async (window: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await window.keyboard.press(key, { delay: PERSON_KEY_GAP_MS })
}

for (const { language, cashier, localize } of variantsFor(LANGUAGES, 1)) {
  test(`sells an age-restricted item after an age check: ${language}`, async ({ window, store }) => {
    const { scanner } = store
    const dialog = window.getByRole('dialog', { name: localize('Check age: 19', 'Vérifier l’âge : 19 ans') })
    const total = window.getByRole('status', { name: 'Total' })
    const money = (dollars: string): string => localize(`$${dollars}`, `${dollars.replace('.', ',')} $`)
    await signIn(window, cashier)
    await expect(
      window.getByRole('heading', { name: localize('Ready for the next customer', 'Prêt pour le prochain client') }),
    ).toBeVisible()

    await test.step('a failed age check removes the item, and keeps items scanned during the check', async () => {
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(dialog).toBeVisible()
      await scanner.send(ean13(ITEMS.apples.code))
      await expect(total).toHaveText(money('29.58'))
      await window.keyboard.type('20200101', { delay: PERSON_KEY_GAP_MS })
      await press(window, 'Enter')
      await expect(dialog).toHaveCount(0)
      await expect(
        window.getByText(localize('Age not confirmed. Item removed.', 'Âge non confirmé. Article retiré.')),
      ).toBeVisible()
      await expect(total).toHaveText(money('6.99'))
    })

    await test.step('a postponed age check keeps the item and blocks payment until it is done', async () => {
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(dialog).toBeVisible()
      await press(window, 'Escape')
      await expect(dialog).toHaveCount(0)
      await press(window, 'F9')
      await window.getByRole('button', { name: localize('Check age', 'Vérifier l’âge'), exact: true }).click()
      await expect(dialog).toBeVisible()
    })

    await test.step('one key answers the age check, and the next item rings without another check', async () => {
      await press(window, 'o')
      await expect(dialog).toHaveCount(0)
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(total).toHaveText(money('52.17'))
      await expect(dialog).toHaveCount(0)
      await press(window, 'F9')
      await expect(window.getByRole('heading', { name: localize('Sale complete', 'Vente terminée') })).toBeVisible()
    })
  })
}
