import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { expect, test } from './store.ts'

test('each entry of the status bar explains what it means and what to do', async ({ window }) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const bar = window.getByRole('banner', { name: 'Terminal status' })
  const EXPLAINED = [
    [/^Northstar Front Street Lane 01/, 'Lane 01 of Northstar Front Street.'],
    [/^Miles /, 'Miles service online'],
    [/^Queue /, 'All miles transactions complete.'],
    [/^Reader Ready/, 'Swipe a member card at any time.'],
    [/^Scanner Ready/, 'Scan items or the member barcode at any time.'],
    [/^Printer Ready/, 'Receipts print automatically when a sale is paid.'],
    [/^Drawer No sensor/, 'close it after each sale'],
    [/^Cashier Alex Tremblay/, 'Change cashier'],
    [/^Time \d\d:\d\d/, 'Clock is correct.'],
  ] as const
  for (const [name, text] of EXPLAINED) {
    await bar.getByRole('button', { name }).click()
    await expect(window.getByRole('dialog')).toContainText(text)
    await window.keyboard.press('Escape')
    await expect(window.getByRole('dialog')).toHaveCount(0)
  }
})
