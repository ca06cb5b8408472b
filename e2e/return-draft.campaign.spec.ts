import type { Page } from '@playwright/test'
import { inTurn } from './in-turn.ts'
import { CAISSIERE, CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'

const WORDS = {
  en: {
    person: CASHIER,
    ready: 'Ready for the next customer',
    next: 'Next customer',
    complete: 'Sale complete',
    without: 'Return without a receipt',
    goods: 'Items without a receipt',
    lines: 'Items from this sale',
    kept: 'Return kept: 2 items.',
    begun: /^Return in progress 2 items/,
    goOn: 'Continue return',
    why: 'Reason for return without receipt',
    drop: 'Discard return?',
    keep: 'Keep return',
    away: 'Discard',
    row: /Apples.*returning 1 of 2/,
    more: 'Add one: Apples, Gala (bag)',
    openIt: 'Open this receipt',
    find: 'Sale number',
    exchange: 'Exchange: apply to open sale',
    offers: 'Offers',
    status: 'Refund',
  },
  fr: {
    person: CAISSIERE,
    ready: 'Prêt pour le prochain client',
    next: 'Client suivant',
    complete: 'Vente terminée',
    without: 'Retour sans reçu',
    goods: 'Articles sans reçu',
    lines: 'Articles de cette vente',
    kept: 'Retour conservé : 2 articles.',
    begun: /^Retour en cours 2 articles/,
    goOn: 'Poursuivre le retour',
    why: 'Motif du retour sans reçu',
    drop: 'Supprimer le retour?',
    keep: 'Garder le retour',
    away: 'Supprimer',
    row: /Pommes.*1 sur 2 à retourner/,
    more: /^Ajouter un : Pommes/,
    openIt: 'Ouvrir ce reçu',
    find: 'Numéro de vente',
    exchange: 'Échange : appliquer à la vente ouverte',
    offers: 'Offres',
    status: 'Remboursement',
  },
} as const
type Words = (typeof WORDS)[keyof typeof WORDS]

const readyFor = (window: Page, words: Words): Promise<void> =>
  expect(window.getByRole('heading', { name: words.ready })).toBeVisible()

/** Sells two bags of apples for cash; answers the number of the receipt. */
async function sellApples(window: Page, { scanner }: Store, words: Words): Promise<string> {
  await scanner.send(ean13(ITEMS.apples.code))
  await scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('grid').getByRole('row').first()).toContainText(/13[.,]98/)
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: words.complete })).toBeVisible()
  const id = (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''
  await expect(window.getByRole('button', { name: words.next })).toBeFocused()
  await window.keyboard.press('Enter')
  await readyFor(window, words)
  return id
}

for (const [language, words] of inTurn(Object.entries(WORDS), 0)) {
  test(`a return without a receipt is left and found again as it was, in ${language}`, async ({ window, store }) => {
    const { scanner, reader } = store
    await signIn(window, words.person)
    await readyFor(window, words)
    await window.keyboard.press('Shift+F10')
    const claimed = window.waitForResponse((response) => response.url().endsWith('/input/claims'))
    await window.keyboard.press('F4')
    await expect(window.getByRole('heading', { name: words.without })).toBeVisible()
    await claimed
    await scanner.send(ean13(ITEMS.detergent.code))
    await scanner.send(ean13(ITEMS.detergent.code))
    const pieces = window.getByRole('list', { name: words.goods }).getByRole('status')
    await expect(pieces).toHaveText('2')
    await window.getByRole('textbox', { name: words.why }).fill('42')

    await test.step('Esc leaves it, says so, and scans and cards are the sale’s', async () => {
      const released = window.waitForResponse((response) => response.url().endsWith('/input/claims'))
      await window.getByRole('textbox', { name: words.why }).press('Escape')
      await expect(window.getByText(words.kept)).toBeVisible()
      await released
      await scanner.send(ean13(ITEMS.apples.code))
      await reader.send(track2(COLLECTORS.fine))
      await expect(window.getByRole('grid').getByRole('row')).toHaveCount(1)
      await expect(window.getByText(/•+ ?0011/).first()).toBeVisible()
    })

    await test.step('the bar keeps it in sight and leads back: goods and reason are there', async () => {
      await window.getByRole('button', { name: words.begun }).click()
      await window.getByRole('dialog').getByRole('button', { name: words.goOn }).click()
      await expect(pieces).toHaveText('2')
      await expect(window.getByRole('textbox', { name: words.why })).toHaveValue('42')
      await expect(window.getByRole('status', { name: words.status, exact: true })).toHaveText(/45[.,]18/)
    })

    await test.step('a place in the navigation keeps it too, and its key leads back', async () => {
      await window.getByRole('textbox', { name: words.why }).press('Shift+F5')
      await expect(window.getByRole('button', { name: words.begun })).toBeVisible()
      await window.keyboard.press('Shift+F10')
      await expect(pieces).toHaveText('2')
    })

    await test.step('thrown away on purpose alone: asked first, and what is scanned meanwhile is in it', async () => {
      await window.getByRole('list', { name: words.goods }).click()
      await window.keyboard.press('F2')
      const dialog = window.getByRole('alertdialog', { name: words.drop })
      await expect(dialog.getByRole('button', { name: words.keep })).toBeFocused()
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(dialog).toContainText('3')
      await window.keyboard.press('Enter')
      await expect(dialog).toBeHidden()
      await expect(pieces).toHaveText('3')
      await window.keyboard.press('F2')
      await dialog.getByRole('button', { name: words.away }).click()
      await expect(window.getByRole('textbox', { name: words.find })).toBeVisible()
      await window.keyboard.press('F1')
      await expect(window.getByRole('button', { name: words.begun })).toHaveCount(0)
    })
  })
}

for (const [language, words] of inTurn(Object.entries(WORDS), 1)) {
  test(`the goods of a receipt and an exchange are left and found again as they were, in ${language}`, async ({
    window,
    store,
  }) => {
    const { scanner } = store
    await signIn(window, words.person)
    await readyFor(window, words)
    const first = await sellApples(window, store, words)
    const second = await sellApples(window, store, words)
    await window.keyboard.press('Shift+F10')
    await expect(window.getByRole('textbox', { name: words.find })).toBeVisible()
    await scanner.send(`]C0${first}\r`)
    await window.getByRole('button', { name: words.more }).click()
    await expect(window.getByRole('row', { name: words.row })).toBeVisible()

    await test.step('to ring what the customer takes instead, and back: an exchange is begun', async () => {
      await window.keyboard.press('Escape')
      await expect(
        window.getByRole('status').filter({ hasText: /Return kept: 1 item\.|Retour conservé\s: 1 article\./ }),
      ).toBeVisible()
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(window.getByRole('grid').getByRole('row')).toHaveCount(1)
      await window.keyboard.press('Shift+F10')
      await expect(window.getByRole('row', { name: words.row })).toBeVisible()
      await window.keyboard.press('F8')
      await expect(window.getByRole('button', { name: words.exchange })).toHaveAttribute('aria-pressed', 'true')
      await expect(window.getByText(/15[.,]60/).first()).toBeVisible()
    })

    await test.step('left by the navigation while another item is rung: back in it', async () => {
      await window.keyboard.press('F1')
      await scanner.send(ean13(ITEMS.apples.code))
      await expect(window.getByRole('grid').getByRole('row')).toHaveCount(2)
      await window.keyboard.press('Shift+F10')
      await expect(window.getByRole('button', { name: words.exchange })).toHaveAttribute('aria-pressed', 'true')
      await expect(window.getByText(/22[.,]59/).first()).toBeVisible()
    })

    await test.step('another receipt takes its place only when that is said', async () => {
      await scanner.send(`]C0${second}\r`)
      await expect(window.getByRole('button', { name: words.openIt })).toBeVisible()
      await expect(window.getByRole('row', { name: words.row })).toBeVisible()
      await window.getByRole('grid', { name: words.lines }).getByRole('row').first().click()
      await window.keyboard.press('Shift+Delete')
      const dialog = window.getByRole('alertdialog', { name: words.drop })
      await window.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(window.getByRole('row', { name: words.row })).toBeVisible()
      await window.getByRole('button', { name: words.openIt }).click()
      await expect(window.getByText(second).first()).toBeVisible()
      await expect(window.getByRole('row', { name: words.row })).toHaveCount(0)
    })
  })
}
