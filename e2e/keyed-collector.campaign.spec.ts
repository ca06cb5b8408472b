import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CAISSIERE, CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test } from './store.ts'

test('a keyed collector number earns miles, and no screen shows the whole number again', async ({ window, store }) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await window.keyboard.press('Shift+F3')
  const dialog = window.getByRole('dialog', { name: 'Enter member number' })
  await expect(dialog).toContainText('To redeem, swipe or scan the card.')
  await window.keyboard.type('70000000011', { delay: PERSON_KEY_GAP_MS })
  await window.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toContainText('11 digits and start with 8')
  for (let digit = 0; digit < 11; digit += 1) await window.keyboard.press('Backspace')
  await window.keyboard.type(COLLECTORS.fine, { delay: PERSON_KEY_GAP_MS })
  await expect(dialog).toContainText('11 of 11 digits')
  await window.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(window.getByRole('heading', { name: 'Member number ending in 0011' })).toBeVisible()
  const collector = window.getByRole('region', { name: 'Member' })
  await expect(collector).toContainText('Keyed')
  await expect(collector).toContainText('To redeem, swipe or scan the card.')

  await store.scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByText('Miles to earn').locator('..')).toContainText(/\d+ miles/)
  await expect(window.getByRole('button', { name: /^Redeem/ })).toHaveCount(0)
  expect(await window.content()).not.toContain(COLLECTORS.fine)
  expect(await store.lane.diskHolds(COLLECTORS.fine)).toBe(false)
  await window.keyboard.press('F9')
  await expect(window.getByText(/\d+ miles earned/)).toBeVisible()
  expect((await store.printer.printed(1))[0]).not.toContain(COLLECTORS.fine)
})

test('in French, the cashier enters a collector number by touch in the middle of a sale', async ({ window, store }) => {
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
  await store.scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('row', { name: /Pommes/ })).toBeVisible()
  await window.getByRole('button', { name: 'Entrer un numéro d’adhérent' }).click()
  const dialog = window.getByRole('dialog', { name: 'Entrer un numéro d’adhérent' })
  for (const digit of COLLECTORS.fine)
    await dialog.getByRole('button', { name: `Chiffre ${digit}`, exact: true }).click()
  await dialog.getByRole('button', { name: 'Ajouter l’adhérent' }).click()
  await expect(window.getByRole('heading', { name: 'Numéro d’adhérent se terminant par 0011' })).toBeVisible()
})
