import type { Page } from '@playwright/test'
import { A_PERSON } from './keys.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { inTurn } from './in-turn.ts'
import { LANGUAGES } from './languages.ts'

test.use({
  profile: { ageChecks: { clearlyOver: true, departments: [{ id: 'household', minimumAge: 19 }] } },
  viewport: { width: 1024, height: 768 },
})

const press = async (window: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await window.keyboard.press(key, { delay: A_PERSON })
}

for (const { language, cashier, words: say } of inTurn(LANGUAGES, 1)) {
  test(`an item that is sold from an age on: ${language}`, async ({ window, store }) => {
    const { scanner } = store
    const dialog = window.getByRole('dialog', { name: say('Check age: 19', 'Vérifier l’âge : 19 ans') })
    const total = window.getByRole('status', { name: 'Total' })
    const money = (dollars: string): string => say(`$${dollars}`, `${dollars.replace('.', ',')} $`)
    await signIn(window, cashier)
    await expect(
      window.getByRole('heading', { name: say('Ready for the next customer', 'Prêt pour le prochain client') }),
    ).toBeVisible()

    await test.step('who is too young gets nothing; what was scanned meanwhile stands', async () => {
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(dialog).toBeVisible()
      await scanner.send(ean13(ITEMS.apples.code))
      await expect(total).toHaveText(money('29.58'))
      await window.keyboard.type('20200101', { delay: A_PERSON })
      await press(window, 'Enter')
      await expect(dialog).toHaveCount(0)
      await expect(
        window.getByText(say('Age not confirmed. Item removed.', 'Âge non confirmé. Article retiré.')),
      ).toBeVisible()
      await expect(total).toHaveText(money('6.99'))
    })

    await test.step('put off it stays with the sale, which is not paid before', async () => {
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(dialog).toBeVisible()
      await press(window, 'Escape')
      await expect(dialog).toHaveCount(0)
      await press(window, 'F9')
      await window.getByRole('button', { name: say('Check age', 'Vérifier l’âge'), exact: true }).click()
      await expect(dialog).toBeVisible()
    })

    await test.step('one key answers where the store lets it, once a sale', async () => {
      await press(window, 'o')
      await expect(dialog).toHaveCount(0)
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(total).toHaveText(money('52.17'))
      await expect(dialog).toHaveCount(0)
      await press(window, 'F9')
      await expect(window.getByRole('heading', { name: say('Sale complete', 'Vente terminée') })).toBeVisible()
    })
  })
}
