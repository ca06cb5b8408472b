import type { Page } from '@playwright/test'
import { CASHIER } from './lane.ts'
import { signIn, signInAgain } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'
import { readAs, reloadByLink } from './windows.ts'
import { openStorePage } from './store-page.ts'

/** Every note that the window plays from now on, by its pitch. */
async function listen(window: Page): Promise<{ received(): Promise<number[]>; forget(): Promise<void> }> {
  await window.evaluate(`(() => {
    globalThis.notes = []
    const { start } = OscillatorNode.prototype
    OscillatorNode.prototype.start = function (when) {
      globalThis.notes.push(Math.round(this.frequency.value))
      start.call(this, when)
    }
  })()`)
  return {
    received: () => window.evaluate<number[]>('globalThis.notes.slice()'),
    forget: () => window.evaluate<undefined>('globalThis.notes.length = 0, undefined'),
  }
}

test('a cashier hears what became of a scan, a card and a redemption, as loud as the lane was set', async ({
  window,
  store,
}) => {
  const { scanner, reader, lane } = store
  // Until the lane has told its volume nothing sounds.
  const told = window.waitForResponse(/\/api\/sounds$/)
  await signIn(window, CASHIER)
  await told
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  let ear = await listen(window)

  await test.step('an item, a code that is none, a card: each sounds different', async () => {
    await scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('row', { name: /Laundry detergent/ })).toBeVisible()
    await expect.poll(ear.received).toEqual([1760])
    await ear.forget()
    await scanner.send(ean13('0999999999993'))
    await expect(window.getByText(/not found/)).toBeVisible()
    await expect.poll(ear.received).toEqual([392, 392])
    await ear.forget()
    await reader.send(track2(COLLECTORS.fine))
    await expect(window.getByRole('button', { name: 'Redeem $20.00' })).toBeVisible()
    await expect.poll(ear.received).toEqual([880, 1319])
  })

  await test.step('approved miles rise', async () => {
    await ear.forget()
    await window.keyboard.press('F4')
    await expect(window.getByRole('region', { name: 'Redeem miles' })).toContainText('$20.00 paid with miles')
    await expect.poll(ear.received).toEqual([784, 988, 1319])
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    await window.keyboard.press('Enter')
  })

  await test.step('off is off, through a restart, and the screen goes on saying it', async () => {
    await window.getByRole('button', { name: 'Cashier Alex Tremblay' }).click()
    for (let step = 6; step > 0; step -= 1) await window.getByRole('button', { name: 'Quieter' }).click()
    await expect(window.getByRole('group', { name: 'Volume' })).toContainText('Off')
    await window.keyboard.press('Escape')
    // The screen says it at once; the kill is to come when the lane has it.
    await expect.poll(async () => (await readAs<{ volume: number }>(window, '/api/sounds')).volume).toBe(0)
    await lane.kill()
    await expect(window.getByText('Connection lost. Reconnecting…')).toBeVisible()
    await lane.restart()
    await signInAgain(window, CASHIER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    await expect(window.getByText('Connection lost. Reconnecting…')).toHaveCount(0)
    await reloadByLink(window, lane)
    await signIn(window, CASHIER)
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    ear = await listen(window)
    await scanner.send(ean13('0999999999993'))
    await expect(window.getByText(/not found/)).toBeVisible()
    await window.keyboard.press('Shift+F1')
    await openStorePage(window, 'Lane', 'Terminal')
    await expect(window.getByRole('button', { name: 'Miles approved' })).toBeDisabled()
    expect(await ear.received()).toEqual([])
    await window.getByRole('button', { name: 'Louder' }).click()
    await window.getByRole('button', { name: 'Miles approved' }).click()
    await expect.poll(ear.received).toEqual([1760, 784, 988, 1319])
  })
})
