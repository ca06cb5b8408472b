import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'

test('the estimate shows which items earn miles, and the screen explains why a closed account earns none', async ({
  window,
  store,
}) => {
  const { scanner, reader } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()

  await test.step('the estimate lists offers with their miles and items, and its total is their sum', async () => {
    await scanner.send(ean13(ITEMS.detergent.code))
    await window.keyboard.press('F2')
    await window.keyboard.type('coffee beans', { delay: PERSON_KEY_GAP_MS })
    await expect(window.getByRole('option', { name: /Coffee beans/ })).toBeVisible()
    await window.keyboard.press('Enter')
    await expect(window.getByRole('row', { name: /Coffee beans/ })).toBeVisible()
    await reader.send(track2(COLLECTORS.fine))
    await expect(window.getByText('Miles to earn').locator('..')).toContainText(/\d+ miles/)
    await window.keyboard.press('Shift+F6')
    const dialog = window.getByRole('dialog', { name: 'Estimated miles' })
    const coffee = dialog.getByRole('listitem').filter({ hasText: 'Coffee beans 340 g' }).filter({ hasText: '5 miles' })
    await expect(coffee).toContainText('5 bonus miles on coffee beans')
    const total = await dialog.getByText('Miles to earn').locator('..').textContent()
    const each = await dialog
      .getByRole('listitem')
      .getByText(/^\d+ miles?$/)
      .allTextContents()
    const sum = each.reduce((miles, text) => miles + Number.parseInt(text, 10), 0)
    expect(total).toContain(`${sum} miles`)
    await window.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  })

  await test.step('the estimate changes with the language of the screen', async () => {
    await window.getByRole('button', { name: 'Cashier Alex Tremblay' }).click()
    await window.getByRole('button', { name: 'Français' }).click()
    await window.keyboard.press('Escape')
    await window.keyboard.press('Shift+F6')
    const dialog = window.getByRole('dialog', { name: 'Milles estimés' })
    await expect(
      dialog.getByRole('listitem').filter({ hasText: '5 milles en prime sur le café en grains' }),
    ).toContainText('Café en grains 340 g')
    await expect(dialog).not.toContainText('bonus miles')
    await window.keyboard.press('Escape')
    await window.getByRole('button', { name: 'Caissier Alex Tremblay' }).click()
    await window.getByRole('button', { name: 'English' }).click()
    await window.keyboard.press('Escape')
  })

  await test.step('the screen explains a closed account in a text for the customer', async () => {
    await reader.send(track2(COLLECTORS.closed))
    const collector = window.getByRole('region', { name: 'Member' })
    await expect(collector).toContainText('Account closed: cannot earn or redeem')
    await expect(window.getByText('Miles to earn').locator('..')).toContainText('None')
    await expect(window.getByRole('button', { name: 'Show miles earned' })).toHaveCount(0)
  })
})
