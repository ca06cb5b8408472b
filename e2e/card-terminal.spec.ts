import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'

// The profile uses the simulated card terminal, with the same driver and TLS as a real one.
test.use({
  profile: { mode: 'training', payments: ['cash', 'card', 'card-terminal'] },
  more: { cardTerminal: { terminalId: 'V400m-123456789', connection: { kind: 'virtual' } } },
})

test('one key pays a sale by card terminal; cancelling another sale refunds its card payment', async ({
  window,
  store,
}) => {
  const { scanner, printer } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()

  await test.step('one key pays the sale by card, and its receipt has the lines that the bank requires', async () => {
    await scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$22.59')
    await window.keyboard.press('F7')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    const receipt = (await printer.printed(1))[0] ?? ''
    expect(receipt).toMatch(/Card\s+\$22\.59/)
    expect(receipt).toMatch(/Authorization\s+\w+/)
    await expect(window.getByRole('button', { name: 'Next customer' })).toBeFocused()
    await window.keyboard.press('Enter')
  })

  await test.step('a card pays a portion of another sale, and cancelling that sale refunds it', async () => {
    await scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('status', { name: 'Total' })).toHaveText('$22.59')
    await window.keyboard.press('Control+F6')
    await window.keyboard.type('1000', { delay: PERSON_KEY_GAP_MS })
    await window.getByRole('button', { name: 'Send $10.00 to card terminal' }).click()
    await expect(window.getByRole('status', { name: 'Due' })).toHaveText('$12.59')
    await window.keyboard.press('Shift+Delete')
    await window.getByRole('alertdialog').getByRole('button', { name: 'Cancel sale' }).click()
    await expect(window.getByText('$10.00 goes back to the card').first()).toBeVisible()
  })
})
