import type { Page } from '@playwright/test'
import { CASHIER, GERANTE, MANAGER } from './lane.ts'
import { openPaperPrinter } from './paper.ts'
import { lockPin, signIn, signInAgain } from './sign-in.ts'
import { ean13, expect, ITEMS, test, type Store } from './store.ts'
import { reloadByLink } from './windows.ts'
import { openStorePage } from './store-page.ts'

async function sellApples(window: Page, { scanner }: Pick<Store, 'scanner'>): Promise<string> {
  await scanner.send(ean13(ITEMS.apples.code))
  await expect(window.getByRole('row', { name: /Apples, Gala/ })).toBeVisible()
  await window.keyboard.press('F9')
  await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
  const id = (await window.getByRole('article').getByRole('figure').textContent())?.trim() ?? ''
  expect(id).toMatch(/^[A-Z0-9]{18}$/)
  await expect(window.getByRole('region', { name: 'Receipt', exact: true })).toContainText('Not printed')
  await expect(window.getByRole('button', { name: 'Next customer' })).toBeFocused()
  await window.keyboard.press('Enter')
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  return id
}

test('a cashier finds and prints both receipts after the printer was unplugged for two sales and a restart', async ({
  window,
  store,
}) => {
  const { lane, printer, scanner } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await printer.close()
  const [first, second] = [await sellApples(window, store), await sellApples(window, store)]
  await lane.kill()
  await expect(window.getByText('Connection lost. Reconnecting…')).toBeVisible()
  await lane.restart()
  await signInAgain(window, CASHIER)
  const back = await openPaperPrinter(printer.port)
  // After the restart the status bar still lists both unprinted receipts and leads to them.
  await expect(window.getByRole('button', { name: 'Printer 2 not printed' })).toBeVisible({ timeout: 30_000 })
  await window.getByRole('button', { name: 'Printer 2 not printed' }).click()
  await window.getByRole('button', { name: 'Show receipts' }).click()

  const list = window.getByRole('grid', { name: 'Sales history' })
  await expect(list.getByRole('row')).toHaveCount(2)
  await expect(list.getByRole('row').nth(0)).toContainText(second)
  await expect(list.getByRole('row').nth(0)).toContainText('Not printed')
  await expect(window.getByRole('button', { name: 'Print receipt' })).toContainText('As original')
  await window.keyboard.press('F11')
  await expect(list.getByRole('row')).toHaveCount(1)
  await expect(list.getByRole('row')).toContainText(first)
  await expect(window.getByRole('button', { name: 'Printer 1 not printed' })).toBeVisible()
  await window.getByRole('button', { name: 'Print receipt' }).click()
  await expect(window.getByRole('heading', { name: 'All receipts printed' })).toBeVisible()
  await expect(window.getByRole('button', { name: 'Printer Ready' })).toBeVisible()
  const documents = await back.printed(2)
  for (const [index, id] of [second, first].entries()) {
    expect(documents[index]).toContain(id)
    expect(documents[index]).toMatch(/TOTAL\s+\$6\.99/)
    // The paper is an original and not a copy, because the receipt was not printed before.
    expect(documents[index]).not.toMatch(/COPY/)
  }
  // Neither sale had reached the printer: each original opens the drawer once (decision 0027).
  expect(back.bytes().split('\x1bp')).toHaveLength(3)

  await test.step('a second print is a copy; a scan of the first receipt finds the sale', async () => {
    await scanner.send(`]C0${first}\r`)
    await expect(list.getByRole('row')).toHaveCount(1)
    await expect(list.getByRole('row')).toContainText('Printed')
    await expect(window.getByRole('button', { name: 'Print receipt' })).toContainText('Marked as a copy')
    await window.keyboard.press('F11')
    const copy = (await back.printed(3))[2]
    expect(copy).toContain(first)
    expect(copy).toMatch(/COPY 1/)
    expect(back.bytes().split('\x1bp'), 'a copy opens no drawer').toHaveLength(3)
  })

  await test.step('the last characters of a sale’s number find the sale', async () => {
    await window.getByRole('textbox', { name: 'Sale number' }).fill(second.slice(-4).toLowerCase())
    await expect(list.getByRole('row').filter({ hasText: second })).toBeVisible()
    await window.getByRole('textbox', { name: 'Sale number' }).fill('ZZ0')
    await expect(window.getByText('Enter at least four characters.')).toBeVisible()
  })

  await test.step('F11 prints the receipt of the last sale after a reload', async () => {
    await reloadByLink(window, lane)
    await signIn(window, CASHIER)
    await expect(window.getByRole('button', { name: 'Reprint last receipt' })).toBeVisible()
    await window.keyboard.press('F11')
    const last = (await back.printed(4))[3]
    expect(last).toContain(second)
    expect(last).toMatch(/COPY 1/)
  })
  await back.close()
})

test('a manager unlocks a cashier’s PIN at once', async ({ window }) => {
  await lockPin(window, CASHIER)
  await signIn(window, MANAGER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await window.keyboard.press('Shift+F1')
  await openStorePage(window, 'Setup', 'Staff')
  const row = window.getByRole('row', { name: new RegExp(CASHIER.name) })
  await expect(row).toContainText(/Locked until \d\d:\d\d/)
  await expect(window.getByRole('row', { name: new RegExp(GERANTE.name) })).toContainText('Can sign in')
  await window.getByRole('button', { name: `Unlock ${CASHIER.name}` }).click()
  await expect(row).toContainText('Can sign in')
  await window.keyboard.press('Shift+F12')
  await signInAgain(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
})
