import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CAISSIERE, CASHIER, GERANTE, MANAGER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'

const coupon = (code: string): string => `]C0${code}\r`

test('a cashier changes a sale, and a supervisor approves what the cashier may not do alone', async ({
  window,
  store,
}) => {
  const { scanner, printer } = store
  const total = window.getByRole('status', { name: 'Total' })
  const dialog = window.getByRole('dialog')
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await scanner.send(ean13(ITEMS.apples.code))
  await scanner.send(ean13(ITEMS.detergent.code))
  await expect(total).toHaveText('$29.58')

  await test.step('without an approval the cashier gives ten percent off a line, by keyboard', async () => {
    await window.keyboard.press('Control+d')
    await expect(dialog).toContainText('Discount on Laundry detergent')
    await window.keyboard.type('10')
    await dialog.getByRole('radio', { name: 'promotion' }).press('Space')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('row', { name: /Laundry detergent 2\.95 L, 1 at \$19\.99, \$17\.99/ })).toContainText(
      'Discount 10% (promotion) -$2.00',
    )
    await expect(total).toHaveText('$27.32')
  })

  await test.step('another 25 percent off needs a manager’s PIN, and the cashier stays signed in', async () => {
    await window.getByRole('button', { name: 'Change…' }).click()
    await dialog.getByRole('button', { name: 'Discount on line' }).click()
    await window.keyboard.type('25')
    await dialog.getByRole('radio', { name: 'damaged' }).click({ force: true })
    await dialog.getByRole('button', { name: 'Take off 25%' }).click()
    await expect(dialog).toContainText('Supervisor approval required')
    await expect(total).toHaveText('$27.32')
    await dialog.getByRole('button', { name: MANAGER.name }).click()
    await window.keyboard.type('0000')
    await window.keyboard.press('Enter')
    await expect(dialog).toContainText('Wrong PIN. Try again.')
    await window.keyboard.type(MANAGER.pin)
    await window.keyboard.press('Enter')
    await expect(dialog).toBeHidden()
    await expect(window.getByRole('row', { name: /Laundry detergent/ })).toContainText('Discount 25% (damaged) -$4.50')
    await expect(window.getByRole('button', { name: CASHIER.name })).toBeVisible()
  })

  await test.step('one key undoes a discount, and the notice of a change has a button to undo it', async () => {
    await window.keyboard.press('Control+z')
    await expect(total).toHaveText('$27.32')
    await window.keyboard.press('Control+l')
    await window.keyboard.type('gift wrap', { delay: PERSON_KEY_GAP_MS })
    await window.keyboard.press('Enter')
    await expect(window.getByText('Note: gift wrap')).toBeVisible()
    await window.getByRole('status').filter({ hasText: 'Note saved.' }).getByRole('button', { name: 'Undo' }).click()
    await expect(window.getByText('Note: gift wrap')).toHaveCount(0)
  })

  await test.step('a coupon is accepted once and rejected with a reason when keyed again', async () => {
    await scanner.send(coupon('HOUSE10'))
    await expect(window.getByLabel('Totals')).toContainText('Coupon: Household week')
    await window.keyboard.press('Control+k')
    await window.keyboard.type('house10', { delay: PERSON_KEY_GAP_MS })
    await window.keyboard.press('Enter')
    await expect(window.getByText('This coupon is already applied. It works once per sale.')).toBeVisible()
  })

  await test.step('an item with an open price asks for its price', async () => {
    await window.keyboard.press('F2')
    await window.keyboard.type('cut flowers', { delay: PERSON_KEY_GAP_MS })
    await expect(window.getByRole('option', { name: /Cut flowers/ })).toContainText('Enter price')
    await window.keyboard.press('Enter')
    await expect(dialog).toContainText('Enter price of Cut flowers')
    await window.keyboard.type('2550', { delay: PERSON_KEY_GAP_MS })
    await window.keyboard.press('Enter')
    await expect(window.getByRole('row', { name: /Cut flowers, 1 at \$25\.50/ })).toBeVisible()
  })

  await test.step('an exemption from the provincial tax needs a certificate number and an approval', async () => {
    await window.keyboard.press('Control+i')
    await dialog.getByRole('radio', { name: 'Provincial tax' }).click({ force: true })
    await dialog.getByRole('radio', { name: 'First Nations' }).click({ force: true })
    await dialog.getByRole('textbox', { name: 'Certificate number' }).fill('FN-1234')
    await window.keyboard.press('Enter')
    await dialog.getByRole('button', { name: GERANTE.name }).click()
    await window.keyboard.type(GERANTE.pin)
    await window.keyboard.press('Enter')
    // 6.99 is untaxed; 19.99 less 2.00 less 10 % of 17.99, and 25.50, are taxed at the federal 5 %.
    await expect(total).toHaveText('$50.76')
  })

  await test.step('the receipt shows the changes of the sale, and none that was undone', async () => {
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    const [paper = ''] = await printer.printed(1)
    expect(paper).toMatch(/Discount 10% \(promotion\)\s+-2\.00/)
    expect(paper).toMatch(/Coupon: Household week\s+-1\.80/)
    expect(paper).toMatch(/Subtotal \(\d items\)\s+48\.68/)
    expect(paper).toMatch(/HST 5% \(R\)\s+R\s+2\.08/)
    expect(paper).toMatch(/Provincial tax exempt: First Nations\s+Certificate\s+FN-1234/)
    expect(paper).not.toContain('gift wrap')
    expect(paper).not.toContain('damaged')
  })
})

test('in French, a cashier changes a price with the manager’s approval and undoes the change', async ({
  window,
  store,
}) => {
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
  await store.scanner.send(ean13(ITEMS.detergent.code))
  const row = window.getByRole('grid').getByRole('row', { name: /Détersif/ })
  await expect(row).toBeVisible()
  await window.keyboard.press('Control+p')
  await window.keyboard.type('1500')
  await window.getByRole('radio', { name: 'prix égalé' }).press('Space')
  await window.keyboard.press('Enter')
  await expect(window.getByRole('dialog')).toContainText('Changement de prix.')
  await window.getByRole('button', { name: GERANTE.name }).click()
  await window.keyboard.type(GERANTE.pin)
  await window.keyboard.press('Enter')
  await expect(row).toContainText(/Courant 19,99/)
  await window.keyboard.press('Control+z')
  await expect(row).not.toContainText('Courant')
})
