import type { Page } from '@playwright/test'
import { PATHS } from './central.ts'
import { CAISSIERE, CASHIER } from './lane.ts'
import { countPresses } from './count-presses.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'

const control = (name: string): string => `]C0TRAIN1NG.${name}\r`

const BASKET = [ITEMS.apples, ITEMS.detergent, ITEMS.detergent, ITEMS.apples, ITEMS.detergent]

async function scanAndSwipe(window: Page, { scanner, reader }: Store, redeem: string): Promise<void> {
  for (const item of BASKET) await scanner.send(ean13(item.code))
  await reader.send(track2(COLLECTORS.fine))
  await expect(window.getByRole('button', { name: redeem })).toBeEnabled()
}

test('the most common sale needs two key presses, because the next customer’s first scan starts the next sale', async ({
  window,
  store,
}) => {
  const { scanner, central, printer } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const presses = await countPresses(window)
  await scanAndSwipe(window, store, 'Redeem $80.00')
  await window.keyboard.press('F4')
  await expect(window.getByRole('region', { name: 'Redeem miles' })).toContainText('$80.00 paid with miles')
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  await scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$6.99')
  expect(await presses()).toEqual(['F4', 'F9'])

  await central.reached(PATHS.issue, 1, 'processed')
  expect(await printer.printed(1)).toHaveLength(1)
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
})

test('the most common sale needs three touches, in French', async ({ window, store }) => {
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
  const presses = await countPresses(window)
  await scanAndSwipe(window, store, 'Échanger 80,00 $')
  await window.getByRole('button', { name: 'Échanger 80,00 $' }).click()
  await expect(window.getByRole('status', { name: 'À payer' })).toHaveText(/^1,75\s\$$/)
  await window.getByRole('button', { name: /exact/i }).click()
  await expect(window.getByRole('heading', { name: 'Vente terminée' })).toBeVisible()
  await window.getByRole('button', { name: 'Client suivant' }).click()
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
  expect(await presses()).toEqual(['tap', 'tap', 'tap'])
})

test.describe('a lane used with the scanner alone', () => {
  test.use({ profile: { controlCodes: 'TRAIN1NG' } })

  test('needs no key for the most common sale: the cashier scans the steps from the card of control barcodes', async ({
    window,
    store,
  }) => {
    const { scanner, printer } = store
    await signIn(window, CASHIER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    const presses = await countPresses(window)
    for (const item of BASKET) await scanner.send(ean13(item.code))
    await scanner.send(`${COLLECTORS.fine}\r`)
    await expect(window.getByRole('button', { name: 'Redeem $80.00' })).toBeEnabled()
    await scanner.send(control('REDEEM'))
    await expect(window.getByRole('region', { name: 'Redeem miles' })).toContainText('$80.00 paid with miles')
    await scanner.send(control('GO'))
    await scanner.send(control('UNDO'))
    await expect(window.getByText('“Undo last change” is not available now.').first()).toBeVisible()
    await scanner.send(control('CASH'))
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    expect(await printer.printed(1)).toHaveLength(1)
    // Wait until the printer confirms the receipt: before that, a scan of COPY applies to the receipt that is still
    // printing.
    await expect(window.getByRole('region', { name: 'Receipt', exact: true })).toContainText('Printed')
    await scanner.send(control('COPY'))
    expect((await printer.printed(2))[1]).toMatch(/COPY|REPRINT/i)
    await scanner.send(control('GO'))
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    expect(await presses()).toEqual([])
  })

  test('treats a control barcode of another store as an unknown code between two customers', async ({
    window,
    store,
  }) => {
    await signIn(window, CASHIER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    await store.scanner.send(']C0OTHER123.CASH\r')
    await expect(window.getByRole('alert').filter({ hasText: 'OTHER123.CASH' })).toBeVisible()
  })
})
