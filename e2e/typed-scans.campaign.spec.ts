import type { Page } from '@playwright/test'
import { PERSON_KEY_GAP_MS, typeAsScanner, type ScannerKey } from './keys.ts'
import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, expect, ITEMS, test } from './store.ts'

const search = (window: Page) => window.getByRole('searchbox', { name: 'Search items' })
const apples = (window: Page, count: number) =>
  window.getByRole('row', { name: new RegExp(`Apples, Gala \\(bag\\), ${count} at`) })

test.beforeEach(async ({ window }) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
})

test('a keyboard-wedge scanner rings items with any focus, and no field receives its keys', async ({ window }) => {
  await typeAsScanner(window, ITEMS.apples.code)
  await expect(apples(window, 1)).toBeVisible()

  await test.step('a scan while a person types in the search rings the item and leaves the typed text', async () => {
    await window.keyboard.press('F2')
    await window.keyboard.type('roman', { delay: PERSON_KEY_GAP_MS })
    await typeAsScanner(window, ITEMS.apples.code, { suffix: 'Tab' })
    await expect(apples(window, 2)).toBeVisible()
    await expect(search(window)).toHaveValue('roman')
    await window.keyboard.type(' format', { delay: PERSON_KEY_GAP_MS })
    await expect(search(window)).toHaveValue('roman format')
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
  })

  await test.step('a scanner without a suffix key rings the item', async () => {
    await typeAsScanner(window, ITEMS.apples.code, { suffix: null })
    await expect(apples(window, 3)).toBeVisible()
  })

  await test.step('a scan while a dialog is open rings the item and does not answer the dialog', async () => {
    await window.keyboard.press('Shift+Delete')
    const dialog = window.getByRole('alertdialog')
    await expect(dialog).toBeVisible()
    await typeAsScanner(window, ITEMS.apples.code)
    await expect(apples(window, 4)).toBeVisible()
    await expect(dialog).toBeVisible()
    await window.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  })

  await test.step('a scan while cash is typed leaves the typed amount unchanged', async () => {
    await window.keyboard.press('F6')
    const cash = window.getByRole('region', { name: 'Cash' })
    await window.keyboard.type('50', { delay: PERSON_KEY_GAP_MS })
    await typeAsScanner(window, ITEMS.apples.code)
    await window.keyboard.type('00', { delay: PERSON_KEY_GAP_MS })
    await expect(cash).toContainText('$50.00')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeHidden()
  })
})

/**
 * Keys of a US keyboard as the Canadian French layout reads them: only the punctuation that the scanned codes contain.
 */
const MARKS: Readonly<Record<string, ScannerKey>> = {
  '/': { key: 'é', code: 'Slash' },
  ':': { key: ':', code: 'Semicolon', shift: true },
  ']': { key: 'Dead', code: 'BracketRight' },
  '.': { key: '.', code: 'Period' },
}
const letterOrDigit = (key: string): ScannerKey =>
  /\d/.test(key)
    ? { key, code: `Digit${key}` }
    : { key, code: `Key${key.toUpperCase()}`, shift: key !== key.toLowerCase() }
const underCanadianFrench = (text: string): ScannerKey[] => [...text].map((one) => MARKS[one] ?? letterOrDigit(one))

test('a scanner for US keyboards rings items under a Canadian French keyboard layout', async ({ window }) => {
  await typeAsScanner(window, underCanadianFrench(`]E00${ITEMS.apples.code}`))
  await expect(apples(window, 1)).toBeVisible()
  await typeAsScanner(window, underCanadianFrench(`https://id.gs1.org/01/${ITEMS.apples.code.padStart(14, '0')}`))
  await expect(apples(window, 2)).toBeVisible()
})

test('a collector number typed by a scanner may earn and never redeems', async ({ window }) => {
  await typeAsScanner(window, ITEMS.detergent.code)
  await typeAsScanner(window, COLLECTORS.fine)
  await expect(window.getByRole('heading', { name: 'Member number ending in 0011' })).toBeVisible()
  await expect(window.getByText('Miles to earn').locator('..')).toContainText(/\d+ miles/)
  await expect(window.getByRole('button', { name: /^Redeem \$/ })).toHaveCount(0)
})

test('a typed scan before sign-in rings nothing and is not taken as a PIN', async ({ window }) => {
  await window.keyboard.press('Shift+F12')
  // Wait for the sign-in screen: before it, the button with this name belongs to the signed-in person in the status
  // bar.
  await window.getByRole('heading', { name: 'Who is working this lane?' }).waitFor()
  await window.getByRole('button', { name: CASHIER.name }).click()
  await typeAsScanner(window, ITEMS.apples.code)
  await expect(window.getByRole('alert').first()).toBeVisible()
  await window.keyboard.type(CASHIER.pin, { delay: PERSON_KEY_GAP_MS })
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
})
