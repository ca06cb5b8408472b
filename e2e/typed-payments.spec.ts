import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'

test('an item scanned while a payment is typed changes no typed text and is not covered by the payment', async ({
  window,
  store,
}) => {
  const { scanner } = store
  const total = window.getByRole('status', { name: 'Total' })
  const due = window.getByRole('status', { name: 'Due' })
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await scanner.send(ean13(ITEMS.apples.code))
  await expect(total).toHaveText('$6.99')

  await test.step('a scan does not change the typed code of a gift card', async () => {
    await window.keyboard.press('Shift+F7')
    await window.keyboard.type('GHRT', { delay: PERSON_KEY_GAP_MS })
    await scanner.send(ean13(ITEMS.apples.code))
    await expect(total).toHaveText('$13.98')
    await window.keyboard.type('NKFC', { delay: PERSON_KEY_GAP_MS })
    await expect(window.getByRole('textbox', { name: 'Code' })).toHaveValue('GHRTNKFC')
    await window.keyboard.press('Escape')
  })

  await test.step('a scan does not change the typed cash amount, which pays a portion of the new total', async () => {
    await window.keyboard.press('F6')
    await window.keyboard.type('10', { delay: PERSON_KEY_GAP_MS })
    await scanner.send(ean13(ITEMS.apples.code))
    await expect(total).toHaveText('$20.97')
    await window.keyboard.type('00', { delay: PERSON_KEY_GAP_MS })
    await window.keyboard.press('Enter')
    await expect(due).toHaveText('$10.97')
  })

  await test.step('a typed slip number applies to the amount that was due when its first digit was typed', async () => {
    await window.keyboard.press('F7')
    // The reference field gets the focus once the answer to the cash payment arrives.
    await expect(window.getByRole('textbox', { name: 'Reference' })).toBeFocused()
    await window.keyboard.type('12', { delay: PERSON_KEY_GAP_MS })
    await scanner.send(ean13(ITEMS.apples.code))
    await expect(due).toHaveText('$17.96')
    await window.keyboard.type('34', { delay: PERSON_KEY_GAP_MS })
    await expect(window.getByRole('textbox', { name: 'Reference' })).toHaveValue('1234')
    await window.keyboard.press('Enter')
    await expect(due).toHaveText('$6.99')
    await expect(window.getByRole('list', { name: 'Payments taken' })).toContainText('1234')
  })
})
