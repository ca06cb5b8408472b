import { PATHS } from './central.ts'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'

test('cash, a card, miles and cash again pay a sale, which closes only when the amount due is paid', async ({
  window,
  store,
}) => {
  const { scanner, reader, printer, central } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  for (const item of [ITEMS.detergent, ITEMS.detergent, ITEMS.apples]) await scanner.send(ean13(item.code))
  await reader.send(track2(COLLECTORS.fine))
  await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$52.17')
  const due = window.getByRole('status', { name: 'Due' })
  const payments = window.getByRole('list', { name: 'Payments taken' })

  await test.step('a cash payment below the amount due leaves the sale open', async () => {
    await window.keyboard.press('F6')
    const cash = window.getByRole('region', { name: 'Cash' })
    // Cash payments are rounded to five cents, so $52.17 becomes $52.15; the screen proposes notes for this amount.
    await expect(cash).toContainText('$52.15')
    await expect(cash.getByRole('button', { name: '$60.00' })).toBeVisible()
    await window.keyboard.type('1000', { delay: PERSON_KEY_GAP_MS })
    await expect(cash).toContainText('Still due$42.17Cash $42.15')
    await window.keyboard.press('Enter')
    await expect(due).toHaveText('$42.17')
    await expect(window.getByRole('term').filter({ hasText: 'In cash' }).locator('..')).toHaveText('In cash$42.15')
  })

  await test.step('a card pays a portion and is recorded with the number of its slip', async () => {
    await window.keyboard.press('F7')
    await window.keyboard.type('004417', { delay: PERSON_KEY_GAP_MS })
    await window.getByRole('spinbutton', { name: 'Amount on the card' }).click()
    await window.keyboard.type('1000', { delay: PERSON_KEY_GAP_MS })
    await window.getByRole('button', { name: 'Record $10.00 by card' }).click()
    await expect(due).toHaveText('$32.17')
    await expect(payments).toContainText('Ref. 004417')
  })

  await test.step('miles pay as many whole units as the amount due allows', async () => {
    await expect(window.getByRole('button', { name: 'Redeem $30.00' })).toBeEnabled()
    await window.keyboard.press('F4')
    await expect(window.getByRole('region', { name: 'Redeem miles' })).toContainText('$30.00 paid with miles')
    await expect(due).toHaveText('$2.17')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toHaveCount(0)
    expect(await central.requests(PATHS.issue)).toHaveLength(0)
  })

  await test.step('coins pay the amount due, rounded to five cents, and the sale closes', async () => {
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    await central.reached(PATHS.issue, 1, 'processed')
    const [paper = ''] = await printer.printed(1)
    expect(paper).toMatch(/TOTAL\s+\$52\.17/)
    expect(paper).toMatch(/Card\s+\$10\.00/)
    expect(paper).toMatch(/Paid with miles\s+\$30\.00/)
    expect(paper).toContain('004417')
    expect(paper).toMatch(/Cash rounding\s+-\$0\.02/)
    // The drawer opened once (ESC p): for the cash, and not for the card or the miles.
    expect(printer.bytes().split('\x1bp').length - 1).toBe(1)
  })
})

test('one tap on a suggested note pays the sale, and the screen shows the change in large digits', async ({
  window,
  store,
}) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await store.scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$6.99')
  await window.keyboard.press('F6')
  await window.getByRole('region', { name: 'Cash' }).getByRole('button', { name: '$20.00' }).click()
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  const change = window.getByText('$13.00').first()
  await expect(change).toBeVisible()
  expect((await change.boundingBox())?.height ?? 0).toBeGreaterThan(60)

  await test.step('the screen shows the previous customer’s change until the next sale’s first payment', async () => {
    await store.scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$22.59')
    await expect(window.getByText('Last change: $13.00')).toBeVisible()
    await window.keyboard.press('F6')
    await window.keyboard.type('1000', { delay: PERSON_KEY_GAP_MS })
    await window.keyboard.press('Enter')
    await expect(window.getByRole('status', { name: 'Due' })).toHaveText('$12.59')
    await expect(window.getByText('Last change')).toHaveCount(0)
  })
})
