import type { Page } from '@playwright/test'
import { ISSUANCE_PATHS } from '../contracts/central/issuance.ts'
import { PATHS } from './central.ts'
import { CASHIER, MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'
import { openStorePage } from './store-page.ts'

const ready = (window: Page) => window.getByRole('heading', { name: 'Ready for the next customer' })

async function sell(window: Page, { scanner, reader }: Store, redeem: boolean): Promise<void> {
  for (let count = 0; count < 4; count += 1) await scanner.send(ean13(ITEMS.detergent.code))
  await reader.send(track2(COLLECTORS.fine))
  await expect(window.getByRole('button', { name: 'Redeem $90.00' })).toBeVisible()
  if (redeem) {
    await window.keyboard.press('F4')
    await expect(window.getByText('$90.00 paid with miles').first()).toBeVisible()
    await window.keyboard.press('Enter')
  }
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  await window.keyboard.press('Enter')
}

test.use({ limits: { cashTimeoutMs: 800 }, viewport: { width: 1024, height: 768 } })

test('a manager corrects a rejected issuance and takes back miles that were issued in excess', async ({
  window,
  store,
}) => {
  const { central, lane, reader } = store
  const total = async (collector: string): Promise<number> => {
    const { balances } = await central.account(collector)
    return balances.cash + balances.dream
  }

  await test.step('in two sales, one approval comes on the retry and one issuance is rejected', async () => {
    await signIn(window, CASHIER)
    await expect(ready(window)).toBeVisible()
    await central.faults({ path: PATHS.redeem, times: 1, action: { kind: 'drop-after' } })
    await sell(window, store, true)
    await central.reached(PATHS.issue, 1, 'processed')
    await central.faults({
      path: PATHS.issue,
      times: 1,
      action: {
        kind: 'answer',
        status: 400,
        body: { errors: [{ errorCode: '230', errorReason: 'Location Code Not Found' }] },
      },
    })
    await sell(window, store, false)
    await window.keyboard.press('Shift+F12')
  })

  await test.step('the manager sees why the issuance was rejected, and sends a copy for another card', async () => {
    await signIn(window, MANAGER)
    await expect(ready(window)).toBeVisible()
    await window.keyboard.press('Shift+F1')
    await openStorePage(window, 'Miles', 'Queue')
    const row = window.getByRole('row', { name: /Issuance Refused/ })
    await expect(row).toContainText('230')
    await row.getByRole('button').click()
    await expect(window.getByText('The location code is unknown.')).toBeVisible()
    await expect(window.getByText('•••• ••• 0011')).toBeVisible()
    // The open form receives the next card; a card that is read before the form opens goes to the sale.
    const captured = window.waitForResponse((response) => response.url().endsWith('/input/claims'))
    await window.getByRole('button', { name: 'Correct and send' }).click()
    await captured
    const before = await total(COLLECTORS.special)
    await reader.send(track2(COLLECTORS.special))
    await expect(window.getByText('Card read: •••• ••• 0077')).toBeVisible()
    await window.getByLabel('Reason for the correction').fill('The customer had swiped another card')
    await window.getByRole('button', { name: 'Send as new transaction' }).click()
    await expect(window.getByText('This is the corrected copy.')).toBeVisible()
    await expect(window.getByRole('dialog').getByText('Confirmed').first()).toBeVisible()
    expect(await total(COLLECTORS.special)).toBeGreaterThan(before)
    const [, refused, copy] = await central.requests(PATHS.issue)
    expect(copy?.headers['idempotency-key']).not.toBe(refused?.headers['idempotency-key'])
  })

  await test.step('the manager takes back one mile of the corrected issuance', async () => {
    const before = await total(COLLECTORS.special)
    await window.getByRole('button', { name: 'Take miles back' }).click()
    await window.getByLabel('Miles to take back').fill('1')
    await window.getByLabel('Reason').fill('One mile too many')
    await window.getByRole('button', { name: 'Take 1 mile back' }).click()
    await expect(window.getByText('Correction sent.')).toBeVisible()
    await expect(window.getByRole('dialog').getByText('Confirmed').first()).toBeVisible()
    expect(await total(COLLECTORS.special)).toBe(before - 1)
    expect(await central.requests(ISSUANCE_PATHS.reverseEvent)).toHaveLength(1)
    await window.keyboard.press('Escape')
    await expect(window.getByRole('heading', { name: 'Queue empty' })).toBeVisible()
  })

  await test.step('the reconciliation report of today previews the approval that came on the retry', async () => {
    await openStorePage(window, 'Miles', 'Reconciliation')
    await expect(window.getByText('Nothing needs review')).toBeVisible()
    await window.getByRole('row', { name: /Today/ }).getByRole('button').click()
    await expect(window.getByText('Day not over: preview only.')).toBeVisible()
    await expect(window.getByRole('dialog').getByRole('row')).toHaveCount(3)
    await expect(window.getByRole('dialog').getByRole('row', { name: /855/ }).first()).toContainText('$90.00')
    await expect(window.getByRole('button', { name: /Export/ })).toHaveCount(0)
  })

  expect(await lane.diskHolds(COLLECTORS.special)).toBe(false)
  expect(await central.problems()).toEqual([])
})
