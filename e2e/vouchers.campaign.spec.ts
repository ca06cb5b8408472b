import { PERSON_KEY_GAP_MS } from './keys.ts'
import type { Page } from '@playwright/test'
import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2, type Store } from './store.ts'

const ready = (window: Page): Promise<void> =>
  expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
const next = async (window: Page): Promise<void> => {
  await expect(window.getByRole('button', { name: 'Next customer' })).toBeFocused()
  await window.keyboard.press('Enter')
  await ready(window)
}
async function printedCode(printer: Store['printer'], nth: number): Promise<string> {
  const paper = (await printer.printed(nth))[nth - 1] ?? ''
  return /Code\s+([A-Z]{4}(?:-[A-Z]{4,5}){3})/.exec(paper)?.[1] ?? paper
}

test('a gift card is sold, gets its value back when a sale is cancelled, and its code is stored in no file', async ({
  window,
  store,
}) => {
  const { scanner, printer, lane } = store
  await signIn(window, CASHIER)
  await ready(window)

  await test.step('the cashier sells a gift card for $20.00 without tax', async () => {
    await window.keyboard.press('Control+g')
    await window.keyboard.type('2000')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('row', { name: /Gift card, 1 at \$20\.00/ })).toBeVisible()
    await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$20.00')
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  })
  const code = await printedCode(printer, 2)
  expect(code).toMatch(/^(?:[A-Z]{4}-){3}[A-Z]{5}$/)
  const last4 = code.slice(-4)
  await next(window)

  await test.step('a gift card’s code typed as printed pays a portion of a sale, and cash the rest', async () => {
    await scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('row', { name: /Laundry detergent/ })).toBeVisible()
    await window.keyboard.press('Shift+F7')
    await window.keyboard.type('abcd-efgh', { delay: PERSON_KEY_GAP_MS })
    await window.keyboard.press('Enter')
    await expect(
      window.getByText('This store credit or gift card code is not valid.', { exact: false }).first(),
    ).toBeVisible()
    await window.getByRole('textbox', { name: 'Code' }).fill(code.toLowerCase())
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: `Gift card •••• ${last4}` })).toBeVisible()
    const amount = window.getByRole('spinbutton', { name: 'Amount to use' })
    await expect(amount).toHaveAttribute('aria-valuetext', '$20.00')
    // The amount is typed from the right like every amount; the first digit replaces the proposed amount.
    await window.keyboard.type('2100')
    await expect(window.getByRole('alert')).toHaveText('Enter an amount from $0.01 to $20.00.')
    await window.keyboard.press('Enter')
    for (let digit = 0; digit < 4; digit += 1) await window.keyboard.press('Backspace')
    await window.keyboard.type('1500')
    await expect(amount).toHaveAttribute('aria-valuetext', '$15.00')
    await window.keyboard.press('Enter')
    await expect(window.getByText(`•••• ${last4}, $5.00 left`)).toBeVisible()
    await expect(window.getByRole('status', { name: 'Due' })).toHaveText('$7.59')
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    const receipt = (await printer.printed(3))[2] ?? ''
    expect(receipt).toMatch(new RegExp(`Gift card .... ${last4}\\s+\\$15\\.00`))
    expect(receipt).toMatch(/Remaining\s+\$5\.00/)
    await next(window)
  })

  await test.step('a gift card scanned between customers shows its balance; scanned in a sale it pays', async () => {
    await scanner.send(`]C0${code.replaceAll('-', '')}\r`)
    await expect(window.getByText(`Gift card •••• ${last4}: $5.00 remaining.`).first()).toBeVisible()
    await scanner.send(ean13(ITEMS.apples.code))
    await expect(window.getByRole('row', { name: /Apples/ })).toBeVisible()
    await scanner.send(`]C0${code.replaceAll('-', '')}\r`)
    await window.getByRole('button', { name: 'Use $5.00' }).click()
    await expect(window.getByRole('status', { name: 'Due' })).toHaveText('$1.99')
    await window.keyboard.press('Shift+Delete')
    await window.getByRole('alertdialog').getByRole('button', { name: 'Cancel sale' }).click()
    await expect(window.getByText(`$5.00 returned to gift card •••• ${last4}`).first()).toBeVisible()
    await next(window)
    await scanner.send(`]C0${code.replaceAll('-', '')}\r`)
    await expect(window.getByText(`Gift card •••• ${last4}: $5.00 remaining.`).first()).toBeVisible()
  })

  expect(await lane.diskHolds(code), 'neither in the database nor in a log').toBe(false)
  expect(await lane.diskHolds(code.replaceAll('-', ''))).toBe(false)
})

test('in an exchange the returned goods pay the open sale, and cash pays the difference', async ({ window, store }) => {
  const { scanner, printer } = store
  await signIn(window, CASHIER)
  await ready(window)
  await scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('row', { name: /Apples/ })).toBeVisible()
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  const sale = (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''
  await next(window)

  await scanner.send(ean13(ITEMS.detergent.code))
  await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$22.59')
  await window.keyboard.press('Shift+F10')
  await expect(window.getByRole('heading', { name: 'Return items' })).toBeVisible()
  await scanner.send(`]C0${sale}\r`)
  await expect(window.getByRole('row', { name: /Apples.*returning 0 of 1/ })).toBeVisible()
  await window.keyboard.press('F3')
  await expect(window.getByRole('list', { name: 'Refund' })).toContainText(/Cash.*\$7\.00/)
  await window.keyboard.press('F8')
  await expect(window.getByText('$6.99 applied to the open sale. $15.60 still due.')).toBeVisible()
  await expect(window.getByRole('list', { name: 'Refund' })).toContainText(
    /Store credit.*Applied to the open sale.*\$6\.99/,
  )
  await window.getByText('Wrong item').click()
  await window.keyboard.press('F9')
  await expect(window.getByRole('list', { name: 'Next steps' })).toContainText(
    '$6.99 applied to the open sale: $15.60 still due',
  )
  await expect(window.getByRole('button', { name: 'Back to sale' })).toBeFocused()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('status', { name: 'Due' })).toHaveText('$15.60')
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  // The printer has one receipt of each: the first sale, the return and the second sale. The store credit of the
  // exchange is used up, so it has no document.
  const documents = await printer.printed(3)
  expect(documents).toHaveLength(3)
  expect(documents[1]).toContain('RETURN')
  expect(documents[2]).toMatch(/Store credit .... [A-Z]{4}\s+\$6\.99/)
  expect(documents[2]).toMatch(/Cash\s+\$15\.60/)
})

test('a gift receipt shows no price, and the goods can be returned with it', async ({ window, store }) => {
  const { scanner, printer } = store
  await signIn(window, CASHIER)
  await ready(window)
  await scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('row', { name: /Apples/ })).toBeVisible()
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  await window.getByRole('button', { name: 'Print gift receipt' }).click()
  const [receipt = '', gift = ''] = await printer.printed(2)
  expect(gift).toContain('GIFT RECEIPT')
  expect(gift).toContain('Apples, Gala')
  expect(gift).not.toMatch(/\d\.\d\d|TOTAL|COPY/)
  const id = /N1010100000001[A-Z0-9]{4}/.exec(gift)?.[0] ?? 'no barcode'
  expect(receipt).toContain(id)
  await next(window)
  await scanner.send(`]C0${id}\r`)
  await expect(window.getByRole('grid', { name: 'Sales history' }).getByRole('row')).toContainText(id)
  await window.keyboard.press('Shift+F9')
  expect((await printer.printed(3))[2]).toContain('GIFT RECEIPT')
  await window.keyboard.press('Shift+F10')
  await expect(window.getByRole('row', { name: /Apples.*returning 0 of 1/ })).toBeVisible()
})

/** A well-formed voucher code that no lane of this store has issued. */
const FOREIGN = 'FTAPKTARDNBQPFFMHHRJ'

test('a gift card cannot be returned or paid with miles, and an unknown code is rejected', async ({
  window,
  store,
}) => {
  const { scanner, reader } = store
  await signIn(window, CASHIER)
  await ready(window)

  await test.step('miles pay only for goods other than gift cards; the redeem panel explains this', async () => {
    await window.keyboard.press('Control+g')
    await window.keyboard.type('5000')
    await window.keyboard.press('Enter')
    await reader.send(track2(COLLECTORS.fine))
    await expect(window.getByText('Miles cannot pay for gift cards or deposits.', { exact: true })).toBeVisible()
    await scanner.send(ean13(ITEMS.detergent.code))
    await scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('button', { name: 'Redeem $40.00' })).toBeVisible()
    await window.keyboard.press('Shift+F4')
    await expect(window.getByText('Maximum without gift cards and deposits: $40.00.')).toBeVisible()
    await window.keyboard.press('Escape')
    await window.getByRole('row', { name: /Laundry detergent/ }).click()
    await window.keyboard.press('Delete')
    await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$50.00')
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  })
  const sale = (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''

  await test.step('the screen explains that a gift card has no gift receipt and cannot be returned', async () => {
    await window.getByRole('button', { name: 'Print gift receipt' }).click()
    await expect(
      window.getByText('No item can be returned: there is no gift receipt.', { exact: false }).first(),
    ).toBeVisible()
    await next(window)
    await window.keyboard.press('Shift+F10')
    await expect(window.getByRole('heading', { name: 'Return items' })).toBeVisible()
    await scanner.send(`]C0${sale}\r`)
    await expect(window.getByRole('row', { name: /Gift card/ })).toContainText('gift cards cannot be returned')
    await expect(window.getByText('Nothing left to return.', { exact: false })).toBeVisible()
    await window.keyboard.press('F1')
  })

  await test.step('a voucher code that the lane does not know is rejected, both scanned and typed', async () => {
    await scanner.send(ean13(ITEMS.apples.code))
    await expect(window.getByRole('row', { name: /Apples/ })).toBeVisible()
    await scanner.send(`]C0${FOREIGN}\r`)
    await expect(
      window
        .getByText(`Unknown code •••• ${FOREIGN.slice(-4)}; nothing charged.`, {
          exact: false,
        })
        .first(),
    ).toBeVisible()
    await window.keyboard.press('Shift+F7')
    await window.getByRole('textbox', { name: 'Code' }).fill(FOREIGN)
    await window.keyboard.press('Enter')
    await expect(
      window.getByText('Use it at the lane printed on it, or take another payment.', { exact: false }).first(),
    ).toBeVisible()
    await expect(
      window.getByRole('status', { name: 'Due' }).or(window.getByRole('status', { name: 'Total' })),
    ).toHaveText('$6.99')
  })
})
