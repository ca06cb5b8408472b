import { PERSON_KEY_GAP_MS } from './keys.ts'
import { CAISSIERE, CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { ean13, expect, ITEMS, test } from './store.ts'

/** Layout of the store's own labels: an item number of four digits, then a price of five. */
test.use({ more: { labels: [{ layout: '020IIIIPPPPPC' }] } })

test('the search finds an item by its name in either language, its SKU or a part of its barcode', async ({
  window,
}) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const search = window.getByRole('searchbox', { name: 'Search items' })
  const found = window.getByRole('listbox', { name: 'Items found' }).getByRole('option')

  for (const [typed, name] of [
    ['maple', 'Maple syrup 540 mL'],
    ['erable', 'Maple syrup 540 mL'],
    ['1034', 'Bouquet of flowers'],
    ['106449', 'Cat litter 14 kg'],
  ] as const) {
    await test.step(`“${typed}” finds ${name}, and Enter rings it`, async () => {
      await window.keyboard.press('F2')
      await window.keyboard.type(typed, { delay: PERSON_KEY_GAP_MS })
      await expect(found.filter({ hasText: name })).toBeVisible()
      // While the list still shows the results of fewer letters, Enter does not ring: it asks which item, and the next
      // Enter rings it.
      await expect(async () => {
        await window.keyboard.press('Enter')
        await expect(search).toHaveValue('', { timeout: 3_000 })
      }).toPass()
      await expect(window.getByRole('row', { name: new RegExp(`^${name}, `) }).first()).toBeVisible()
    })
  }
  await expect(window.getByRole('row', { name: /^Maple syrup 540 mL, 2 at \$11\.99/ })).toBeVisible()

  await test.step('the search reports an unknown item and rings nothing', async () => {
    await window.keyboard.press('F2')
    await window.keyboard.type('zeppelin', { delay: PERSON_KEY_GAP_MS })
    await expect(window.getByText('No results for “zeppelin”.')).toBeVisible()
    await window.keyboard.press('Enter')
    await window.keyboard.press('Escape')
    await expect(window.getByRole('status', { name: 'Total' })).toContainText('$')
    await expect(window.getByRole('row', { name: / at \$/ })).toHaveCount(3)
  })
})

test('the search finds an item by its French name', async ({ window }) => {
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
  await window.keyboard.press('F2')
  await window.keyboard.type('oeufs', { delay: PERSON_KEY_GAP_MS })
  await expect(window.getByRole('option', { name: /Gros œufs, douzaine/ })).toBeVisible()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('row', { name: /^Gros œufs, douzaine, 1 à/ })).toBeVisible()
})

test('a price label rings its own price; an item with an open price asks for a price', async ({ window, store }) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()

  await test.step('a scanned deli label rings item 1035 at the label’s price of $12.50', async () => {
    await store.scanner.send(ean13('0201035012505'))
    await expect(window.getByRole('row', { name: 'Rotisserie chicken, 1 at $12.50, $12.50' })).toBeVisible()
  })

  await test.step('a label of which one digit was misread rings nothing', async () => {
    await store.scanner.send(ean13('0201035012515'))
    await expect(window.getByText(/unreadable|not found/)).toBeVisible()
    await expect(window.getByRole('row', { name: / at \$/ })).toHaveCount(1)
  })

  await test.step('an item with an open price asks for a price and rejects one outside its range', async () => {
    await store.scanner.send(ean13('0628451107118'))
    const dialog = window.getByRole('dialog', { name: /Cut flowers/ })
    await expect(dialog).toBeVisible()
    await window.keyboard.type('50000', { delay: PERSON_KEY_GAP_MS })
    await window.keyboard.press('Enter')
    await expect(dialog.getByText(/from \$1\.00 to \$200\.00/i).first()).toBeVisible()
    for (let key = 0; key < 5; key += 1) await window.keyboard.press('Backspace')
    await window.keyboard.type('1875', { delay: PERSON_KEY_GAP_MS })
    await window.keyboard.press('Enter')
    await expect(window.getByRole('row', { name: 'Cut flowers, 1 at $18.75, $18.75' })).toBeVisible()
  })
})

test('the keyboard changes a quantity, voids a line and undoes the void', async ({ window, store }) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const total = window.getByRole('status', { name: 'Total' })
  await store.scanner.send(ean13(ITEMS.apples.code))
  await expect(total).toHaveText('$6.99')
  await window.keyboard.press('F3')
  await window.keyboard.type('12', { delay: PERSON_KEY_GAP_MS })
  await window.keyboard.press('Enter')
  await expect(total).toHaveText('$83.88')
  await window.keyboard.press('+')
  await expect(total).toHaveText('$90.87')
  await window.keyboard.press('-')
  await expect(total).toHaveText('$83.88')
  await window.keyboard.press('Delete')
  await expect(window.getByRole('row', { name: 'Apples, Gala (bag), void' })).toBeVisible()
  await expect(total).toHaveText('$0.00')
  await window.keyboard.press('Control+z')
  await expect(window.getByRole('row', { name: 'Apples, Gala (bag), 12 at $6.99, $83.88' })).toBeVisible()
  await expect(total).toHaveText('$83.88')
})
