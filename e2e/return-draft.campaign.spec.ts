import type { Page } from '@playwright/test'
import { variantsFor } from './variants.ts'
import { CAISSIERE, CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'

const TEXTS = {
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
    discard: 'Discard',
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
    discard: 'Supprimer',
    row: /Pommes.*1 sur 2 à retourner/,
    more: /^Ajouter un : Pommes/,
    openIt: 'Ouvrir ce reçu',
    find: 'Numéro de vente',
    exchange: 'Échange d’articles : appliquer à la vente ouverte',
    offers: 'Offres',
    status: 'Remboursement',
  },
} as const
type Texts = (typeof TEXTS)[keyof typeof TEXTS]

const readyFor = (window: Page, texts: Texts): Promise<void> =>
  expect(window.getByRole('heading', { name: texts.ready })).toBeVisible()

async function sellApples(window: Page, { scanner }: Store, texts: Texts): Promise<string> {
  await scanner.send(ean13(ITEMS.apples.code))
  await scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('grid').getByRole('row').first()).toContainText(/13[.,]98/)
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: texts.complete })).toBeVisible()
  const id = (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''
  await expect(window.getByRole('button', { name: texts.next })).toBeFocused()
  await window.keyboard.press('Enter')
  await readyFor(window, texts)
  return id
}

for (const [language, texts] of variantsFor(Object.entries(TEXTS), 0)) {
  test(`the lane keeps a return without a receipt while the cashier leaves the return screen, in ${language}`, async ({
    window,
    store,
  }) => {
    const { scanner, reader } = store
    await signIn(window, texts.person)
    await readyFor(window, texts)
    await window.keyboard.press('Shift+F10')
    const captured = window.waitForResponse((response) => response.url().endsWith('/input/claims'))
    await window.keyboard.press('F4')
    await expect(window.getByRole('heading', { name: texts.without })).toBeVisible()
    await captured
    await scanner.send(ean13(ITEMS.detergent.code))
    await scanner.send(ean13(ITEMS.detergent.code))
    const pieces = window.getByRole('list', { name: texts.goods }).getByRole('status')
    await expect(pieces).toHaveText('2')
    await window.getByRole('textbox', { name: texts.why }).fill('42')

    await test.step('Esc keeps the return with a message, and scans go to the sale again', async () => {
      const released = window.waitForResponse((response) => response.url().endsWith('/input/claims'))
      await window.getByRole('textbox', { name: texts.why }).press('Escape')
      await expect(window.getByText(texts.kept)).toBeVisible()
      await released
      await scanner.send(ean13(ITEMS.apples.code))
      await reader.send(track2(COLLECTORS.fine))
      await expect(window.getByRole('grid').getByRole('row')).toHaveCount(1)
      await expect(window.getByText(/•+ ?0011/).first()).toBeVisible()
    })

    await test.step('the status bar shows the open return and leads back to its goods and reason', async () => {
      await window.getByRole('button', { name: texts.begun }).click()
      await window.getByRole('dialog').getByRole('button', { name: texts.goOn }).click()
      await expect(pieces).toHaveText('2')
      await expect(window.getByRole('textbox', { name: texts.why })).toHaveValue('42')
      await expect(window.getByRole('status', { name: texts.status, exact: true })).toHaveText(/45[.,]18/)
    })

    await test.step('opening another page keeps the return, and the key for returns opens it again', async () => {
      await window.getByRole('textbox', { name: texts.why }).press('Shift+F5')
      await expect(window.getByRole('button', { name: texts.begun })).toBeVisible()
      await window.keyboard.press('Shift+F10')
      await expect(pieces).toHaveText('2')
    })

    await test.step('the return is discarded only after a question, during which scans still add to it', async () => {
      await window.getByRole('list', { name: texts.goods }).click()
      await window.keyboard.press('F2')
      const dialog = window.getByRole('alertdialog', { name: texts.drop })
      await expect(dialog.getByRole('button', { name: texts.keep })).toBeFocused()
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(dialog).toContainText('3')
      await window.keyboard.press('Enter')
      await expect(dialog).toBeHidden()
      await expect(pieces).toHaveText('3')
      await window.keyboard.press('F2')
      await dialog.getByRole('button', { name: texts.discard }).click()
      await expect(window.getByRole('textbox', { name: texts.find })).toBeVisible()
      await window.keyboard.press('F1')
      await expect(window.getByRole('button', { name: texts.begun })).toHaveCount(0)
    })
  })
}

for (const [language, texts] of variantsFor(Object.entries(TEXTS), 1)) {
  test(`the lane keeps a return and its exchange while the cashier leaves the return screen, in ${language}`, async ({
    window,
    store,
  }) => {
    const { scanner } = store
    await signIn(window, texts.person)
    await readyFor(window, texts)
    const first = await sellApples(window, store, texts)
    const second = await sellApples(window, store, texts)
    await window.keyboard.press('Shift+F10')
    await expect(window.getByRole('textbox', { name: texts.find })).toBeVisible()
    await scanner.send(`]C0${first}\r`)
    await window.getByRole('button', { name: texts.more }).click()
    await expect(window.getByRole('row', { name: texts.row })).toBeVisible()

    await test.step('an exchange begins when the cashier rings the replacement and comes back', async () => {
      await window.keyboard.press('Escape')
      await expect(
        window.getByRole('status').filter({ hasText: /Return kept: 1 item\.|Retour conservé\s: 1 article\./ }),
      ).toBeVisible()
      await scanner.send(ean13(ITEMS.detergent.code))
      await expect(window.getByRole('grid').getByRole('row')).toHaveCount(1)
      await window.keyboard.press('Shift+F10')
      await expect(window.getByRole('row', { name: texts.row })).toBeVisible()
      await window.keyboard.press('F8')
      await expect(window.getByRole('button', { name: texts.exchange })).toHaveAttribute('aria-pressed', 'true')
      await expect(window.getByText(/15[.,]60/).first()).toBeVisible()
    })

    await test.step('the cashier leaves the exchange to ring another item, and resumes the exchange', async () => {
      await window.keyboard.press('F1')
      await scanner.send(ean13(ITEMS.apples.code))
      await expect(window.getByRole('grid').getByRole('row')).toHaveCount(2)
      await window.keyboard.press('Shift+F10')
      await expect(window.getByRole('button', { name: texts.exchange })).toHaveAttribute('aria-pressed', 'true')
      await expect(window.getByText(/22[.,]59/).first()).toBeVisible()
    })

    await test.step('another receipt replaces the exchange only after a confirmation', async () => {
      await scanner.send(`]C0${second}\r`)
      await expect(window.getByRole('button', { name: texts.openIt })).toBeVisible()
      await expect(window.getByRole('row', { name: texts.row })).toBeVisible()
      await window.getByRole('grid', { name: texts.lines }).getByRole('row').first().click()
      await window.keyboard.press('Shift+Delete')
      const dialog = window.getByRole('alertdialog', { name: texts.drop })
      await window.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
      await expect(window.getByRole('row', { name: texts.row })).toBeVisible()
      await window.getByRole('button', { name: texts.openIt }).click()
      await expect(window.getByText(second).first()).toBeVisible()
      await expect(window.getByRole('row', { name: texts.row })).toHaveCount(0)
    })
  })
}
