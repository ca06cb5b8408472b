import type { Page } from '@playwright/test'
import { variantsFor } from './variants.ts'
import { CAISSIERE, CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'

const ENGLISH = {
  person: CASHIER,
  ready: 'Ready for the next customer',
  complete: 'Sale complete',
  returning: 'Return items',
  goesBack: 'Refund',
  todo: 'Next steps',
  damaged: 'Damaged',
  more: /^Add one:/,
  exchange: 'Exchange: apply to open sale',
  paysWhole: '$6.99 applied: the open sale is paid in full.',
  pay: /^Apply \$(6\.99|22\.59) to sale/,
  cash: 'Give $15.60 cash',
  whole: 'Open sale paid in full and complete',
  show: 'Show completed sale',
  equal: '$22.59 applied: the open sale is paid in full.',
  dearer: '$22.59 applied to the open sale. $6.99 still due.',
  left: '$22.59 applied to the open sale: $6.99 still due',
  goOn: 'Back to sale',
  due: 'Due',
  redeem: 'Redeem $20.00',
  credit: /Give the store credit of \$6\.02/,
} as const
const FRENCH = {
  person: CAISSIERE,
  ready: 'Prêt pour le prochain client',
  complete: 'Vente terminée',
  returning: 'Retour d’articles',
  goesBack: 'Remboursement',
  todo: 'À faire',
  damaged: 'Endommagé',
  more: /^Ajouter un/,
  exchange: 'Échange d’articles : appliquer à la vente ouverte',
  paysWhole: /^6,99\s\$ appliqués\s: la vente ouverte est entièrement payée\.$/,
  pay: /^Appliquer (6,99|22,59)\s\$ à la vente/,
  cash: /Remettez 15,60\s\$ comptant/,
  whole: 'Vente ouverte entièrement payée et terminée',
  show: 'Voir la vente terminée',
  equal: /^22,59\s\$ appliqués\s: la vente ouverte est entièrement payée\.$/,
  dearer:
    /^22,59\s\$ appliqués à la vente ouverte\. Reste 6,99\s\$ à payer\. Échange égal de 1 article au prix payé\.$/,
  left: /22,59\s\$ appliqués à la vente ouverte\s: reste 6,99\s\$ à payer/,
  goOn: 'Retour à la vente',
  due: 'À payer',
  redeem: /^Échanger 20,00\s\$/,
  credit: /Remettez le crédit du magasin de 6,02\s\$/,
} as const
type Texts = typeof ENGLISH | typeof FRENCH

interface Steps {
  take(window: Page, texts: Texts): Promise<void>
  exchange(window: Page, texts: Texts): Promise<void>
  confirm(window: Page, texts: Texts): Promise<void>
  goOn(window: Page, label: string): Promise<void>
}
const KEYS: Steps = {
  take: async (window) => {
    await window.keyboard.press('+')
  },
  exchange: async (window) => {
    await window.keyboard.press('F8')
  },
  confirm: async (window, { damaged }) => {
    await window.keyboard.press('F9')
    await expect(window.getByRole('radio').first()).toBeFocused()
    await window.keyboard.press('ArrowRight')
    await expect(window.getByRole('radio', { name: damaged })).toBeChecked()
    await window.keyboard.press('F9')
  },
  goOn: async (window, label) => {
    // The button ignores keys for a moment after it appears, so that a repeated Enter does not press it.
    await expect(window.getByRole('button', { name: label })).toBeFocused()
    await window.keyboard.press('Enter')
  },
}
const TOUCH: Steps = {
  take: (window, { more }) => window.getByRole('button', { name: more }).first().click(),
  exchange: (window, { exchange }) => window.getByRole('button', { name: exchange }).click(),
  confirm: async (window, { damaged, pay }) => {
    await window.getByText(damaged).click()
    await window.getByRole('button', { name: pay }).click()
  },
  goOn: (window, label) => window.getByRole('button', { name: label }).click(),
}

/**
 * Sells a detergent, rings the replacement (by default a bag of apples), opens the detergent's sale on the return
 * screen, and pays the replacement with the value of the detergent. `withMiles`: the first sale has apples too, and
 * miles pay a portion of it.
 */
async function bringBack(
  window: Page,
  { scanner, reader }: Store,
  texts: Texts,
  steps: Steps,
  { withMiles = false, instead = [ITEMS.apples] as readonly { readonly code: string }[] } = {},
): Promise<void> {
  await signIn(window, texts.person)
  await expect(window.getByRole('heading', { name: texts.ready })).toBeVisible()
  await scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByRole('grid').getByRole('row')).toHaveCount(1)
  if (withMiles) {
    await scanner.send(ean13(ITEMS.apples.code))
    await reader.send(track2(COLLECTORS.fine))
    await expect(window.getByRole('button', { name: texts.redeem })).toBeVisible()
    await window.keyboard.press('F4')
    await expect(window.getByRole('button', { name: /^(Continue|Go on|Continuer|Poursuivre|Passer)/ })).toBeVisible()
    await window.keyboard.press('Enter')
  }
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: texts.complete })).toBeVisible()
  const sale = (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''
  for (const [index, { code }] of instead.entries()) {
    await scanner.send(ean13(code))
    await expect(window.getByRole('grid').getByRole('row')).toHaveCount(index + 1)
  }
  await window.keyboard.press('Shift+F10')
  await expect(window.getByRole('heading', { name: texts.returning })).toBeVisible()
  await scanner.send(`]C0${sale}\r`)
  await expect(window.getByRole('button', { name: texts.more }).first()).toBeVisible()
  await steps.take(window, texts)
  await steps.exchange(window, texts)
}

const VARIANTS = [
  ['in English by keyboard alone', ENGLISH, KEYS],
  ['in French by touch', FRENCH, TOUCH],
] as const

for (const [how, texts, steps] of variantsFor(VARIANTS, 0)) {
  test(`an exchange for cheaper goods ${how} pays the open sale in full; the difference is paid out in cash`, async ({
    window,
    store,
  }) => {
    await bringBack(window, store, texts, steps)
    await expect(window.getByText(texts.paysWhole)).toBeVisible()
    await expect(window.getByRole('status', { name: texts.goesBack, exact: true })).toHaveText(/15[.,]60/)
    await expect(window.getByRole('button', { name: texts.pay })).toBeEnabled()
    await steps.confirm(window, texts)
    const todo = window.getByRole('list', { name: texts.todo })
    await expect(todo).toContainText(texts.cash)
    await expect(todo).toContainText(texts.whole)
    await expect(window.getByRole('alert')).toHaveCount(0)
    await steps.goOn(window, texts.show)
    await expect(window.getByRole('heading', { name: texts.complete })).toBeVisible()
    await expect(window.getByRole('alert')).toHaveCount(0)
    const documents = await store.printer.printed(3)
    expect(documents[2]).toMatch(/6[.,]99/)
  })
}

for (const [how, texts, steps] of variantsFor(VARIANTS, 1)) {
  test(`an exchange of goods partly paid in miles ${how} pays the open sale in full and gives store credit`, async ({
    window,
    store,
  }) => {
    await bringBack(window, store, texts, steps, { withMiles: true })
    await expect(window.getByText(texts.paysWhole)).toBeVisible()
    await steps.confirm(window, texts)
    const todo = window.getByRole('list', { name: texts.todo })
    await expect(todo).toContainText(texts.credit)
    await expect(todo).toContainText(texts.whole)
    await expect(window.getByRole('alert')).toHaveCount(0)
  })
}

for (const [how, texts, steps] of variantsFor(VARIANTS, 2)) {
  test(`an exchange for goods of equal value ${how} pays out nothing and leaves nothing to pay`, async ({
    window,
    store,
  }) => {
    await bringBack(window, store, texts, steps, { instead: [ITEMS.detergent] })
    await expect(window.getByText(texts.equal)).toBeVisible()
    await expect(window.getByRole('status', { name: texts.goesBack, exact: true })).toHaveText(/^(\$0\.00|0,00\s\$)$/)
    await steps.confirm(window, texts)
    const todo = window.getByRole('list', { name: texts.todo })
    await expect(todo).toContainText(texts.whole)
    await expect(todo.getByRole('listitem')).toHaveCount(2)
    await steps.goOn(window, texts.show)
    await expect(window.getByRole('heading', { name: texts.complete })).toBeVisible()
  })
}

for (const [how, texts, steps] of variantsFor(VARIANTS, 3)) {
  test(`an exchange for more expensive goods ${how} leaves the difference to pay in the open sale`, async ({
    window,
    store,
  }) => {
    await bringBack(window, store, texts, steps, { instead: [ITEMS.detergent, ITEMS.apples] })
    await expect(window.getByText(texts.dearer)).toBeVisible()
    await steps.confirm(window, texts)
    await expect(window.getByRole('list', { name: texts.todo })).toContainText(texts.left)
    await steps.goOn(window, texts.goOn)
    await expect(window.getByRole('status', { name: texts.due })).toHaveText(/6[.,]99/)
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: texts.complete })).toBeVisible()
    const documents = await store.printer.printed(3)
    expect(documents.at(-1)).toMatch(/22[.,]59/)
    expect(documents.at(-1)).toMatch(/7[.,]00/)
  })
}
