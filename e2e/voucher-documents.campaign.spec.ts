import type { Page } from '@playwright/test'
import { CAISSIERE, CASHIER, MANAGER } from './lane.ts'
import { openPaperPrinter } from './paper.ts'
import { signIn, signInAgain } from './sign-in.ts'
import { expect, test } from './store.ts'

async function sellGiftCard(window: Page, amount: string, done: string): Promise<void> {
  await window.keyboard.press('Control+g')
  await window.keyboard.type(amount)
  await window.keyboard.press('Enter')
  await expect(window.getByRole('row', { name: /Gift card|Carte-cadeau/ })).toBeVisible()
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: done })).toBeVisible()
}

test('the screen shows that a sold gift card’s document was printed, and a copy is printed after an approval', async ({
  window,
  store,
}) => {
  const { printer } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await sellGiftCard(window, '2000', 'Sale complete')
  const cards = window.getByRole('list', { name: 'Gift card and store credit slips' })
  await expect(cards.getByRole('listitem')).toHaveText(/Gift card •••• [A-Z]{4}.*\$20\.00.*Printed/)
  const again = window.getByRole('button', { name: 'Reprint gift card or store credit' })
  await expect(again).toContainText('Marked as a copy')
  await window.keyboard.press('Control+g')
  // A second document of a gift card that still has a balance needs an approval.
  await window
    .getByRole('dialog', { name: 'Supervisor approval required' })
    .getByRole('button', { name: MANAGER.name })
    .click()
  await window.keyboard.type(MANAGER.pin)
  await window.keyboard.press('Enter')
  await expect(window.getByText(/Sent to the printer: gift card •••• [A-Z]{4} \(\$20\.00\)\./).first()).toBeVisible()
  const [, card = '', copy = ''] = await printer.printed(3)
  const code = /Code\s+([A-Z]{4}(?:-[A-Z]{4,5}){3})/.exec(card)?.[1] ?? 'no code'
  expect(card).not.toContain('COPY')
  expect(copy).toContain(code)
  expect(copy).toContain('COPY 1')
  await expect(window.getByRole('button', { name: 'Next customer' })).toBeFocused()
})

test('in French, the screen shows that a gift card was not printed; its original is printed after a restart', async ({
  window,
  store,
}) => {
  const { lane, printer } = store
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
  await printer.close()
  await sellGiftCard(window, '3000', 'Vente terminée')
  const cards = window.getByRole('list', { name: 'Coupons de cartes-cadeaux et de crédits' })
  await expect(cards.getByRole('listitem')).toHaveText(/Carte-cadeau •••• [A-Z]{4}.*30,00.*Non imprimé/)
  await expect(window.getByText(/Non imprimé\s: carte-cadeau •••• [A-Z]{4} \(30,00\s\$\)\./).first()).toBeVisible()
  await expect(window.getByRole('button', { name: 'Réimprimer carte-cadeau ou crédit du magasin' })).toContainText(
    'Comme original',
  )
  const last4 = /•••• ([A-Z]{4})/.exec((await cards.textContent()) ?? '')?.[1] ?? 'none'
  await expect(window.getByRole('button', { name: 'Client suivant' })).toBeFocused()
  await window.keyboard.press('Enter')

  await lane.kill()
  await expect(window.getByText('Connexion perdue. Reconnexion…')).toBeVisible()
  await lane.restart()
  await signInAgain(window, CAISSIERE)
  await expect(window.getByText('Connexion perdue. Reconnexion…')).toHaveCount(0)
  const back = await openPaperPrinter(printer.port)
  await window.getByRole('button', { name: 'Imprimante 2 à imprimer' }).click({ timeout: 30_000 })
  await window.getByRole('button', { name: 'Voir les reçus' }).click()
  // The receipt must print first: then only the gift card's document is missing, and no message states that all are
  // printed.
  await expect(window.getByRole('button', { name: 'Imprimer le reçu' })).toContainText('Comme original')
  await window.keyboard.press('F11')
  await back.printed(1)
  const unprinted = window.getByRole('list', { name: 'Autres documents non imprimés' })
  await expect(window.getByRole('grid')).toHaveCount(0)
  await expect(unprinted).toContainText(`Carte-cadeau ${last4}`)
  await expect(window.getByText('Tous les reçus sont imprimés')).toHaveCount(0)
  await unprinted.getByRole('button').click()
  expect((await back.printed(2))[1]).not.toMatch(/COPIE/)
  await expect(window.getByRole('heading', { name: 'Tous les reçus sont imprimés' })).toBeVisible()
})
