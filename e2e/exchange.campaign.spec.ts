import type { Page } from '@playwright/test'
import { inTurn } from './in-turn.ts'
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
  exchange: 'Échange : appliquer à la vente ouverte',
  paysWhole: /^6,99\s\$ appliqués\s: la vente ouverte est entièrement payée\.$/,
  pay: /^Appliquer (6,99|22,59)\s\$ à la vente/,
  cash: /Remettez 15,60\s\$ comptant/,
  whole: 'Vente ouverte entièrement payée et terminée',
  show: 'Voir la vente terminée',
  equal: /^22,59\s\$ appliqués\s: la vente ouverte est entièrement payée\.$/,
  dearer: /^22,59\s\$ appliqués à la vente ouverte\. Reste 6,99\s\$ à payer\.$/,
  left: /22,59\s\$ appliqués à la vente ouverte\s: reste 6,99\s\$ à payer/,
  goOn: 'Retour à la vente',
  due: 'À payer',
  redeem: /^Échanger 20,00\s\$/,
  credit: /Remettez le crédit du magasin de 6,02\s\$/,
} as const
type Words = typeof ENGLISH | typeof FRENCH

/** The steps of the cashier, by keyboard alone or by touch alone. */
interface Hands {
  take(window: Page, words: Words): Promise<void>
  exchange(window: Page, words: Words): Promise<void>
  confirm(window: Page, words: Words): Promise<void>
  goOn(window: Page, label: string): Promise<void>
}
const KEYS: Hands = {
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
    // It takes the key once the hand that confirmed has had time to leave.
    await expect(window.getByRole('button', { name: label })).toBeFocused()
    await window.keyboard.press('Enter')
  },
}
const TOUCH: Hands = {
  take: (window, { more }) => window.getByRole('button', { name: more }).first().click(),
  exchange: (window, { exchange }) => window.getByRole('button', { name: exchange }).click(),
  confirm: async (window, { damaged, pay }) => {
    await window.getByText(damaged).click()
    await window.getByRole('button', { name: pay }).click()
  },
  goOn: (window, label) => window.getByRole('button', { name: label }).click(),
}

/**
 * Sells a detergent, rings what the same customer takes instead (a bag of apples unless said), and opens the
 * detergent's sale on the return screen.
 */
async function bringBack(
  window: Page,
  { scanner, reader }: Store,
  words: Words,
  hands: Hands,
  { withMiles = false, instead = [ITEMS.apples] as readonly { readonly code: string }[] } = {},
): Promise<void> {
  await signIn(window, words.person)
  await expect(window.getByRole('heading', { name: words.ready })).toBeVisible()
  await scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByRole('grid').getByRole('row')).toHaveCount(1)
  if (withMiles) {
    await scanner.send(ean13(ITEMS.apples.code))
    await reader.send(track2(COLLECTORS.fine))
    await expect(window.getByRole('button', { name: words.redeem })).toBeVisible()
    await window.keyboard.press('F4')
    await expect(window.getByRole('button', { name: /^(Continue|Go on|Continuer|Poursuivre|Passer)/ })).toBeVisible()
    await window.keyboard.press('Enter')
  }
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: words.complete })).toBeVisible()
  const sale = (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''
  for (const [index, { code }] of instead.entries()) {
    await scanner.send(ean13(code))
    await expect(window.getByRole('grid').getByRole('row')).toHaveCount(index + 1)
  }
  await window.keyboard.press('Shift+F10')
  await expect(window.getByRole('heading', { name: words.returning })).toBeVisible()
  await scanner.send(`]C0${sale}\r`)
  await expect(window.getByRole('button', { name: words.more }).first()).toBeVisible()
  await hands.take(window, words)
  await hands.exchange(window, words)
}

const WAYS = [
  ['in English by keyboard alone', ENGLISH, KEYS],
  ['in French by touch', FRENCH, TOUCH],
] as const

for (const [how, words, hands] of inTurn(WAYS, 0)) {
  test(`an exchange for cheaper goods, ${how}: what is handed out and paid is said, and nothing else`, async ({
    window,
    store,
  }) => {
    await bringBack(window, store, words, hands)
    await expect(window.getByText(words.paysWhole)).toBeVisible()
    await expect(window.getByRole('status', { name: words.goesBack, exact: true })).toHaveText(/15[.,]60/)
    await expect(window.getByRole('button', { name: words.pay })).toBeEnabled()
    await hands.confirm(window, words)
    const todo = window.getByRole('list', { name: words.todo })
    await expect(todo).toContainText(words.cash)
    await expect(todo).toContainText(words.whole)
    await expect(window.getByRole('alert')).toHaveCount(0)
    await hands.goOn(window, words.show)
    await expect(window.getByRole('heading', { name: words.complete })).toBeVisible()
    await expect(window.getByRole('alert')).toHaveCount(0)
    const documents = await store.printer.printed(3)
    expect(documents[2]).toMatch(/6[.,]99/)
  })
}

for (const [how, words, hands] of inTurn(WAYS, 1)) {
  test(`goods that miles paid for in part, exchanged ${how}`, async ({ window, store }) => {
    await bringBack(window, store, words, hands, { withMiles: true })
    await expect(window.getByText(words.paysWhole)).toBeVisible()
    await hands.confirm(window, words)
    const todo = window.getByRole('list', { name: words.todo })
    await expect(todo).toContainText(words.credit)
    await expect(todo).toContainText(words.whole)
    await expect(window.getByRole('alert')).toHaveCount(0)
  })
}

for (const [how, words, hands] of inTurn(WAYS, 2)) {
  test(`an exchange for as much, ${how}: nothing is handed out and nothing is left to pay`, async ({
    window,
    store,
  }) => {
    await bringBack(window, store, words, hands, { instead: [ITEMS.detergent] })
    await expect(window.getByText(words.equal)).toBeVisible()
    await expect(window.getByRole('status', { name: words.goesBack, exact: true })).toHaveText(/^(\$0\.00|0,00\s\$)$/)
    await hands.confirm(window, words)
    const todo = window.getByRole('list', { name: words.todo })
    await expect(todo).toContainText(words.whole)
    await expect(todo.getByRole('listitem')).toHaveCount(2)
    await hands.goOn(window, words.show)
    await expect(window.getByRole('heading', { name: words.complete })).toBeVisible()
  })
}

for (const [how, words, hands] of inTurn(WAYS, 3)) {
  test(`an exchange for dearer goods, ${how}: what is left is paid in the same sale`, async ({ window, store }) => {
    await bringBack(window, store, words, hands, { instead: [ITEMS.detergent, ITEMS.apples] })
    await expect(window.getByText(words.dearer)).toBeVisible()
    await hands.confirm(window, words)
    await expect(window.getByRole('list', { name: words.todo })).toContainText(words.left)
    await hands.goOn(window, words.goOn)
    await expect(window.getByRole('status', { name: words.due })).toHaveText(/6[.,]99/)
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: words.complete })).toBeVisible()
    const documents = await store.printer.printed(3)
    expect(documents.at(-1)).toMatch(/22[.,]59/)
    expect(documents.at(-1)).toMatch(/7[.,]00/)
  })
}
