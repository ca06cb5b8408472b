import type { Page } from '@playwright/test'
import { CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'
import { openDisplay } from './windows.ts'

test.use({ profile: { mode: 'training' } })

test('training mode is marked on screens, paper and the customer display, and keeps the drawer shut', async ({
  window,
  store,
}) => {
  const { scanner, reader, printer, lane } = store
  const badge = window.getByRole('button', { name: 'Training', exact: true })
  await expect(badge).toBeVisible()
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  await expect(badge).toBeVisible()
  const customer = await openDisplay(window, lane)
  await expect(customer.getByText(/^Training$/i)).toBeVisible()

  await test.step('the training badge explains training mode', async () => {
    await badge.click()
    await expect(window.getByRole('dialog', { name: 'Training' })).toContainText('Practice only')
    await window.keyboard.press('Escape')
  })

  await test.step('a sale in training prints a paper with two training notices; the drawer stays shut', async () => {
    await scanner.send(ean13(ITEMS.detergent.code))
    await reader.send(track2(COLLECTORS.fine))
    await expect(window.getByRole('button', { name: 'Redeem $20.00' })).toBeEnabled()
    await window.keyboard.press('F9')
    await expect(window.getByRole('heading', { name: 'Sale complete' })).toBeVisible()
    const [paper = ''] = await printer.printed(1)
    expect(paper.match(/TRAINING/g)?.length ?? 0).toBeGreaterThanOrEqual(2)
    expect(paper).toContain('$22.60')
    expect(printer.bytes()).not.toContain('\x1bp')
  })

  await test.step('the screens have the training frame, also the sign-in screen', async () => {
    await expect(window.getByRole('button', { name: 'Next customer' })).toBeFocused()
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
    expect(await framed(window)).toBe(true)
    await window.keyboard.press('Shift+F1')
    await expect(window.getByRole('heading', { name: 'Store' })).toBeVisible()
    expect(await framed(window)).toBe(true)
    await window.keyboard.press('Shift+F12')
    await expect(window.getByRole('button', { name: CASHIER.name })).toBeVisible()
    expect(await framed(window)).toBe(true)
  })
})

const framed = (window: Page): Promise<boolean> =>
  window.evaluate<boolean>(`
  const training = document.createElement('i')
  training.style.color = 'var(--training)'
  document.body.append(training)
  const { color } = getComputedStyle(training)
  training.remove();
  [...document.querySelectorAll('*')].some((element) => {
    const { content, borderTopWidth, borderTopColor, borderLeftWidth } = getComputedStyle(element, '::after')
    const { width, height } = element.getBoundingClientRect()
    const thick = parseFloat(borderTopWidth) >= 3 && parseFloat(borderLeftWidth) >= 3
    const around = width === innerWidth && height === innerHeight
    return content !== 'none' && thick && borderTopColor === color && around
  })`)
