import type { Page } from '@playwright/test'
import { expect, test } from 'vitest'
import { SaleId } from '../../contracts/core/ids.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import { FLOWERS, line, saleOf } from './sales.ts'

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: saleOf([line(1)]) }))

const price = (window: Page) => window.getByRole('dialog', { name: 'Enter price of Cut flowers' })
let version = 3
/** Waits until the windows have received all events: they show the last sale pushed. */
async function received(...windows: Page[]): Promise<void> {
  version += 1
  const lines = [line(1, { quantity: version })]
  screens.terminal.push({ type: 'sale-changed', cause: 'command', sale: saleOf(lines, { version, revision: version }) })
  for (const window of windows) await window.getByText(`${version} items`, { exact: true }).waitFor()
}

/** Touches a window, which makes it the one touched last; resolves when both windows have received this. */
async function touch(window: Page, other: Page): Promise<void> {
  const reported = window.waitForResponse((response) => response.url().endsWith('/api/input/acting'))
  await window.keyboard.press('Escape')
  await reported
  // Until the other window receives this, it considers itself the one touched last.
  await received(window, other)
}

async function open(): Promise<{ first: Page; second: Page }> {
  const { page: first, terminal } = screens
  await first.goto(terminal.url)
  await first.getByRole('grid').waitFor()
  await expect.poll(() => screens.posted('/input/acting').length).toBe(1)
  const opened = first.waitForEvent('popup')
  await first.evaluate(() => {
    window.open(location.href)
  })
  const second = await opened
  await second.getByRole('grid').waitFor()
  // Each window has reported its opening, in order, and both have received which one was touched last.
  await expect.poll(() => screens.posted('/input/acting').length).toBe(2)
  await received(first, second)
  return { first, second }
}

test('only the window touched last asks for the price of an open-price item', async () => {
  const { first, second } = await open()
  await touch(first, second)
  await touch(second, first)
  screens.terminal.push({ type: 'price-asked', item: FLOWERS })
  await price(second).waitFor()
  await received(first)
  expect(await price(first).count()).toBe(0)
  await second.close()
  await expect.poll(() => screens.terminal.streams).toBe(1)
  screens.terminal.push({ type: 'price-asked', item: FLOWERS })
  await price(first).waitFor()
})

test('only one of two windows performs a scanned control barcode, so that one payment is taken', async () => {
  const { first, second } = await open()
  await touch(first, second)
  screens.terminal.push({ type: 'control-scanned', control: 'exact-cash' })
  await expect.poll(() => screens.posted('/tenders').length).toBeGreaterThan(0)
  await received(first, second)
  // By now, both windows would have sent their commands.
  await second.evaluate(() => fetch('/api/terminal'))
  expect(screens.posted('/tenders')).toHaveLength(1)
})

test('only the window touched last shows a scanned receipt', async () => {
  const { first, second } = await open()
  await touch(first, second)
  await touch(second, first)
  screens.terminal.push({ type: 'receipt-scanned', saleId: SaleId.parse('N1010100000040K7Q0') })
  await second.getByText('Receipt of sale N1010100000040K7Q0.').waitFor()
  await received(first, second)
  // By now, the first window would have received its question about the receipt.
  await first.evaluate(() => fetch('/api/terminal'))
  expect(await first.getByText('Receipt of sale').count()).toBe(0)
})

test('a sign-out event shows the sign-in screen only if no one is signed in at the terminal any more', async () => {
  const { first, second } = await open()
  screens.terminal.push({ type: 'signed-out' })
  await received(first, second)
  screens.terminal.state.signedIn = null
  screens.terminal.push({ type: 'signed-out' })
  const question = (window: Page) => window.getByRole('heading', { name: 'Who is working this lane?' })
  await expect.poll(() => Promise.all([first, second].map((window) => question(window).count()))).toEqual([1, 1])
})
