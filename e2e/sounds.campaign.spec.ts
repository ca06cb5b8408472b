import type { Page } from '@playwright/test'
import { CASHIER } from './lane.ts'
import { signIn, signInAgain } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'
import { readAs, reloadByLink } from './windows.ts'
import { openStorePage } from './store-page.ts'

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

test('a scan, a card and a redemption have sounds of their own; sound that is off stays off after a restart', async ({
  window,
  store,
}) => {
  const { scanner, reader, lane } = store
  // The window plays no sound until it has loaded the lane's volume.
  const volumeLoaded = window.waitForResponse(/\/api\/sounds$/)
  await signIn(window, CASHIER)
  await volumeLoaded
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  let ear = await listen(window)

  await test.step('a rung item, an unknown code and a card each have their own sound', async () => {
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

  await test.step('an approved redemption plays rising notes', async () => {
    await ear.forget()
    await window.keyboard.press('F4')
    await expect(window.getByRole('region', { name: 'Redeem miles' })).toContainText('$20.00 paid with miles')
    await expect.poll(ear.received).toEqual([784, 988, 1319])
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    await window.keyboard.press('Enter')
  })

  await test.step('sound that is off stays off after a restart, and the screen shows that it is off', async () => {
    await window.getByRole('button', { name: 'Cashier Alex Tremblay' }).click()
    for (let step = 6; step > 0; step -= 1) await window.getByRole('button', { name: 'Quieter' }).click()
    await expect(window.getByRole('group', { name: 'Volume' })).toContainText('Off')
    await window.keyboard.press('Escape')
    // The screen shows the change at once; the test kills the lane only after the lane has stored it.
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
