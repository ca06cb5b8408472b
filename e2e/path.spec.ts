import { PATHS } from './central.ts'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CAISSIERE, CASHIER, MANAGER } from './lane.ts'
import { signIn, signInAgain } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'
import { openStorePage } from './store-page.ts'
import { headersOf } from './windows.ts'

test('a sale completes from the first item to the receipt, with a redemption and an issuance', async ({
  window,
  store,
}) => {
  const { central, scanner, reader, printer } = store
  const before = await central.account(COLLECTORS.fine)

  await test.step('a cashier signs in with a PIN', async () => {
    await signIn(window, { ...CASHIER, pin: '0000' })
    await expect(window.getByText('Wrong PIN. Try again.').first()).toBeVisible()
    await window.keyboard.type(CASHIER.pin)
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  })

  await test.step('items are rung by the serial scanner and by search', async () => {
    await scanner.send(ean13(ITEMS.apples.code))
    await scanner.send(ean13(ITEMS.detergent.code))
    await scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('row', { name: 'Laundry detergent 2.95 L, 2 at $19.99, $39.98' })).toBeVisible()
    await window.keyboard.press('F2')
    await window.keyboard.type('roman format', { delay: PERSON_KEY_GAP_MS })
    await expect(window.getByRole('option', { name: /Novel, paperback/ })).toBeVisible()
    // A scan while a field has the focus rings an item and types nothing.
    await scanner.send(ean13(ITEMS.apples.code))
    await expect(window.getByRole('row', { name: 'Apples, Gala (bag), 1 at $6.99, $6.99' })).toHaveCount(2)
    await expect(window.getByRole('searchbox', { name: 'Search items' })).toHaveValue('roman format')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('row', { name: /Novel, paperback, 1 at \$18\.99/ })).toBeVisible()
    // The total contains 2 × 6.99 untaxed, 39.98 at 13 %, and a book of 18.99 at the federal 5 %.
    await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$79.10')
  })

  await test.step('the swiped card shows a masked number and only the miles that can be redeemed', async () => {
    await reader.send(track2(COLLECTORS.fine))
    await expect(window.getByRole('heading', { name: 'Member number ending in 0011' })).toBeVisible()
    const collector = window.getByRole('region', { name: 'Member' })
    await expect(collector).toContainText('$500.00')
    await expect(collector).toContainText('4,750 cash miles')
    await expect(window.getByText('12,300')).toHaveCount(0)
  })

  await test.step('CALCULATE previews the miles that the sale earns', async () => {
    await expect(window.getByText('Miles to earn').locator('..')).toContainText(/\d+ miles/)
  })

  await test.step('the screen proposes to redeem $70, and the cashier chooses $30', async () => {
    await expect(window.getByRole('button', { name: 'Redeem $70.00' })).toBeVisible()
    await window.getByRole('button', { name: 'Other amount' }).click()
    for (let fewer = 0; fewer < 4; fewer += 1) await window.keyboard.press('ArrowDown')
    await window.getByRole('button', { name: 'Redeem $30.00' }).click()
    await expect(window.getByRole('region', { name: 'Redeem miles' })).toContainText('$30.00 paid with miles')
    await expect(window.getByRole('definition').filter({ hasText: /^\d{6,}$/ })).toBeVisible()
  })

  await test.step('cash pays the amount due, rounded to five cents, with change', async () => {
    await window.keyboard.press('F6')
    await expect(window.getByRole('region', { name: 'Cash' })).toContainText('$49.10')
    await window.keyboard.type('6000')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    await expect(window.getByText('$10.90').first()).toBeVisible()
  })

  await test.step('the outbox sends ISSUE with an idempotency key, and the screen shows the miles', async () => {
    await central.reached(PATHS.issue, 1, 'processed')
    const [issue] = await central.requests(PATHS.issue)
    expect(issue?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
    await expect(window.getByRole('button', { name: 'Queue All sent' })).toBeVisible()
    await expect(window.getByText(/\d+ miles earned/)).toBeVisible()
  })

  await test.step('the receipt shows the redemption, and the balances are only on paper', async () => {
    const [paper = ''] = await printer.printed(1)
    expect(paper).toContain('Northstar Front')
    expect(paper).toMatch(/Laundry detergent 2\.95 L\s+2 . 19\.99\s+H 39\.98/)
    expect(paper).toMatch(/HST 13% \(H\)\s+H\s+5\.20/)
    expect(paper).toMatch(/HST 5% \(R\)\s+R\s+0\.95/)
    expect(paper).toMatch(/TOTAL\s+\$79\.10/)
    expect(paper).toMatch(/Paid with miles\s+\$30\.00/)
    expect(paper).toMatch(/3 units . 285 miles/)
    expect(paper).toMatch(/Cash\s+\$60\.00/)
    expect(paper).toMatch(/Change\s+\$10\.90/)
    expect(paper).toContain('0011')
    expect(paper).not.toContain(COLLECTORS.fine)
    expect(paper).toMatch(/Cash miles\s+4,465/)
    expect(paper).toMatch(/Dream miles\s+12,300/)
    await expect(window.getByText('4,465')).toHaveCount(0)
    await expect(window.getByText('12,300')).toHaveCount(0)
    // Cash opens the drawer once (ESC p).
    expect(printer.bytes().split('\x1bp').length - 1).toBe(1)
  })

  await test.step('the services’ account has 95 miles less for each redeemed unit', async () => {
    const after = await central.account(COLLECTORS.fine)
    const total = ({ balances }: typeof after): number => balances.cash + balances.dream
    const issuedText = (await window.getByText(/\d+ miles earned/).textContent()) ?? ''
    const issued = Number(/(\d+) miles/.exec(issuedText)?.[1])
    expect(issued).toBeGreaterThan(0)
    expect(total(after) - total(before)).toBe(issued - 3 * 95)
    expect(after.balances.dream).toBeGreaterThanOrEqual(before.balances.dream)
    expect(await central.problems()).toEqual([])
  })

  await test.step('one key starts the next customer', async () => {
    await expect(window.getByRole('button', { name: 'Next customer' })).toBeFocused()
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  })
})

test('the lane serves a member with private balances in French and hides the balances', async ({ window, store }) => {
  const { scanner, reader, printer } = store
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
  await scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByRole('row', { name: /Détersif à lessive 2,95 L/ })).toBeVisible()
  await expect(window.getByRole('status', { name: 'Total' })).toHaveText(/^22,59\s\$$/)
  await reader.send(track2(COLLECTORS.suppressed))
  await expect(window.getByRole('button', { name: /^Échanger 20,00\s\$/ })).toBeVisible()
  // Flag 0001 of the member's public settings makes balances private: the screen shows none.
  await expect(window.getByText(/2\s?850|300,00/)).toHaveCount(0)
  await window.keyboard.press('F4')
  await expect(window.getByText(/20,00\s\$ payés? (en|avec des) milles/).first()).toBeVisible()
  await window.keyboard.press('F7')
  await window.keyboard.type('TPV-4417', { delay: PERSON_KEY_GAP_MS })
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Vente terminée' })).toBeVisible()
  const [paper = ''] = await printer.printed(1)
  expect(paper).toContain('TOTAL')
  expect(paper).toMatch(/Payé (avec des|en) milles/)
  // Flag 0001 of the member's public settings: the paper shows neither the balances nor the redeemable amount.
  expect(paper).not.toMatch(/2,?850|2,?660|Your balances|Vos soldes/)
  expect(paper).toContain('TPV-4417')
})

test('a manager can run the echo check, and a cashier cannot', async ({ window, store }) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const url = new URL(store.lane.url)
  const refused = await window.request.post(`${url.origin}/api/diagnostics/echo`, {
    headers: { ...headersOf(window), origin: url.origin },
  })
  expect(refused.status()).toBe(403)
  await window.keyboard.press('Shift+F12')
  await signIn(window, MANAGER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await window.keyboard.press('Shift+F1')
  await openStorePage(window, 'Lane', 'Connection')
  await window.getByRole('button', { name: 'Check connection' }).click()
  await expect(window.getByText('All steps passed.')).toBeVisible()
  await expect(window.getByText('0000').first()).toBeVisible()
  await expect(window.getByText('cache-control').first()).toBeVisible()
})

test('the cashier can show a customer the offers of the region', async ({ window }) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await window.keyboard.press('F8')
  await expect(window.getByRole('article').or(window.getByRole('listitem')).nth(5)).toBeVisible()
})

test('after the terminal crashed, the same window finds the sale and the outcome of its redemption', async ({
  window,
  store,
}) => {
  const { central, lane, scanner, reader, printer } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  for (let count = 0; count < 4; count += 1) await scanner.send(ean13(ITEMS.detergent.code))
  await reader.send(track2(COLLECTORS.fine))
  await expect(window.getByRole('button', { name: 'Redeem $90.00' })).toBeVisible()
  const before = await central.account(COLLECTORS.fine)
  await central.faults({ path: PATHS.redeem, times: 1, action: { kind: 'hang-after' } })
  await window.keyboard.press('F4')
  await expect(window.getByRole('heading', { name: 'Redeeming $90.00' })).toBeVisible()
  await central.reached(PATHS.redeem, 1, 'processed')
  await lane.kill()
  await expect(window.getByText('Connection lost. Reconnecting…')).toBeVisible()
  await lane.restart()
  await signInAgain(window, CASHIER)
  await expect(window.getByRole('region', { name: 'Redeem miles' })).toContainText('$90.00 paid with miles')
  await expect(window.getByRole('status', { name: 'Due' })).toHaveText('$0.35')
  const after = await central.account(COLLECTORS.fine)
  expect(before.balances.cash - after.balances.cash).toBe(9 * 95)
  const sent = await central.requests(PATHS.redeem)
  expect(sent).toHaveLength(2)
  expect(sent[1]?.sha256).toBe(sent[0]?.sha256)
  expect(sent[1]?.headers['idempotency-key']).toBe(sent[0]?.headers['idempotency-key'])
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  expect((await printer.printed(1))[0]).toMatch(/9 units . 855 miles/)
  await central.reached(PATHS.issue, 1, 'processed')
  expect(await central.problems()).toEqual([])
})
