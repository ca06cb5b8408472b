import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { CASHIER, MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'
import { openStorePage } from './store-page.ts'

test.use({ viewport: { width: 1024, height: 768 } })

const ready = (window: Page) =>
  window.getByRole('heading', { name: /^(Ready for the next customer|Prêt pour le prochain client)$/ })

const TEXTS = {
  en: {
    signedIn: 'Signed in',
    wrongPin: 'Wrong PIN',
    export: 'Export CSV',
    show: 'Show',
    verify: 'Verify',
    intact: /\d+ entries intact/,
    exported: 'Audit exported',
    settings: 'Settings',
    language: 'Setting changed',
    none: 'No matching entries',
    clear: 'Clear filters',
    id: 'Receipt or other ID',
  },
  fr: {
    signedIn: 'Connexion',
    wrongPin: 'Mauvais NIP',
    export: 'Exporter en CSV',
    show: 'Afficher',
    verify: 'Vérifier',
    intact: /\d+ entrées intactes/,
    exported: 'Audit exporté',
    settings: 'Réglages',
    language: 'Réglage changé',
    none: 'Aucune entrée trouvée',
    clear: 'Effacer les filtres',
    id: 'Numéro de reçu ou autre',
  },
} as const

async function readTrail(window: Page, texts: (typeof TEXTS)['en' | 'fr']): Promise<void> {
  const list = window.getByRole('table')
  await expect(list.getByRole('rowheader', { name: texts.signedIn, exact: true }).first()).toBeVisible()
  await expect(list.getByRole('rowheader', { name: texts.wrongPin }).first()).toBeVisible()

  await window.getByLabel(texts.show).selectOption('data')
  await expect(list.getByRole('rowheader', { name: texts.wrongPin })).toHaveCount(0)
  const [download] = await Promise.all([
    window.waitForEvent('download'),
    window.getByRole('button', { name: texts.export }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^audit_.*_lane-01_\d{4}-\d\d-\d\d_\d+\.csv$/)
  const text = readFileSync(await download.path(), 'utf8')
  expect(text).toContain('number,time,kind,person,name,subject,details')
  expect(text).toContain('catalog-imported')
  expect(text).not.toContain('pin-wrong')
  await expect(list.getByRole('rowheader', { name: texts.exported }).first()).toBeVisible()

  await window.getByLabel(texts.id).fill('nothing of this name')
  await expect(window.getByRole('heading', { name: texts.none })).toBeVisible()
  await window.getByRole('button', { name: texts.clear }).press('Enter')
  await expect(list.getByRole('rowheader', { name: texts.signedIn, exact: true }).first()).toBeVisible()

  await window.getByRole('button', { name: texts.verify, exact: true }).press('Enter')
  await expect(window.getByText(texts.intact)).toBeVisible()
}

test('a manager reads, exports and verifies the audit trail in both languages', async ({ window, store }) => {
  await test.step('a cashier signs in at the second attempt and rings an item, to fill the audit trail', async () => {
    await window.getByRole('button', { name: CASHIER.name }).click()
    await window.keyboard.type('0000')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('alert').filter({ hasText: 'Wrong PIN. Try again.' })).toBeVisible()
    await window.keyboard.type(CASHIER.pin)
    await window.keyboard.press('Enter')
    await expect(ready(window)).toBeVisible()
    await store.scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('row', { name: /detergent/ })).toBeVisible()
    await window.keyboard.press('Shift+F1')
    await openStorePage(window, 'Setup', 'Audit')
    await expect(window.getByText('Manager only.')).toBeVisible()
    await window.keyboard.press('Shift+F12')
  })

  await test.step('the manager reads the audit trail in English', async () => {
    await signIn(window, MANAGER)
    await expect(window.getByRole('row', { name: /detergent/ })).toBeVisible()
    await window.keyboard.press('Shift+F1')
    await openStorePage(window, 'Setup', 'Audit')
    await readTrail(window, TEXTS.en)
  })

  await test.step('the manager reads the audit trail in French after a change of language', async () => {
    const stored = window.waitForResponse((answer) => answer.url().endsWith('/api/staff/me/locale'))
    await window.getByRole('banner').getByRole('button', { name: MANAGER.name }).click()
    await window.getByRole('button', { name: 'Français' }).click()
    await stored
    await window.keyboard.press('Escape')
    await expect(window.getByLabel(TEXTS.fr.show)).toBeVisible()
    await readTrail(window, TEXTS.fr)
    await window.getByLabel(TEXTS.fr.show).selectOption('settings')
    await expect(window.getByRole('rowheader', { name: TEXTS.fr.language }).first()).toBeVisible()
  })
})
