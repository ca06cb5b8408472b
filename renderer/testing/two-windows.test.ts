import type { Page } from '@playwright/test'
import { expect, test } from 'vitest'
import { SaleId } from '../../contracts/core/ids.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import { FLOWERS, line, saleOf } from './sales.ts'

/** Two cashier's windows of one lane: both hear of every scan, and a person answers one. */
const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: saleOf([line(1)]) }))

const price = (window: Page) => window.getByRole('dialog', { name: 'Enter price of Cut flowers' })
let version = 3
/** Both windows have heard everything so far: they show what was pushed last. */
async function heard(...windows: Page[]): Promise<void> {
  version += 1
  const lines = [line(1, { quantity: version })]
  screens.terminal.push({ type: 'sale-changed', cause: 'command', sale: saleOf(lines, { version, revision: version }) })
  for (const window of windows) await window.getByText(`${version} items`, { exact: true }).waitFor()
}

/** A person turns to this window, after having been at the other; both have heard so. */
async function touch(window: Page, other: Page): Promise<void> {
  const told = window.waitForResponse((response) => response.url().endsWith('/api/input/acting'))
  await window.keyboard.press('Escape')
  await told
  // Until it has heard of it, the other takes itself for the one that was touched last.
  await heard(window, other)
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
  // Each has said that it was opened, in turn, and both have heard which one acts.
  await expect.poll(() => screens.posted('/input/acting').length).toBe(2)
  await heard(first, second)
  return { first, second }
}

test('the price of an open item is asked for in the window that was touched last, and in no other', async () => {
  const { first, second } = await open()
  await touch(first, second)
  await touch(second, first)
  screens.terminal.push({ type: 'price-asked', item: FLOWERS })
  await price(second).waitFor()
  await heard(first)
  expect(await price(first).count()).toBe(0)
  await second.close()
  await expect.poll(() => screens.terminal.streams).toBe(1)
  screens.terminal.push({ type: 'price-asked', item: FLOWERS })
  await price(first).waitFor()
})

test('a scanned control is done once', async () => {
  const { first, second } = await open()
  await touch(first, second)
  screens.terminal.push({ type: 'control-scanned', control: 'exact-cash' })
  await expect.poll(() => screens.posted('/tenders').length).toBeGreaterThan(0)
  await heard(first, second)
  // What both were asked to do, both would have asked for by now.
  await second.evaluate(() => fetch('/api/terminal'))
  expect(screens.posted('/tenders')).toHaveLength(1)
})

test('a receipt before the scanner is told in the window that was touched last', async () => {
  const { first, second } = await open()
  await touch(first, second)
  await touch(second, first)
  screens.terminal.push({ type: 'receipt-scanned', saleId: SaleId.parse('N1010100000040K7Q0') })
  await second.getByText('Receipt of sale N1010100000040K7Q0.').waitFor()
  await heard(first, second)
  // What the first would have asked about the receipt, it would have been told by now.
  await first.evaluate(() => fetch('/api/terminal'))
  expect(await first.getByText('Receipt of sale').count()).toBe(0)
})

test('a window that has just signed in stays so when the sign-out of the others comes after its answer', async () => {
  const { first, second } = await open()
  screens.terminal.push({ type: 'signed-out' })
  await heard(first, second)
  screens.terminal.state.signedIn = null
  screens.terminal.push({ type: 'signed-out' })
  const question = (window: Page) => window.getByRole('heading', { name: 'Who is working this lane?' })
  await expect.poll(() => Promise.all([first, second].map((window) => question(window).count()))).toEqual([1, 1])
})
