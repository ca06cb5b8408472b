import type { Page } from '@playwright/test'
import { PATHS } from './central.ts'
import { CAISSIERE, CASHIER } from './lane.ts'
import { countPresses } from './presses.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'

/** As the scanner sends the barcode of a control. */
const control = (name: string): string => `]C0TRAIN1NG.${name}\r`

const BASKET = [ITEMS.apples, ITEMS.detergent, ITEMS.detergent, ITEMS.apples, ITEMS.detergent]

/** Five scans and a swipe; the total and the amount that miles can pay are there. */
async function scanAndSwipe(window: Page, { scanner, reader }: Store, redeem: string): Promise<void> {
  for (const item of BASKET) await scanner.send(ean13(item.code))
  await reader.send(track2(COLLECTORS.fine))
  await expect(window.getByRole('button', { name: redeem })).toBeEnabled()
}

test('the common sale takes two keys besides five scans and a swipe: the next customer’s scan begins the next', async ({
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

test('au toucher et en français, trois touches de l’écran suffisent', async ({ window, store }) => {
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

test.describe('with the scanner alone', () => {
  test.use({ profile: { controlCodes: 'TRAIN1NG' } })

  test('the common sale needs no key: the steps are scanned from the card', async ({ window, store }) => {
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
    // The printer has said so: until then the paper on its way is the one that is asked for.
    await expect(window.getByRole('region', { name: 'Receipt', exact: true })).toContainText('Printed')
    await scanner.send(control('COPY'))
    expect((await printer.printed(2))[1]).toMatch(/COPY|REPRINT/i)
    await scanner.send(control('GO'))
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    expect(await presses()).toEqual([])
  })

  test('between two customers the card of another store is an unknown code', async ({ window, store }) => {
    await signIn(window, CASHIER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    await store.scanner.send(']C0OTHER123.CASH\r')
    await expect(window.getByRole('alert').filter({ hasText: 'OTHER123.CASH' })).toBeVisible()
  })
})
