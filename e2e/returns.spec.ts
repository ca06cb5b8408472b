import type { Page } from '@playwright/test'
import { PATHS } from './central.ts'
import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CASHIER, MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'
import { readAs } from './windows.ts'

test.use({
  profile: {
    approvals: { returnFromDollars: 40, actions: { return: { cashier: 'with-approval' } } },
  },
})

const shownId = async (window: Page): Promise<string> =>
  (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''
const idOn = (paper: string): string => paper.match(/N101\d{10}[A-Z0-9]{4}/g)?.at(-1) ?? 'no number'
const ready = (window: Page): Promise<void> =>
  expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()

/** Sells two detergents and apples for $52.17: $50.00 in miles, $2.15 in rounded cash. Returns the receipt's number. */
async function sellForMilesAndCash(window: Page, { scanner, reader }: Store): Promise<string> {
  for (const item of [ITEMS.detergent, ITEMS.detergent, ITEMS.apples]) await scanner.send(ean13(item.code))
  await reader.send(track2(COLLECTORS.fine))
  await expect(window.getByRole('button', { name: 'Redeem $50.00' })).toBeVisible()
  await window.keyboard.press('F4')
  await expect(window.getByRole('region', { name: 'Redeem miles' })).toContainText('$50.00 paid with miles')
  await window.keyboard.press('Enter')
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  await expect(window.getByText(/\d+ miles earned/)).toBeVisible()
  const id = await shownId(window)
  await expect(window.getByRole('button', { name: 'Next customer' })).toBeFocused()
  await window.keyboard.press('Enter')
  await ready(window)
  return id
}

test('a whole sale is returned: the screen shows how each part is refunded and why, and a manager approves', async ({
  window,
  store,
}) => {
  const { central, scanner, printer } = store
  await signIn(window, CASHIER)
  await ready(window)
  const before = await central.account(COLLECTORS.fine)
  const sale = await sellForMilesAndCash(window, store)

  await test.step('a scan of the receipt on the return screen lists the goods of the sale', async () => {
    await window.keyboard.press('Shift+F10')
    await expect(window.getByRole('heading', { name: 'Return items' })).toBeVisible()
    await scanner.send(`]C0${sale}\r`)
    await expect(window.getByRole('row', { name: 'Laundry detergent 2.95 L: returning 0 of 2' })).toBeVisible()
  })

  let slip = ''
  const plan = window.getByRole('list', { name: 'Refund' })
  await test.step('for one item, the screen plans a refund of miles as store credit, and explains why', async () => {
    await window.getByRole('button', { name: 'Add one: Apples, Gala (bag)' }).click()
    await expect(window.getByRole('status', { name: 'Refund' })).toHaveText('$6.97')
    await expect(plan.getByRole('listitem').nth(0)).toContainText(/Cash.*\$2\.15/)
    await expect(plan.getByRole('listitem').nth(1)).toContainText(
      /Store credit.*only a full redemption returns miles.*\$4\.82/,
    )
    await expect(window.getByRole('timer')).toContainText(/\d+ (hr|min)s? .* left/)
  })

  await test.step('one key chooses all items; the miles can then be given back until 03:00', async () => {
    await window.keyboard.press('F3')
    await expect(window.getByRole('button', { name: 'Refund $52.15' })).toBeEnabled()
    await expect(plan.getByRole('listitem').nth(1)).toContainText(
      /Miles.*Full redemption: miles return to the member.*\$50\.00/,
    )
    await expect(window.getByText(/475 miles return to the member, possible until .*0?3:00/)).toBeVisible()
    await expect(window.getByText(/\d+ miles earned on these items will be deducted/)).toBeVisible()
  })

  await test.step('the return needs a reason, then a supervisor’s PIN; a wrong PIN is reported', async () => {
    await window.keyboard.press('F9')
    await expect(window.getByText('Choose a reason.')).toBeVisible()
    await expect(window.getByRole('radio').first()).toBeFocused()
    await window.getByText('Damaged').click()
    await window.keyboard.press('F9')
    const dialog = window.getByRole('dialog', { name: 'Supervisor approval required' })
    await dialog.getByRole('button', { name: MANAGER.name }).click()
    await window.keyboard.type('0000')
    await window.keyboard.press('Enter')
    await expect(dialog.getByRole('alert')).toHaveText('Wrong PIN. Try again.')
    await window.keyboard.type(MANAGER.pin)
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: 'Return complete' })).toBeVisible()
  })

  await test.step('after the return the screen lists the refunds that the cashier gives', async () => {
    const todo = window.getByRole('list', { name: 'Next steps' })
    await expect(todo).toContainText('Give $2.15 cash')
    await expect(todo).toContainText('Miles worth $50.00 return to the member')
    await expect(todo.getByText('Accepted by the printer').or(todo.getByText('Printed'))).toBeVisible()
  })

  await test.step('the printed return, the drawer and the services’ account show the same refund', async () => {
    const paper = (await printer.printed(2))[1] ?? ''
    slip = idOn(paper)
    expect(paper).toContain(`Items from sale ${sale}`)
    expect(paper).toContain('Reason: Damaged')
    expect(paper).toMatch(/Cash refund\s+\$2\.15/)
    expect(printer.bytes().split('\x1bp').length - 1).toBe(2)
    await central.reached(PATHS.reverse, 1, 'processed')
    await central.reached(PATHS.return, 1, 'processed')
    await expect(window.getByRole('button', { name: 'Queue All sent' })).toBeVisible()
    const after = await central.account(COLLECTORS.fine)
    expect(after.balances.cash + after.balances.dream).toBe(before.balances.cash + before.balances.dream)
  })

  await test.step('the return screen offers no item of a sale whose items were all returned', async () => {
    await expect(window.getByRole('button', { name: 'Done: next customer' })).toBeFocused()
    await window.keyboard.press('Enter')
    await ready(window)
    await scanner.send(`]C0${sale}\r`)
    await expect(window.getByRole('grid', { name: 'Sales history' }).getByRole('row')).toHaveCount(1)
    await expect(window.getByRole('row', { name: sale })).toBeVisible()
    await window.keyboard.press('Shift+F10')
    await expect(window.getByText('All items from this sale were already returned.')).toBeVisible()
    await expect(window.getByRole('button', { name: /^Refund/ })).toBeDisabled()
  })

  await test.step('the paper of a return adds no goods when it is scanned on the return screen', async () => {
    await window.keyboard.press('F2')
    await expect(window.getByRole('textbox', { name: 'Sale number' })).toBeVisible()
    await scanner.send(`]C0${slip}\r`)
    const notice = window
      .getByRole('alert')
      .or(window.getByRole('status'))
      .filter({ hasText: `Slip of return ${slip}: not a sales receipt` })
    await expect(notice).toContainText(`Its items are from sale ${sale}.`)
    await notice.getByRole('button', { name: 'Open original sale' }).click()
    await expect(window.getByText('All items from this sale were already returned.')).toBeVisible()
  })

  await test.step('a scan of a return’s paper between customers shows it, and Enter prints a copy', async () => {
    await window.keyboard.press('F1')
    await ready(window)
    await scanner.send(`]C0${slip}\r`)
    const dialog = window.getByRole('dialog', { name: `Return ${slip}` })
    await expect(dialog.getByRole('article')).toContainText(`Items from sale ${sale}`)
    await expect(dialog.getByRole('article')).toContainText('Apples, Gala')
    await expect(dialog.getByRole('article')).toContainText(/Cash refund\s*\$2\.15/)
    await expect(dialog.getByRole('button', { name: 'Print receipt' })).toBeFocused()
    await window.keyboard.press('Enter')
    expect((await printer.printed(3))[2]).toContain('COPY')
  })

  await test.step('the sales history marks the return, and F11 prints the return there too', async () => {
    await window.getByRole('textbox', { name: 'Sale number' }).fill('')
    const rows = window.getByRole('grid', { name: 'Sales history' }).getByRole('row')
    await expect(rows).toHaveCount(2)
    await expect(rows.first()).toContainText(new RegExp(`${slip}.*Return.*of sale ${sale}.*Cash.*Miles.*52\\.17`))
    await rows.first().click()
    // A return cannot be returned, so its goods are shown without the button for a return.
    await expect(window.getByRole('button', { name: /^Return items from this sale/ })).toHaveCount(0)
    await window.keyboard.press('F11')
    expect((await printer.printed(4))[3]).toContain(slip)
  })
})

async function scanUnrecorded(window: Page, { scanner }: Pick<Store, 'scanner'>): Promise<void> {
  await window.keyboard.press('Shift+F10')
  await expect(window.getByRole('heading', { name: 'Return items' })).toBeVisible()
  // Wait until the lane sends scans to this screen; they then ring no items.
  const captured = window.waitForResponse((response) => response.url().endsWith('/input/claims'))
  await window.keyboard.press('F4')
  await expect(window.getByRole('heading', { name: 'Return without a receipt' })).toBeVisible()
  await captured
  await scanner.send(ean13(ITEMS.detergent.code))
  await scanner.send(ean13(ITEMS.detergent.code))
  await expect(
    window.getByRole('list', { name: 'Items without a receipt' }).getByRole('status', { name: /Laundry detergent/ }),
  ).toHaveText('2')
  await expect(window.getByRole('status', { name: 'Refund', exact: true })).toHaveText('$45.18')
}

async function approve(window: Page): Promise<void> {
  const dialog = window.getByRole('dialog', { name: 'Supervisor approval required' })
  await dialog.getByRole('button', { name: MANAGER.name }).click()
  await window.keyboard.type(MANAGER.pin)
  await window.keyboard.press('Enter')
}

test('goods are returned without a receipt: scans ring nothing, a manager approves, store credit is issued', async ({
  window,
  store,
}) => {
  const { scanner, printer } = store
  await signIn(window, CASHIER)
  await ready(window)
  await scanUnrecorded(window, store)
  await window.keyboard.press('F9')
  await expect(window.getByText('Enter a reason.')).toBeVisible()
  await window.getByRole('textbox', { name: 'Reason for return without receipt' }).fill('gift, receipt lost')
  await window.keyboard.press('F9')
  await approve(window)
  await expect(window.getByRole('list', { name: 'Next steps' })).toContainText('Give the store credit of $45.18')
  const documents = (await printer.printed(2)).join()
  expect(documents).toContain('Reason: gift, receipt lost')
  expect(documents).toContain('STORE CREDIT')
  const { sale } = await readAs<{ sale: unknown }>(window, '/api/sales/current')
  expect(sale).toBeNull()
  await expect(window.getByRole('button', { name: 'Done: next customer' })).toBeFocused()
  await window.keyboard.press('Enter')
  await ready(window)
  await scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('row', { name: /Apples, Gala/ })).toBeVisible()
})

test('a return without a receipt is made once, although its answer was lost and the window retried', async ({
  window,
  store,
}) => {
  await signIn(window, CASHIER)
  await ready(window)
  await scanUnrecorded(window, store)
  await window.getByRole('textbox', { name: 'Reason for return without receipt' }).fill('gift')
  await window.keyboard.press('F9')
  await window.route(
    '**/api/returns/without-record',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 2 },
  )
  await approve(window)
  await expect(window.getByRole('list', { name: 'Next steps' })).toContainText('Give the store credit of $45.18')
  const documents = await store.printer.printed(2)
  expect(documents.filter((paper) => paper.includes('STORE CREDIT'))).toHaveLength(1)
  const { sales } = await readAs<{ sales: unknown[] }>(window, '/api/sales/earlier')
  expect(sales).toHaveLength(1)
})

test('the screen explains why discounted goods are refunded at less than their price', async ({ window, store }) => {
  const { scanner } = store
  await signIn(window, CASHIER)
  await ready(window)
  await scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByRole('row', { name: /Laundry detergent/ })).toBeVisible()
  await window.keyboard.press('Control+d')
  await window.keyboard.type('10')
  await window.getByRole('radio', { name: 'promotion' }).press('Space')
  await window.getByRole('button', { name: 'Take off 10%' }).press('Enter')
  await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$20.33')
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  const sale = await shownId(window)
  await expect(window.getByRole('button', { name: 'Next customer' })).toBeFocused()
  await window.keyboard.press('Enter')
  await window.keyboard.press('Shift+F10')
  await expect(window.getByRole('heading', { name: 'Return items' })).toBeVisible()
  await window.keyboard.type(sale.slice(-4), { delay: PERSON_KEY_GAP_MS })
  await window.keyboard.press('Enter')
  const line = window.getByRole('row', { name: /Laundry detergent/ })
  await expect(line).toContainText('$19.99 less $2.00: Discount 10% (promotion). Worth $17.99 before tax.')
  await window.keyboard.press('F3')
  await expect(window.getByRole('status', { name: 'Refund', exact: true })).toHaveText('$20.35')
})
